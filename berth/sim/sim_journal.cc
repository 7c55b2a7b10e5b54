#include "berth/sim/sim_journal.h"

#include "berth/base/codec.h"
#include "berth/engine/state/snapshot.h"

namespace berth::sim {
namespace {

Record without_eligible(Record record) {
    std::erase_if(record.facts, [](const Fact& fact) {
        return std::holds_alternative<JobsEligible>(fact) ||
               std::holds_alternative<JobEligible>(fact);
    });
    return record;
}

}  // namespace

void SimJournal::append(const Record& record, std::optional<std::uint64_t> hash) {
    std::uint64_t expected = snapshot_ ? snapshot_->sequence + 1 : 1;
    if (!records_.empty()) expected = records_.back().sequence + 1;
    if (record.sequence != expected) {
        stage_.violated("journal", "record " + std::to_string(record.sequence) + " where " +
                                       std::to_string(expected) + " comes next");
    }
    const std::string bytes = encode(bugs_.forgets_to_write ? without_eligible(record) : record);
    Entry entry{bytes, record.sequence, hash, {}};
    for (const auto& [job, payload] : record.payloads) {
        payloads_[job] = encode(payload);
        entry.payloads.push_back(job);
    }
    records_.push_back(std::move(entry));
    ++appended_;
}

void SimJournal::commit() {
    durable_ = records_.size();
    if (!next_snapshot_) return;
    std::erase_if(records_,
                  [&](const Entry& entry) { return entry.sequence <= next_snapshot_->sequence; });
    durable_ = records_.size();
    snapshot_ = std::exchange(next_snapshot_, std::nullopt);
    ++snapshots_;
}

void SimJournal::lose_tail() {
    for (std::size_t i = durable_; i < records_.size(); ++i) {
        for (const JobId job : records_[i].payloads) payloads_.erase(job);
    }
    records_.resize(durable_);
    next_snapshot_.reset();
}

void SimJournal::snapshot(const ClusterState& state, std::size_t slice_bytes) {
    if (records_.empty()) return;
    next_snapshot_ = Snapshot{slices_of(state, slice_bytes), records_.back().sequence};
}

SimJournal::Recovered SimJournal::recover() const {
    Recovered recovered;
    if (snapshot_) {
        Result<ClusterState> read = state_from(snapshot_->slices);
        if (!read.ok()) {
            stage_.violated("I13", "the snapshot does not read: " + read.error().message);
            return recovered;
        }
        recovered.state = std::move(read).value();
        recovered.next_sequence = snapshot_->sequence + 1;
    }
    for (const Entry& entry : records_) {
        const Result<Record> record = decode<Record>(entry.bytes);
        BERTH_ASSERT(record.ok() && entry.sequence == recovered.next_sequence);
        for (const Fact& fact : record->facts) recovered.state.apply(record->now, fact);
        ++recovered.next_sequence;
        if (entry.hash && *entry.hash != recovered.state.hash()) {
            stage_.violated("I13", "replayed to record " + std::to_string(entry.sequence) +
                                       ", the state is another than it was");
        }
    }
    if (bugs_.checks_itself) recovered.state.check_invariants();
    return recovered;
}

JobPayload SimJournal::payload(JobId job) const {
    const auto found = payloads_.find(job);
    if (found == payloads_.end()) return {};
    return decode<JobPayload>(found->second).value_or(JobPayload{});
}

}  // namespace berth::sim
