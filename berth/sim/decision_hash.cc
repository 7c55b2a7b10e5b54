#include "berth/sim/decision_hash.h"

namespace berth::sim {
namespace {

std::string milliseconds_of(Duration duration) { return std::to_string(duration.count()) + " ms"; }
std::string milliseconds_of(Time time) { return std::to_string(time.time_since_epoch().count()); }

// "node 3, devices 1 2, cores 0 1"
std::string share_text(const NodeShare& share) {
    std::string text = "node " + to_string(share.node);
    if (share.devices != 0) text += ", devices";
    for_each_bit(share.devices, [&](int device) { text += " " + std::to_string(device); });
    if (share.device_share) {
        text += ", parts " + std::to_string(share.device_share->part.parts);
    }
    text += ", cores";
    for (std::size_t core = share.cores.find_first(); core != BitSet::kNone;
         core = share.cores.find_next(core)) {
        text += " " + std::to_string(core);
    }
    return text;
}

// "starts task 3 as job 9, attempt 1, limit 60000 ms on [node 3, cores 0 1] [node 4, cores 0]"
std::string start_line(const StartJob& fact) {
    std::string text = "starts";
    if (fact.array_task) text += " task " + std::to_string(*fact.array_task);
    if (fact.task_job) text += " as job " + to_string(*fact.task_job);
    text += ", attempt " + to_string(fact.attempt);
    if (fact.time_limit) text += ", limit " + milliseconds_of(*fact.time_limit);
    text += " on";
    for (const NodeShare& share : fact.allocation.shares) text += " [" + share_text(share) + "]";
    return text;
}

}  // namespace

void DecisionHash::take(Time now, const Fact& fact) {
    if (const auto* started = std::get_if<StartJob>(&fact)) {
        add(now, started->job, start_line(*started));
    } else if (const auto* planned = std::get_if<PlanJob>(&fact)) {
        plan(now, planned->job, planned->planned);
    } else if (const auto* many = std::get_if<JobsPlanned>(&fact)) {
        for (const auto& [job, one] : many->jobs) plan(now, job, one);
    } else if (const auto* moved = std::get_if<JobMoved>(&fact)) {
        add(now, moved->job,
            "moves to partition " + to_string(moved->partition) + ", limit " +
                milliseconds_of(moved->time_limit) +
                (moved->flavor.none() ? ""
                                      : ", flavor " + std::to_string(moved->flavor.flavor) + "/" +
                                            std::to_string(moved->flavor.gres_type)));
    } else if (const auto* ending = std::get_if<EndJob>(&fact)) {
        add(now, ending->job, "must end: " + std::string(slurm_name(ending->outcome)));
    } else if (const auto* missed = std::get_if<DeadlineMissed>(&fact)) {
        add(now, missed->job, "ends: it misses its deadline");
    } else if (const auto* failed = std::get_if<DependencyFailed>(&fact)) {
        add(now, failed->job, "ends or waits for ever: its dependency failed");
    } else if (const auto* cancelled = std::get_if<JobCancelled>(&fact);
               cancelled != nullptr && !cancelled->reason.empty()) {
        add(now, cancelled->job, "is cancelled: " + cancelled->reason);
    }
}

void DecisionHash::plan(Time now, JobId job, const std::optional<PlannedStart>& planned) {
    if (!planned) return add(now, job, "has no planned start any more");
    std::string text = "is planned from " + milliseconds_of(planned->start) + " to " +
                       milliseconds_of(planned->end) + " on nodes";
    for (const NodeId node : planned->amounts.nodes()) text += " " + to_string(node);
    add(now, job, text);
}

void DecisionHash::add(Time now, JobId job, const std::string& what) {
    lines_.push_back(milliseconds_of(now) + " job " + to_string(job) + " " + what);
    hash_.add(lines_.back());
    constexpr const char* kDigits = "0123456789abcdef";
    const std::uint64_t value = hash_.value();
    trail_ += kDigits[(value >> 4) & 15];
    trail_ += kDigits[value & 15];
}

}  // namespace berth::sim
