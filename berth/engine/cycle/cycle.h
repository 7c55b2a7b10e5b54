// CycleRun: one cycle of the scheduler. End jobs over their limit → admit → order → keep or repair
// the plan → start and plan until nothing more fits → record why the others wait.
//
// A planned start only ever moves earlier. It moves later only if one of its nodes can no longer
// take work, a running job exceeded its limit and used up the slack, or an administrator moved a
// job ahead or changed the configuration.
//
// The work of a cycle depends on what happened since the last one. First come the jobs at the head
// of the order, then the jobs that could start at once on released resources; these starts are
// published before the rest of the plan is made. The rest is planned in rounds over the whole
// order, in which each job moves to an earlier start if there is one, until a round finds none.
// When the budget runs out, the next cycle continues where the rounds stopped.
#pragma once

#include "berth/engine/cycle/cycle_result.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/engine/limits/limit_check.h"
#include "berth/engine/plan/linked.h"
#include "berth/engine/plan/plan_search.h"

namespace berth {

class CycleRun {
public:
    CycleRun(ClusterState& state, DerivedState& derived, Time now, std::uint32_t budget);

    Cycle run();
    // Only what does not wait for the end of a pause: limits and deadlines.
    Cycle run_paused();

private:
    const ClusterState& state() const { return state_; }
    const SchedulingSpec& scheduling() const { return state().spec().scheduling; }
    PlanBook& book() { return derived_.book; }
    JobOrder& order() { return derived_.pending.order(); }
    const JobOrder& order() const { return derived_.pending.order(); }
    void decide(Fact fact);
    bool spend();  // Takes one placement attempt. False: none left, or enough started.
    void pause();
    void note_work();

    // cycle.cc
    void end_overdue();
    void write_planned_starts();
    void prioritize_running();
    std::optional<Time> next_wake();

    // cycle_order.cc: which jobs are eligible, and in which order.
    void find_feasibility(Kind& kind) const;
    void check_eligibility(PendingJob& job);
    void settle_jobs();      // Evaluates new and changed jobs.
    void recheck_waiting();  // Evaluates jobs whose blocking reason may have changed.
    void reprioritize();
    bool reprice_some(DerivedState::Repricing& under_way);  // True: all priorities are known.
    void take_new_priorities(DerivedState::Repricing& repricing);
    void recheck_limits();
    void rerank();
    void write_eligible();

    // cycle_repair.cc: planned starts that can no longer be kept.
    bool is_void(const PendingJob& job, const PlannedReservation& planned_start) const;
    bool collides(const PlannedReservation& planned_start) const;
    void repair();
    void replan_from(std::size_t first, const std::vector<bool>& broken);

    // cycle_pass.cc: which jobs to try.
    void look_at_head();
    void look_at_due();
    void look_for_quick_starts();
    bool mark_quick_kinds();
    bool could_start_now(const PendingJob& job) const;
    bool unplanned_may_start();
    bool tail_is_settled(std::size_t planned_starts_seen);
    void run_rounds();
    bool run_round();
    bool end_round();
    void run_in_strict_order();
    bool is_settled(PendingJob& job, bool may_plan);
    bool is_strict() const {
        return order().size() <= DerivedState::kStrict && !moves_are_limited();
    }
    void note_disturbed();

    // cycle_moves.cc: which planned starts could move.
    bool could_move(PendingJob& job, const PlannedReservation& planned_start);
    bool has_room_from(const PlannedReservation& planned_start, Time from);
    static Time room_since(const Timeline& timeline, const Resources& amount, Time until);
    bool is_stuck(const Shape& shape, const PlannedReservation& planned_start, Time from,
                  Time latest);
    bool moves_are_limited() const { return derived_.moves_max > 0; }
    bool may_move() const { return !moves_are_limited() || derived_.moves.left > 0; }
    Time free_until(const Timeline& timeline, DimensionId dimension) const;
    std::vector<JobId> find_shifts();
    bool look_for_starts();
    void start_whoever_can();
    void run_limited_rounds();
    void look_at_new();

    // cycle_place.cc: one job.
    // Returns false when the job is no longer pending.
    bool try_to_schedule(PendingJob& job, Time floor, bool may_plan);
    // Starts the job if it can start now; otherwise plans its earliest start if that is before its
    // current planned start. True: started.
    bool try_job(PendingJob& job, Time floor, bool may_plan);
    bool take_start(PendingJob& job, const std::optional<Found>& found,
                    std::optional<PlannedReservation> before, bool keeps);
    std::optional<Found> search(const PendingJob& job, Time from, Time latest);
    std::optional<Found> search_among(const BitSet& nodes, const PendingJob& job, Time from,
                                      Time latest);
    struct Wishes {
        const Job* of = nullptr;  // nullptr: no wishes.
        bool preferred = false;
    };
    std::optional<Found> search_on(const BitSet& usable, const Shape& shape, Wishes wishes,
                                   Time from, Time latest);
    std::optional<Found> search_on(const BitSet& usable, const Demand& demand, const Shape& shape,
                                   Wishes wishes, Time from, Time latest);
    std::optional<Found> search_now(const BitSet& usable, const Demand& demand, const Shape& shape,
                                    Wishes wishes);
    ClassRequirements* requirements(Kind& kind);
    Time fresh_hope(Shape& shape);
    Time earliest_unplanned(Shape& shape);
    Time earliest_from(Time from, const Shape& shape);
    // Returns the job that runs: of an array, the task.
    JobId start(const PendingJob& job, const Found& found,
                std::optional<Duration> time_limit = std::nullopt);
    PlannedReservation planned_reservation_for(const PendingJob& job, const Found& found) const;

    StartJob start_of(const PendingJob& pending, const Found& found,
                      std::optional<Duration> time_limit) const;

    // cycle_components.cc: heterogeneous jobs. The first component searches for all of them.
    using Together = std::vector<PendingJob*>;  // By offset.
    Together components_of(const PendingJob& first);
    void check_component(PendingJob& pending, const Job& job);
    BlockingReason blocking_reason_of_all(const Together& all) const;
    bool are_settled(const PendingJob& first, bool may_plan);
    bool try_components(PendingJob& first, Time floor, bool may_plan);
    std::optional<std::vector<Found>> search_together(const Together& all, Time from, Time latest);
    std::optional<std::vector<Found>> search_planned(
        const Together& all, const std::vector<PlannedReservation>& planned_for);
    std::optional<Time> put_together(const Together& all, Time from, Time latest,
                                     std::vector<Found>& found);
    bool may_start_together(const Together& all, const std::vector<Found>& found);
    void plan_together(const Together& all, const std::vector<Found>& found);
    std::vector<PlannedReservation> lift_together(const Together& all);
    bool put_back_together(const Together& all, const std::vector<PlannedReservation>& before);
    void replan_components(PendingJob& first, const std::vector<PlannedReservation>& before,
                           bool broken);
    void end_components(const Job& ended, const EndJob& fact);
    bool other_is_void(const PendingJob& first) const;

    // cycle_terms.cc
    Duration slack_of(const Shape& shape) const;
    Duration booked_length(const Shape& shape) const;  // For a start that is not now.
    Time last_start(const PendingJob& pending) const;
    std::optional<Duration> least_time_now(const Job& job) const;
    bool start_with_less(PendingJob& pending);
    std::optional<Found> longest_now(const PendingJob& pending, Duration least, Duration& length);
    void advance_reservations();
    std::optional<Time> next_reservation() const;
    void end_missed_deadlines();
    bool take_licenses(const Demand& demand, Duration length, Found& found);

    // cycle_holds.cc
    bool lacks_a_start(const PendingJob& job) const;
    enum class Prospect : std::uint8_t { none, serves, serves_when_empty };
    Prospect prospect_of(const PendingJob& job, NodeId node) const;
    BitSet nodes_to_hold(const PendingJob& job, const BitSet& taken) const;
    std::optional<HeadHold> hold_for(const PendingJob& job, const BitSet& taken) const;
    bool hold_for_heads();
    BitSet open_to(const PendingJob& job) const;  // Usable, and not held for other jobs.

    // cycle_reasons.cc: why a job waits. special_reason() is set when neither priority nor
    // resources alone keep the job waiting.
    BlockingReason special_reason(const PendingJob& pending) const;
    void write_reason(PendingJob& pending, bool first);
    std::vector<std::optional<JobId>> firsts();
    void write_reasons();

    // cycle_injected.cc: injected faults.
    static void ignore_blocking(BlockingReason& blocking);
    void give_twice(Allocation& allocation) const;
    bool is_injected(InjectedFault bug) const { return derived_.injected == bug; }
    std::optional<Found> start_beside_no_plan(const Demand& demand) const;
    bool break_planned_start(PendingJob& job, const PlannedReservation& known);
    void tear_cliques(Allocation& allocation) const;

    ClusterState& state_;
    DerivedState& derived_;
    Time now_;
    std::uint32_t budget_;
    EngineView view_;
    PlacementPreference preference_;
    Cycle result_;
    std::vector<JobId> eligible_;  // To be recorded as eligible.
    std::uint32_t starts_ = 0;
    bool left_unmoved_ = false;  // Some job could perhaps move, but moves are limited.
};

// How much longer than its time limit a planned start reserves: its start and its end may be late
// by this much before a job behind it is delayed.
Duration planned_start_slack(const SchedulingSpec& scheduling);

}  // namespace berth
