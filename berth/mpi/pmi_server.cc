#include "berth/mpi/pmi_server.h"

#include <algorithm>

#include "berth/base/codec.h"

namespace berth {
namespace {

constexpr std::size_t kHeldMax = std::size_t{64} << 20;
constexpr std::string_view kMapping = "PMI_process_mapping";
constexpr std::string_view kGone = "a task of the step has ended without finalize";

// What one node gives to a fence.
struct Gift {
    bool failed = false;
    std::vector<std::pair<std::string, std::string>> put;
    BERTH_FIELDS(Gift, failed, put)
};

std::string fence_key(std::uint64_t number) { return "pmi " + std::to_string(number); }

}  // namespace

PmiServer::PmiServer(MpiStep step) : step_(std::move(step)) {
    tasks_.resize(step_.ranks.size());
    // Without it MPICH takes each rank to be on a node of its own, which is slow, but works.
    if (step_.mapping.size() <= kPmiValueMax) seen_.emplace(kMapping, step_.mapping);
}

std::vector<std::string> PmiServer::environment_of(std::size_t task) const {
    return {"PMI_FD=" + std::to_string(kMpiTaskFd),
            "PMI_RANK=" + std::to_string(step_.ranks.at(task)),
            "PMI_SIZE=" + std::to_string(step_.tasks), "PMI_JOBID=" + step_.name};
}

void PmiServer::heard(std::size_t task, std::string_view bytes, Effects& effects) {
    if (tasks_.at(task).gone) return;
    tasks_[task].reader.add(bytes);
    while (!tasks_[task].gone) {
        const auto words = tasks_[task].reader.next();
        if (!words.ok()) return hang_up(task, effects);
        if (!*words) return;
        obey(task, **words, effects);
    }
}

void PmiServer::hang_up(std::size_t at, Effects& effects) {
    effects.closed.push_back(at);
    hung_up(at, effects);
}

// Whether it has come to its end or has only closed the socket: it can be in no fence any more.
void PmiServer::hung_up(std::size_t task, Effects& effects) {
    Task& one = tasks_.at(task);
    if (one.gone) return;
    one = Task{};
    one.gone = true;
    give_if_all_are_in(effects);
}

void PmiServer::obey(std::size_t at, const PmiWords& words, Effects& effects) {
    Task& task = tasks_[at];
    if (task.in_spawn || words.get("mcmd")) return hear_spawn(at, words, effects);
    if (words.text("cmd") == "init") return init(at, words, effects);
    if (task.version == 2) return obey_2(at, words, effects);
    obey_1(at, words, effects);
}

void PmiServer::init(std::size_t at, const PmiWords& words, Effects& effects) {
    const std::int64_t version = words.number("pmi_version").value_or(0);
    const bool known = version == 1 || version == 2;
    const std::string_view subversion = version == 2 ? "0" : "1";
    effects.replies.emplace_back(
        at, "cmd=response_to_init pmi_version=" + std::string(version == 2 ? "2" : "1") +
                " pmi_subversion=" + std::string(subversion) + " rc=" + (known ? "0" : "-1") +
                "\n");
    if (!known) return;
    tasks_[at].version = static_cast<int>(version);
    if (version == 2) tasks_[at].reader.use_messages();
}

bool PmiServer::fits(const PmiWords& words) const {
    const std::size_t key = words.text("key").size(), value = words.text("value").size();
    return key > 0 && key <= kPmiKeyMax && value <= kPmiValueMax && held_ + key + value <= kHeldMax;
}

bool PmiServer::put(const PmiWords& words) {
    if (!fits(words)) return false;
    const std::string key(words.text("key")), value(words.text("value"));
    held_ += key.size() + value.size();
    put_.insert_or_assign(key, value);
    return true;
}

std::optional<std::string> PmiServer::value_of(std::string_view key) const {
    if (const auto own = put_.find(key); own != put_.end()) return own->second;
    if (const auto all = seen_.find(key); all != seen_.end()) return all->second;
    return std::nullopt;
}

void PmiServer::enter_fence(std::size_t at, const PmiWords& words, Effects& effects) {
    tasks_[at].in_fence = true;
    tasks_[at].fence_thread = words.text("thrid");
    if (broken_) return leave_fence(true, effects);
    give_if_all_are_in(effects);
}

// A task that has gone counts as one that is in, so that nobody waits for it for ever: the fence
// then fails. With nobody here left at all this node still says so, for those on others.
void PmiServer::give_if_all_are_in(Effects& effects) {
    if (given_ || broken_) return;
    Gift gift;
    for (const Task& task : tasks_) {
        if (!task.in_fence && !task.gone) return;
        gift.failed = gift.failed || task.gone;
    }
    gift.put.assign(put_.begin(), put_.end());
    given_ = true;
    effects.given.emplace(fence_key(fence_), encode(gift));
}

void PmiServer::exchanged(std::string_view key, std::string_view bytes, Effects& effects) {
    if (!given_ || key != fence_key(fence_)) return;
    given_ = false;
    ++fence_;
    put_.clear();
    Reader reader(bytes);
    while (reader.ok() && !reader.at_end()) {
        Gift gift;
        reader.read(gift);
        broken_ = broken_ || gift.failed;
        for (auto& [name, value] : gift.put) seen_.insert_or_assign(name, std::move(value));
    }
    leave_fence(!reader.ok() || broken_, effects);
}

void PmiServer::leave_fence(bool failed, Effects& effects) {
    for (std::size_t at = 0; at < tasks_.size(); ++at) {
        Task& task = tasks_[at];
        if (!task.in_fence) continue;
        task.in_fence = false;
        const std::string why(kGone);
        if (task.version == 2) {
            reply_2(at, "kvs-fence", task.fence_thread,
                    failed ? "rc=14;errmsg=" + why + ";" : "rc=0;", effects);
            continue;
        }
        std::string word = why;  // A line has no blanks within a value.
        std::ranges::replace(word, ' ', '_');
        effects.replies.emplace_back(
            at, failed ? "cmd=barrier_out rc=-1 msg=" + word + "\n" : "cmd=barrier_out rc=0\n");
    }
}

}  // namespace berth
