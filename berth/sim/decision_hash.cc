#include "berth/sim/decision_hash.h"

namespace berth::sim {

void DecisionHash::take(Time now, const Fact& fact) {
    if (const auto* started = std::get_if<StartJob>(&fact)) {
        start(now, *started);
    } else if (const auto* planned = std::get_if<PlanJob>(&fact)) {
        plan(now, planned->job, planned->planned);
    } else if (const auto* many = std::get_if<JobsPlanned>(&fact)) {
        for (const auto& [job, one] : many->jobs) plan(now, job, one);
    } else if (const auto* ending = std::get_if<EndJob>(&fact)) {
        end(now, *ending);
    }
}

void DecisionHash::begin(Kind kind, Time now, JobId job) {
    ++decisions_;
    hash_.add(kind);
    hash_.add(now);
    hash_.add(job);
}

void DecisionHash::start(Time now, const StartJob& fact) {
    begin(Kind::start, now, fact.job);
    hash_.add(fact.array_task);
    hash_.add(fact.task_job);
    hash_.add(fact.attempt);
    hash_.add(fact.time_limit);
    hash_.add(fact.allocation.shares.size());
    for (const NodeShare& share : fact.allocation.shares) {
        hash_.add(share.node);
        hash_.add(share.devices);
        hash_.add(share.device_share ? share.device_share->part.parts : 0);
        hash_.add(share.cores.count());
        for (std::size_t core = share.cores.find_first(); core != BitSet::kNone;
             core = share.cores.find_next(core)) {
            hash_.add(core);
        }
    }
}

void DecisionHash::plan(Time now, JobId job, const std::optional<PlannedStart>& planned) {
    if (!planned) return begin(Kind::withdraw, now, job);
    begin(Kind::plan, now, job);
    hash_.add(planned->start);
    hash_.add(planned->end);
    hash_.add(planned->amounts.size());
    for (const NodeId node : planned->amounts.nodes()) hash_.add(node);
}

void DecisionHash::end(Time now, const EndJob& fact) {
    begin(Kind::end, now, fact.job);
    hash_.add(fact.outcome);
}

}  // namespace berth::sim
