#include "berth/engine/cycle/cycle.h"

#include <algorithm>

#include "berth/engine/cycle/blocking_reasons.h"

namespace berth {

// Where moves are limited: interval to the next moves, if nothing happens meanwhile.
constexpr Duration kMovesPause = std::chrono::minutes(1);

Duration planned_start_slack(const SchedulingSpec& scheduling) { return scheduling.kill_wait * 2; }

CycleRun::CycleRun(ClusterState& state, DerivedState& derived, Time now, std::uint32_t budget)
    : state_(state),
      derived_(derived),
      now_(now),
      budget_(budget),
      view_(state, derived, now),
      preference_{derived.policy, view_, JobId(0), &derived.domains, &state, &derived.topologies} {
    DerivedState::Moves& moves = derived_.moves;
    if (moves.at == now) return;  // All cycles of one moment share one quota.
    moves.at = now;
    moves.left = derived_.moves_max;
}

void CycleRun::decide(Fact fact) {
    state_.apply(now_, fact);
    derived_.note(state_, now_, fact);
    result_.decisions.push_back(std::move(fact));
}

bool CycleRun::spend() {
    const std::uint32_t most = scheduling().planning.starts_max;
    if (budget_ == 0 || (most > 0 && starts_ >= most)) {
        result_.complete = false;
        return false;
    }
    --budget_;
    ++result_.work.tries;
    return true;
}

Cycle CycleRun::run() {
    end_overdue();
    advance_reservations();
    derived_.fair_shares.refresh(state(), derived_.policy, view_.now());
    recheck_waiting();
    end_missed_deadlines();
    rerank();
    result_.work.queue = static_cast<std::uint32_t>(order().size());
    repair();
    hold_for_heads();
    if (scheduling().backfill) {
        look_at_head();
        look_at_due();
        look_for_quick_starts();
        // Publish these starts before the rest of the plan is made.
        const bool long_rest = order().size() > DerivedState::kHead && !moves_are_limited();
        if (starts_ > 0 && long_rest) result_.complete = false;
    }
    if (result_.complete) reprioritize();
    if (result_.complete) run_rounds();
    // Other jobs may use nodes that are no longer held.
    if (result_.complete && hold_for_heads()) result_.complete = false;
    write_planned_starts();
    if (result_.complete) {
        write_reasons();
        prioritize_running();
    }
    std::erase_if(derived_.unlooked, [&](JobId id) {
        const PendingJob* job = derived_.pending.find(id);
        return job == nullptr || !job->ordered || job->looked;
    });
    derived_.changed = !result_.complete;
    derived_.submitted_at.reset();
    const bool rests = result_.complete && !derived_.repricing && derived_.unwritten_later.empty();
    result_.wake_at = derived_.wake_at = rests ? next_wake() : now_;
    pause();
    note_work();
    return std::move(result_);
}

void CycleRun::note_work() {
    CycleWork& work = result_.work;
    const std::uint32_t most = scheduling().planning.starts_max;
    work.ran = true;
    work.starts = starts_;
    work.planned = static_cast<std::uint32_t>(state().plan().size());
    work.end = most > 0 && starts_ >= most ? CycleWork::End::most_starts
               : result_.complete          ? CycleWork::End::of_queue
                                           : CycleWork::End::out_of_budget;
}

// bf_max_job_start and sched_min_interval.
void CycleRun::pause() {
    const PlanningSpec& planning = scheduling().planning;
    derived_.paused_until.reset();
    if (planning.starts_max > 0 && starts_ >= planning.starts_max) {
        derived_.paused_until = after(now_, planning.starts_pause);
    } else if (result_.complete && planning.cycle_pause > Duration{}) {
        derived_.paused_until = after(now_, planning.cycle_pause);
    }
}

Cycle CycleRun::run_paused() {
    end_overdue();
    result_.wake_at = derived_.paused_until;
    const std::optional<Time> end = book().next_end();
    if (end && *end > now_ && *end < *result_.wake_at) result_.wake_at = end;
    return std::move(result_);
}

void CycleRun::end_overdue() {
    const Duration longer = std::max<Duration>(scheduling().kill_wait, std::chrono::seconds(1));
    for (const JobId id : book().extend_overdue(now_, longer)) {
        const Job& job = *state().find_job(id);
        for (const NodeShare& share : job.allocation->shares) {
            if (state().free(share.node).drained != 0) book().settle_drained(state(), share.node);
        }
        if (job.state != JobState::running) continue;
        const bool missed = job.spec.deadline && *job.spec.deadline <= now_;
        EndJob fact{.job = id, .outcome = missed ? JobState::deadline : JobState::timeout};
        fact.reason = missed ? "DeadLine" : "TimeLimit";
        if (job.het) end_components(job, fact);
        decide(std::move(fact));
    }
}

// Writes what became of each planned start; changes made and undone on the way are not written.
void CycleRun::write_planned_starts() {
    Fact written = JobsPlanned{};
    JobsPlanned& fact = std::get<JobsPlanned>(written);
    for (const JobId id : book().take_changed()) {
        const PlannedStart* known = state().planned(id);
        const PlannedReservation* planned_start = book().planned_start(id);
        if (planned_start == nullptr) {
            if (known != nullptr) fact.jobs.emplace_back(id, std::nullopt);
            continue;
        }
        PlannedStart planned{planned_start->start, planned_start->end, planned_start->amounts,
                             planned_start->licenses};
        if (known == nullptr || *known != planned) fact.jobs.emplace_back(id, std::move(planned));
    }
    if (fact.jobs.empty()) return;
    state_.apply(now_, written);  // The derived state has it already.
    result_.decisions.push_back(std::move(written));
}

// Slurm's CALCULATE_RUNNING: for display only, no decision reads it.
void CycleRun::prioritize_running() {
    if (!scheduling().prioritize_running) return;
    for (const JobId id : state().holding_jobs()) {
        const Job& job = *state().find_job(id);
        if (job.state != JobState::running) continue;
        const std::int64_t priority = derived_.policy.priority(job, view_);
        if (state().priority(id) != priority) state_.set_priority(id, priority);
    }
}

std::optional<Time> CycleRun::next_wake() {
    std::optional<Time> wake = book().next_end();
    const auto no_later_than = [&](Time at) {
        if (at > now_ && (!wake || at < *wake)) wake = at;
    };
    for (const JobId id : derived_.pending.watch_list()) {
        const PendingJob* pending = derived_.pending.find(id);
        if (pending == nullptr) continue;
        if (pending->blocking.until) no_later_than(*pending->blocking.until);
        if (!pending->watched) continue;
        if (const auto last = last_moment(*state().find_job(id))) {
            no_later_than(*last + Duration(1));
        }
    }
    if (const Duration age = scheduling().planning.min_age; age > Duration{}) {
        for (const auto& [id, pending] : derived_.pending.all()) {  // When they reach min_age.
            const std::optional<Time>& eligible = state().find_job(id)->eligible_at;
            if (eligible && !pending.looked_ahead) no_later_than(after(*eligible, age));
        }
    }
    if (const auto next = next_reservation()) no_later_than(*next);
    if (left_unmoved_) no_later_than(after(now_, kMovesPause));
    if (derived_.holds.next) no_later_than(*derived_.holds.next);
    if (const auto start = book().next_start(now_)) no_later_than(*start);
    for (const JobId id : book().overdue_planned_starts(now_)) {  // When its slack is used up.
        const PendingJob* job = derived_.pending.find(id);
        if (job != nullptr)
            no_later_than(book().planned_start(id)->end - job->shape->length + Duration(1));
    }
    return wake;
}

}  // namespace berth
