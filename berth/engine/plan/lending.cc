#include "berth/engine/plan/lending.h"

#include <algorithm>
#include <functional>
#include <set>

#include "berth/engine/state/job_ids.h"
#include "berth/engine/state/lent_cores.h"
#include "berth/engine/state/turns.h"

namespace berth {
namespace {

std::vector<Millicpu> none_if_zero(std::vector<Millicpu> lent) {
    if (std::ranges::all_of(lent, [](Millicpu one) { return one == Millicpu(0); })) lent.clear();
    return lent;
}

bool share_cores(const Job& a, const Job& b) {
    const auto &of_a = a.allocation->shares, &of_b = b.allocation->shares;
    auto one = of_a.begin(), other = of_b.begin();
    while (one != of_a.end() && other != of_b.end()) {
        if (one->node < other->node) {
            ++one;
        } else if (other->node < one->node) {
            ++other;
        } else {
            const bool alike = one->cores.size() == other->cores.size();
            if (alike && one->cores.intersects(other->cores)) return true;
            ++one;
            ++other;
        }
    }
    return false;
}

// Those above the run that have cores of it, or those below it that lend it cores; in id order.
std::vector<JobId> sharers_of(const ClusterState& state, const Job& run, Sharers of) {
    std::vector<JobId> found;
    for (const NodeShare& share : run.allocation->shares) {
        for (const JobId id : state.index().on_node(share.node)) {
            const Job& other = *state.find_job(id);
            if (id == run.id || is_above(other, run) != (of == Sharers::above)) continue;
            if (of == Sharers::above || other.lends_cores()) found.push_back(id);
        }
    }
    put_in_order(found);
    std::erase_if(found, [&](JobId id) { return !share_cores(run, *state.find_job(id)); });
    return found;
}

// It has been told to end, so that another job starts.
bool is_to_end(const Job& run) { return run.allocation->preempted && !run.lends_cores(); }

// With the slack of a planned start, which ends no earlier.
Time ended_after_hold(const SchedulingSpec& scheduling, Time hold, Duration held) {
    const Duration late = 3 * scheduling.kill_wait + std::chrono::minutes(2);
    return after(after(hold, held), late);
}

// What is left of its limit. REQUIRES: it has one.
Duration left_of(const Job& run, Time now) {
    return std::max(Duration{}, run.time_limit - ran_for(run, now));
}

// The end of a run that stands still until `from` and then goes on, or its deadline.
Time end_from(const ClusterSpec& spec, const Job& run, Time from, Time now) {
    Time end = kNever;
    if (run.time_limit != Duration::max())
        end = after(after(from, left_of(run, now)), spec.over_time_limit(run.partition));
    if (run.spec.deadline) end = std::min(end, std::max(*run.spec.deadline, *run.started_at));
    return after(end, allowed_for_turns(spec, run));
}

// How long the job holds its cores at most once it has started.
Duration held_length(const ClusterSpec& spec, const Job& job) {
    const Duration over = spec.over_time_limit(job.partition);
    if (jobs_on_core(spec, job) > 1) return held_in_turns(spec.scheduling, job.time_limit, over);
    if (!job.spec.request->reservation.empty()) return job.time_limit;
    return job.time_limit > Duration::max() - over ? Duration::max() : job.time_limit + over;
}

// When the job that a lender waits for has ended, if it comes at all.
std::optional<Time> end_of_awaited(const ClusterState& state, const Job& run) {
    const JobId by = run.allocation->preempted->by;
    const Job* const preemptor = state.find_job(by);
    const auto& holds = state.schedule().preemptor_holds();
    const auto hold = holds.find(by);
    const bool comes = preemptor != nullptr && preemptor->state == JobState::pending &&
                       run.state == JobState::running && hold != holds.end();
    if (!comes) return std::nullopt;
    return ended_after_hold(state.spec().scheduling, hold->second,
                            held_length(state.spec(), *preemptor));
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

// ---- How much is lent.

std::vector<Millicpu> lent_to_run(const ClusterState& state, const Job& run) {
    if (!state.index().any_lenders()) return {};
    std::vector<Millicpu> lent;
    for (const NodeShare& share : run.allocation->shares) {
        lent.push_back(
            cpu_of(share, shared_cores(state.jobs(), state.index(), run, share, Sharers::below)));
    }
    return none_if_zero(std::move(lent));
}

bool is_as_taken(const NodeSpec& node, const NodeShare& share) {
    const auto cpus = static_cast<std::int64_t>(share.cores.count()) * node.threads_per_core;
    return share.cores.size() == node.cores() && share.amount.cpu() == cores(cpus);
}

BitSet lendable_cores(const ClusterState& state, const Job& run, const NodeShare& share,
                      std::span<const JobId> ending) {
    if (!is_as_taken(state.spec().node(share.node), share)) return BitSet(share.cores.size());
    BitSet left = share.cores;
    for (const JobId id : state.index().on_node(share.node)) {
        const Job& other = *state.find_job(id);
        if (id == run.id || !is_above(other, run) || is_to_end(other)) continue;
        if (std::ranges::find(ending, id) != ending.end()) continue;
        const BitSet& held = share_on(other, share.node)->cores;
        if (held.size() == left.size()) left -= held;
    }
    return left;
}

std::vector<Millicpu> lent_to_start(const ClusterState& state, const PlannedAmounts& amounts,
                                    std::vector<JobId> victims) {
    std::erase_if(victims, [&](JobId id) { return !state.find_job(id)->lends_cores(); });
    return lent_to_start(state, amounts, victims, {});
}

std::vector<Millicpu> lent_to_start(const ClusterState& state, const PlannedAmounts& amounts,
                                    std::span<const JobId> lenders, std::span<const JobId> ending) {
    if (lenders.empty()) return {};
    std::map<NodeId, Millicpu> most;
    for (const JobId id : lenders) {
        const Job& run = *state.find_job(id);
        for (const NodeShare& share : run.allocation->shares)
            most[share.node] += cpu_of(share, lendable_cores(state, run, share, ending));
    }
    std::vector<Millicpu> lent;
    for (const auto& [node, amount] : amounts) {
        const auto here = most.find(node);
        lent.push_back(here == most.end() ? Millicpu(0) : min(here->second, amount.cpu()));
    }
    return none_if_zero(std::move(lent));
}

// ---- Until when.

Time limit_end(const ClusterSpec& spec, const Job& job) {
    const std::optional<Time> limit = limit_ends(job);
    const Time end = limit ? after(*limit, spec.over_time_limit(job.partition)) : kNever;
    return job.spec.deadline ? std::min(end, std::max(*job.spec.deadline, *job.started_at)) : end;
}

Duration kill_within(const SchedulingSpec& scheduling) {
    return std::max<Duration>(scheduling.kill_wait, std::chrono::seconds(1));
}

Time given_back_by(const SchedulingSpec& scheduling, Duration held, Time now) {
    return ended_after_hold(scheduling, after(now, scheduling.preemption.hold_timeout), held);
}

bool would_miss_deadline(const Job& run, Time from, Time now) {
    if (!run.spec.deadline) return false;
    const bool is_endless = run.time_limit == Duration::max();
    return after(from, is_endless ? Duration{} : left_of(run, now)) > *run.spec.deadline;
}

namespace {

std::uint32_t changes_of(const Job& run) { return run.suspension ? run.suspension->changes : 0; }

// Since when what is left of its limit is counted.
Time last_change(const Job& run) {
    if (run.ended_at) return *run.ended_at;
    return run.suspension ? run.suspension->changed_at : *run.started_at;
}

}  // namespace

// What is allowed for changes is used up when a run goes on, and only then: so the end moves no
// later while they take turns, as long as a change takes no more than an eighth of a time slice.
Time end_in_turns(const ClusterSpec& spec, const std::vector<const Job*>& runs,
                  std::optional<JoiningRun> joining) {
    const SchedulingSpec& scheduling = spec.scheduling;
    Time from = joining ? joining->now : Time::min();
    for (const Job* const run : runs) from = std::max(from, last_change(*run));
    Time end = from;
    const auto add = [&](Duration limit, Duration over, Duration ran, std::uint32_t changes) {
        if (limit == Duration::max() || over >= Duration::max() - limit) {
            end = kNever;
            return;
        }
        end = after(end, std::max(Duration{}, limit + over - ran));
        end = after(end, allowed_for_turns(scheduling, limit, changes));
    };
    for (const Job* const run : runs) {
        if (run->state != JobState::running) continue;  // It is being killed.
        // An operator says when it goes on.
        if (run->is_suspended() && !run->awaits_turn()) return kNever;
        add(run->time_limit, spec.over_time_limit(run->partition), ran_for(*run, from),
            changes_of(*run));
    }
    if (joining) add(joining->limit, joining->over_time, Duration{}, 0);
    return after(end, 2 * scheduling.kill_wait);  // As late as a planned start may end.
}

std::vector<JobId> lenders_to(const ClusterState& state, const std::vector<const Job*>& runs) {
    std::vector<JobId> found;
    for (const Job* const run : runs) {
        for (const JobId id : sharers_of(state, *run, Sharers::below)) {
            if (!state.find_job(id)->lends_by_turns()) found.push_back(id);
        }
    }
    put_in_order(found);
    return found;
}

std::vector<const Job*> turn_group(const ClusterState& state, const Job& run) {
    std::vector<JobId> found = {run.id};
    std::set<JobId> seen = {run.id};
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (const JobId id : turn_sharers(state.jobs(), state.index(), *state.find_job(found[i])))
            if (seen.insert(id).second) found.push_back(id);
    }
    std::vector<const Job*> group;
    group.reserve(seen.size());
    for (const JobId id : seen) group.push_back(state.find_job(id));
    return group;
}

Time RunEnds::of_turns(const Job& run) {
    const std::vector<const Job*> group = turn_group(state_, run);
    const Time end = end_in_turns(state_.spec(), group);
    for (const Job* const one : group) known_[one->id] = end;
    return end;
}

// A run that is preempted ends sooner than by its limit: it is told to, and then killed. If it
// takes longer, it is late like a run that is over its limit: nobody's planned start moves at once.
Time RunEnds::of(const Job& run) {
    const SchedulingSpec& scheduling = state_.spec().scheduling;
    if (const auto known = known_.find(run.id); known != known_.end()) return known->second;
    if (takes_turns(state_.jobs(), state_.index(), run)) return of_turns(run);
    if (!run.lends_cores()) {
        // As if it shared its cores: when it does, no planned start behind it is put off.
        const Time end =
            after(limit_end(state_.spec(), run), allowed_for_turns(state_.spec(), run));
        const auto& preempted = run.allocation->preempted;
        return preempted ? std::min(end, after(preempted->ends_at, kill_within(scheduling))) : end;
    }
    const Time back = given_back_at(run);
    const Time end =
        run.is_suspended()
            ? end_from(state_.spec(), run, back, run.suspension->changed_at)
            : after(limit_end(state_.spec(), run), allowed_for_turns(state_.spec(), run));
    return known_[run.id] = std::max(back, end);
}

// Each of those that have its cores began later, and may lend in turn.
Time RunEnds::given_back_at(const Job& run) {
    Time at = run.suspension ? run.suspension->changed_at : *run.started_at;
    for (const JobId id : sharers_of(state_, run, Sharers::above))
        at = std::max(at, of(*state_.find_job(id)));
    return std::max(at, end_of_awaited(state_, run).value_or(at));
}

Time run_end(const ClusterState& state, const Job& run) { return RunEnds(state).of(run); }

std::vector<LenderEnd> ends_if_lent(const ClusterState& state, const std::vector<JobId>& lenders,
                                    const std::vector<JobId>& ending, Time from, Time now) {
    RunEnds ends(state);
    for (const JobId id : ending) ends.suppose(id, now);
    // Until when each stands still, the latest start first: who has its cores is done by then.
    std::map<std::pair<Time, JobId>, Time, std::greater<>> left;
    const auto add = [&](JobId id, Time until) {
        Time& known = left.try_emplace({*state.find_job(id)->started_at, id}, until).first->second;
        known = std::max(known, until);
    };
    for (const JobId id : lenders) add(id, from);
    std::vector<LenderEnd> found;
    while (!left.empty()) {
        const auto [key, until] = *left.begin();
        left.erase(left.begin());
        const Job& run = *state.find_job(key.second);
        const Time goes_on = run.lends_cores() ? std::max(until, ends.given_back_at(run)) : until;
        const Time end = end_from(state.spec(), run, goes_on, now);
        found.push_back({run.id, goes_on, std::max({goes_on, end, ends.of(run)})});
        for (const JobId id : sharers_of(state, run, Sharers::below)) add(id, found.back().end);
    }
    return found;
}

}  // namespace berth
