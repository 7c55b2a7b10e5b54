#include "berth/engine/cycle/rotation.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "berth/engine/plan/lending.h"
#include "berth/engine/state/turns.h"

namespace berth {
namespace {

// What a run that takes turns does now, in the order in which they get cores.
enum class TurnPhase : std::uint8_t {
    keeps,  // It has its turn, or cannot be stopped.
    waits,  // For its turn, since before this time slice.
    over,   // It runs, and did before this time slice: its turn is over if another one waits.
    fills,  // It waits since this time slice: for cores that nobody uses, or for the next one.
    out,    // It is at rest, and its turn does not come: an operator has suspended it, or it ends.
};

struct TurnTaker {
    const Job* run = nullptr;
    TurnPhase phase = TurnPhase::out;
    Time since{};  // It has run or waited.
    auto order() const { return std::tuple(phase, since, run->id); }
};

Time slice_start(const OpenCycle& cycle) {
    const Duration slice = cycle.scheduling().time_slice;
    return Time{} + (cycle.now() - Time{}) / slice * slice;
}

// In id order.
std::set<JobId> takers(const ClusterState& state) {
    std::set<JobId> found = state.index().awaiting_turn();
    for (const JobId lender : state.index().victims(JobId(0))) {
        found.insert(lender);
        for (const JobId id : turn_sharers(state.jobs(), state.index(), *state.find_job(lender)))
            found.insert(id);
    }
    return found;
}

// Whether its nodes can prove what becomes of it.
bool all_respond(const ClusterState& state, const Job& run) {
    return std::ranges::all_of(run.allocation->shares, [&](const NodeShare& share) {
        const NodeCondition& condition = state.nodes().condition(share.node);
        return condition.registered && condition.responding;
    });
}

// It was told to stand still so long ago that its proof is not waited for any more.
bool is_stuck(const OpenCycle& cycle, const Job& run) {
    const Duration patience = cycle.scheduling().preemption.hold_timeout;
    return run.awaits_turn() && !run.suspension->proved &&
           after(run.suspension->changed_at, patience) <= cycle.now();
}

TurnTaker taker_of(const OpenCycle& cycle, const Job& run) {
    const Time since = run.suspension ? run.suspension->changed_at : *run.started_at;
    const bool obeys = !run.is_configuring() && all_respond(cycle.state(), run);
    TurnTaker taker{.run = &run, .phase = TurnPhase::keeps, .since = since};
    if (run.state != JobState::running || run.is_suspended()) {
        if (is_at_rest(run)) taker.phase = TurnPhase::out;
        if (run.awaits_turn() && obeys && !is_stuck(cycle, run))
            taker.phase = since < slice_start(cycle) ? TurnPhase::waits : TurnPhase::fills;
    } else if (obeys && !(run.suspension && run.suspension->unproved) &&
               since < slice_start(cycle)) {
        taker.phase = TurnPhase::over;
    }
    return taker;
}

// Those that are to run from now on: of two that share cores, the one that comes first.
std::set<JobId> chosen_of(const ClusterState& state, const std::vector<TurnTaker>& all) {
    std::set<JobId> chosen;
    for (const TurnTaker& one : all) {
        if (one.phase == TurnPhase::out) continue;
        const std::vector<JobId> sharers = turn_sharers(state.jobs(), state.index(), *one.run);
        const bool is_free =
            std::ranges::none_of(sharers, [&](JobId id) { return chosen.contains(id); });
        if (is_free || one.phase == TurnPhase::keeps) chosen.insert(one.run->id);
    }
    return chosen;
}

}  // namespace

void rotate(OpenCycle& cycle) {
    const ClusterState& state = cycle.state();
    std::vector<TurnTaker> all;
    for (const JobId id : takers(state)) all.push_back(taker_of(cycle, *state.find_job(id)));
    if (all.empty()) return;
    std::ranges::sort(all, {}, &TurnTaker::order);
    const std::set<JobId> chosen = chosen_of(state, all);
    for (const TurnTaker& one : all) {
        if (one.phase == TurnPhase::over && !chosen.contains(one.run->id)) {
            cycle.decide(
                JobSuspended{.job = one.run->id, .attempt = one.run->attempt, .turn = true});
        }
    }
    for (const TurnTaker& one : all) {
        const bool waits = one.phase == TurnPhase::waits || one.phase == TurnPhase::fills;
        const bool goes_on = (waits && chosen.contains(one.run->id)) || is_stuck(cycle, *one.run);
        if (goes_on && may_go_on(state.jobs(), state.index(), *one.run)) {
            cycle.decide(JobSuspended{
                .job = one.run->id, .attempt = one.run->attempt, .in_force = false, .turn = true});
        }
    }
}

std::optional<Time> next_turn(const OpenCycle& cycle) {
    const ClusterState& state = cycle.state();
    std::optional<Time> next;
    const auto no_later_than = [&](Time at) {
        if (at > cycle.now() && at < kNever && (!next || at < *next)) next = at;
    };
    if (const auto limit = cycle.book().ends().next_limit(cycle.now())) no_later_than(*limit);
    for (const JobId id : state.index().awaiting_turn()) {
        const Job& run = *state.find_job(id);
        if (!run.suspension->proved) {
            no_later_than(
                after(run.suspension->changed_at, cycle.scheduling().preemption.hold_timeout));
        }
    }
    if (!state.index().awaiting_turn().empty())
        no_later_than(after(slice_start(cycle), cycle.scheduling().time_slice));
    return next;
}

}  // namespace berth
