#include "berth/engine/plan/lending.h"

#include <algorithm>

#include "berth/engine/state/lent_cores.h"

namespace berth {
namespace {

const NodeShare* share_on(const Job& run, NodeId node) {
    const auto& shares = run.allocation->shares;
    const auto found = std::ranges::find(shares, node, &NodeShare::node);
    return found == shares.end() ? nullptr : &*found;
}

std::vector<Millicpu> none_if_zero(std::vector<Millicpu> lent) {
    if (std::ranges::all_of(lent, [](Millicpu one) { return one == Millicpu(0); })) lent.clear();
    return lent;
}

// When the cores of a lender are free for it again. Behind its nodes' other runs it asks those that
// have its cores; each of these may lend in turn.
Time given_back_at(const ClusterState& state, const Job& run) {
    Time at = run.suspension->changed_at;
    for (const NodeShare& share : run.allocation->shares) {
        for (const JobId id : state.index().on_node(share.node)) {
            const Job& other = *state.find_job(id);
            const NodeShare* const held = share_on(other, share.node);
            if (id == run.id || !is_above(other, run) || held->cores.size() != share.cores.size())
                continue;
            if (held->cores.intersects(share.cores)) at = std::max(at, run_end(state, other));
        }
    }
    const JobId by = run.allocation->preempted->by;
    const Job* const preemptor = state.find_job(by);
    const auto hold = state.schedule().preemptor_holds().find(by);
    const bool comes = preemptor != nullptr && preemptor->state == JobState::pending &&
                       hold != state.schedule().preemptor_holds().end();
    if (!comes) return at;
    return std::max(at,
                    ended_after_hold(state.spec().scheduling, hold->second, preemptor->time_limit));
}

}  // namespace

bool has_lenders(const ClusterState& state, JobId preemptor) {
    const auto& preempted = state.index().preempted();
    for (auto at = preempted.lower_bound({preemptor, JobId(0)});
         at != preempted.end() && at->first == preemptor; ++at) {
        if (state.find_job(at->second)->lends_cores()) return true;
    }
    return false;
}

std::vector<Millicpu> lent_to_run(const ClusterState& state, const Job& run) {
    if (!state.index().any_lenders()) return {};
    std::vector<Millicpu> lent;
    for (const NodeShare& share : run.allocation->shares) {
        lent.push_back(
            cpu_of(share, shared_cores(state.jobs(), state.index(), run, share, Sharers::below)));
    }
    return none_if_zero(std::move(lent));
}

BitSet lendable_cores(const ClusterState& state, const Job& run, const NodeShare& share) {
    if (share.cores.size() != state.spec().node(share.node).cores())
        return BitSet(share.cores.size());  // The node has changed.
    return share.cores - shared_cores(state.jobs(), state.index(), run, share, Sharers::above);
}

std::vector<Millicpu> lent_to_start(const ClusterState& state, const PlannedAmounts& amounts,
                                    const std::vector<JobId>& lenders) {
    if (lenders.empty()) return {};
    std::vector<Millicpu> lent;
    for (const auto& [node, amount] : amounts) {
        Millicpu most;
        for (const JobId id : lenders) {
            const Job* const run = state.find_job(id);
            const NodeShare* const share = run->lends_cores() ? share_on(*run, node) : nullptr;
            if (share != nullptr) most += cpu_of(*share, lendable_cores(state, *run, *share));
        }
        lent.push_back(min(most, amount.cpu()));
    }
    return none_if_zero(std::move(lent));
}

Time limit_end(const SchedulingSpec& scheduling, const Job& job) {
    const std::optional<Time> limit = limit_ends(job);
    const Time end = limit ? after(*limit, scheduling.over_time_limit) : kNever;
    return job.spec.deadline ? std::min(end, std::max(*job.spec.deadline, *job.started_at)) : end;
}

// With the slack of a planned start, which ends no earlier.
Time ended_after_hold(const SchedulingSpec& scheduling, Time hold, Duration limit) {
    const Duration late = 3 * scheduling.kill_wait + std::chrono::minutes(2);
    return after(after(hold, limit), late);
}

Time end_from(const SchedulingSpec& scheduling, const Job& run, Time from, Time now) {
    Time end = kNever;
    if (run.time_limit != Duration::max()) {
        const Duration left = std::max(Duration{}, run.time_limit - ran_for(run, now));
        end = after(after(from, left), scheduling.over_time_limit);
    }
    return run.spec.deadline ? std::min(end, std::max(*run.spec.deadline, *run.started_at)) : end;
}

// A run that is preempted ends sooner than by its limit: it is told to, and then killed. If it
// takes longer, it is late like a run that is over its limit: nobody's planned start moves at once.
Time run_end(const ClusterState& state, const Job& job) {
    const SchedulingSpec& scheduling = state.spec().scheduling;
    if (job.lends_cores() && job.is_suspended())
        return end_from(scheduling, job, given_back_at(state, job), job.suspension->changed_at);
    const Time end = limit_end(scheduling, job);
    const auto& preempted = job.allocation->preempted;
    if (!preempted || job.lends_cores()) return end;
    return std::min(end, after(preempted->ends_at, scheduling.kill_wait));
}

}  // namespace berth
