#include "berth/launcher/ledger.h"

#include "berth/base/codec.h"
#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::string_view kEpoch = "epoch", kJob = "job/", kProgram = "program/", kSetup = "setup";

std::string job_key(JobId job) { return std::string(kJob) + to_string(job); }

}  // namespace

Result<LaunchLedger> LaunchLedger::open(Disk& disk, const std::vector<MemoryWrite>& stored) {
    LaunchLedger ledger(disk);
    for (const MemoryWrite& one : stored) {
        Status loaded = ledger.load(one);
        if (!loaded.ok()) return prefixed("the ledger's entry " + one.key, loaded.error());
    }
    return ledger;
}

Status LaunchLedger::load(const MemoryWrite& stored) {
    const std::string_view key = stored.key;
    const std::string value = stored.value.value_or("");
    if (key == kEpoch) {
        BERTH_TRY(epoch_, decode<Epoch>(value));
    } else if (key == kSetup) {
        BERTH_TRY(setup_, decode<Time>(value));
    } else if (key.starts_with(kJob)) {
        BERTH_TRY(const std::int64_t job, parse_int64(key.substr(kJob.size())));
        BERTH_TRY(jobs_[JobId(static_cast<std::uint32_t>(job))], decode<LetIn>(value));
    } else if (key.starts_with(kProgram)) {
        BERTH_TRY(const std::int64_t program, parse_int64(key.substr(kProgram.size())));
        BERTH_TRY(programs_[static_cast<NodeProgram>(program)], decode<Time>(value));
    } else {
        return Error{ErrorCode::invalid_argument, "is none that this version knows"};
    }
    return Done{};
}

Status LaunchLedger::write(const std::string& key, std::optional<std::string> value) {
    const MemoryWrite one{key, std::move(value)};
    return disk_->write({&one, 1});
}

const LetIn* LaunchLedger::find(JobId job) const {
    const auto found = jobs_.find(job);
    return found == jobs_.end() ? nullptr : &found->second;
}

Status LaunchLedger::put(JobId job, LetIn entry) {
    BERTH_CHECK(write(job_key(job), encode(entry)));
    jobs_[job] = std::move(entry);
    return Done{};
}

Status LaunchLedger::forget(Time now, const std::function<bool(JobId, Attempt)>& present) {
    std::vector<MemoryWrite> gone;
    std::erase_if(jobs_, [&](const auto& one) {
        const bool over = one.second.removed && one.second.forget_after < now &&
                          !present(one.first, one.second.attempt);
        if (over) gone.push_back({job_key(one.first), std::nullopt});
        return over;
    });
    return gone.empty() ? Status(Done{}) : disk_->write(gone);
}

Status LaunchLedger::raise_epoch(Epoch epoch) {
    if (epoch <= epoch_) return Done{};
    BERTH_CHECK(write(std::string(kEpoch), encode(epoch)));
    epoch_ = epoch;
    return Done{};
}

Time LaunchLedger::last_run(NodeProgram program) const {
    const auto found = programs_.find(program);
    return found == programs_.end() ? Time{} : found->second;
}

Status LaunchLedger::ran(NodeProgram program, Time issued) {
    BERTH_CHECK(
        write(std::string(kProgram) + std::to_string(static_cast<int>(program)), encode(issued)));
    programs_[program] = issued;
    return Done{};
}

Status LaunchLedger::set_up(Time issued) {
    BERTH_CHECK(write(std::string(kSetup), encode(issued)));
    setup_ = issued;
    return Done{};
}

}  // namespace berth
