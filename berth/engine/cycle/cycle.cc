#include "berth/engine/cycle/cycle.h"

#include <algorithm>

#include "berth/engine/cycle/due.h"
#include "berth/engine/cycle/hold_for_heads.h"
#include "berth/engine/cycle/preempted_runs.h"
#include "berth/engine/cycle/priorities.h"
#include "berth/engine/cycle/rotation.h"
#include "berth/engine/cycle/write_reasons.h"

namespace berth {

CycleRun::CycleRun(ClusterState& state, DerivedState& derived, Time now, std::uint32_t budget)
    : cycle_(state, derived, now, budget),
      eligibility_(cycle_),
      bounds_(cycle_),
      finder_(cycle_, bounds_),
      placer_(cycle_, eligibility_, bounds_, finder_),
      passes_(cycle_, bounds_, placer_),
      rounds_(cycle_, bounds_, placer_, passes_) {}

namespace {

constexpr int kEndingRounds = 8;

// Writes what became of each planned start; changes made and undone on the way are not written.
void write_planned_starts(OpenCycle& cycle) {
    Fact written = JobsPlanned{};
    JobsPlanned& fact = std::get<JobsPlanned>(written);
    for (const JobId id : cycle.book().take_changed()) {
        const PlannedStart* known = cycle.state().schedule().planned(id);
        const PlannedReservation* planned_start = cycle.book().planned_start(id);
        if (planned_start == nullptr) {
            if (known != nullptr) fact.jobs.emplace_back(id, std::nullopt);
            continue;
        }
        PlannedStart planned{planned_start->start, planned_start->end, planned_start->amounts,
                             planned_start->rarely->licenses};
        if (known == nullptr || *known != planned) fact.jobs.emplace_back(id, std::move(planned));
    }
    if (fact.jobs.empty()) return;
    cycle.record(std::move(written));
}

// bf_max_job_start and sched_min_interval.
std::optional<Time> pause_after(const OpenCycle& cycle) {
    const PlanningSpec& planning = cycle.scheduling().planning;
    if (cycle.started_most()) return after(cycle.now(), planning.starts_pause);
    const bool pauses = cycle.complete() && planning.cycle_pause > Duration{};
    return pauses ? std::optional(after(cycle.now(), planning.cycle_pause)) : std::nullopt;
}

void note_work(OpenCycle& cycle) {
    CycleWork& work = cycle.work();
    work.ran = true;
    work.planned = static_cast<std::uint32_t>(cycle.state().schedule().planned_starts().size());
    work.end = cycle.started_most() ? CycleWork::End::most_starts
               : cycle.complete()   ? CycleWork::End::of_queue
                                    : CycleWork::End::out_of_budget;
}

}  // namespace

Cycle CycleRun::run() {
    end_preempted(cycle_);
    resume_lenders(cycle_);
    end_overdue(cycle_);
    rotate(cycle_);
    advance_reservations(cycle_);
    find_order();
    PlanRepair(cycle_, finder_).repair();
    hold_for_heads(cycle_);
    look_for_starts();
    plan_rest();
    write_planned_starts(cycle_);
    if (cycle_.complete()) {
        write_reasons(cycle_);
        prioritize_running(cycle_);
    }
    // The job that they stood still for may have started elsewhere.
    if (cycle_.complete() && any_lender_may_go_on(cycle_)) cycle_.leave_rest();
    return end();
}

Cycle CycleRun::run_paused() {
    end_preempted(cycle_);
    resume_lenders(cycle_);
    end_overdue(cycle_);
    rotate(cycle_);
    std::optional<Time> wake_at = cycle_.derived().next_cycle.paused_until();
    if (const auto next = next_turn(cycle_)) wake_at = std::min(*wake_at, *next);
    if (const auto next = next_preemption(cycle_)) wake_at = std::min(*wake_at, *next);
    const std::optional<Time> end = next_end(cycle_.book());
    if (end && *end > cycle_.now() && *end < *wake_at) wake_at = end;
    return cycle_.close(wake_at);
}

// Jobs begin to wait, or wait no more, as minutes are used up, fade and are given anew.
void CycleRun::look_at_budgets() {
    const ClusterState& state = cycle_.state();
    const BitSet leaves =
        cycle_.derived().budgets().refresh(state, priority_time(state.spec(), cycle_.now()));
    if (leaves.empty()) return;
    end_over_budget(cycle_, leaves);
    eligibility_.recheck_below(leaves);
}

// Which jobs are eligible, and their order.
void CycleRun::find_order() {
    DerivedState& derived = cycle_.derived();
    derived.fair_shares.refresh(cycle_.state(), derived.policy, cycle_.view().now());
    look_at_budgets();
    eligibility_.recheck_waiting();
    // A long chain of dependencies goes on in the next cycles.
    for (int round = 0; end_those_that_never_run(cycle_); ++round) {
        if (round == kEndingRounds) {
            cycle_.leave_rest();
            break;
        }
        eligibility_.recheck_waiting();
    }
    rerank(cycle_);
    cycle_.work().queue = static_cast<std::uint32_t>(cycle_.order().size());
}

// With backfill, the jobs that could start at once are tried first.
void CycleRun::look_for_starts() {
    if (!cycle_.scheduling().backfill) return;
    passes_.look_at_head();
    passes_.look_at_due();
    passes_.look_for_quick_starts();
    // Publish these starts before the rest of the plan is made.
    const bool long_rest =
        cycle_.order().size() > DerivedState::kHead && !cycle_.moves_are_limited();
    if (cycle_.starts() > 0 && long_rest) cycle_.leave_rest();
}

void CycleRun::plan_rest() {
    if (cycle_.complete()) reprioritize(cycle_);
    if (cycle_.complete()) rounds_.run();
    if (cycle_.complete()) keep_room();
    // Other jobs may use nodes that are no longer held.
    if (cycle_.complete() && hold_for_heads(cycle_)) cycle_.leave_rest();
}

// A run that has just begun may use more of a limit than it asked for. Runs that stand still for
// one end later, and if another run is late as well, that may be when a planned start has lost its
// room already. Planned starts give way.
void CycleRun::keep_room() {
    const bool lends = cycle_.state().index().any_lenders();
    if (!lends && !cycle_.state().quota().enforced()) return;
    const ReleaseNumber seen = cycle_.book().last_release();
    const std::uint64_t plan = cycle_.book().plan_version();
    PlanRepair(cycle_, finder_).repair();
    const bool moved = lends && plan != cycle_.book().plan_version();
    if (moved || seen != cycle_.book().last_release()) cycle_.leave_rest();
}

// Says when the next cycle is due.
Cycle CycleRun::end() {
    DerivedState& derived = cycle_.derived();
    derived.pending.drop_looked();
    const bool rests =
        cycle_.complete() && !derived.repricing.is_under_way() && !derived.unwritten.any_later();
    const std::optional<Time> wake_at = rests ? next_wake(cycle_) : cycle_.now();
    derived.next_cycle.end_cycle(cycle_.complete(), wake_at, pause_after(cycle_));
    note_work(cycle_);
    return cycle_.close(wake_at);
}

}  // namespace berth
