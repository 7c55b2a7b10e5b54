#include "berth/engine/cycle/due.h"

#include <algorithm>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/het_components.h"
#include "berth/engine/cycle/job_terms.h"
#include "berth/engine/cycle/preempted_runs.h"
#include "berth/engine/cycle/rotation.h"
#include "berth/engine/state/turns.h"

namespace berth {

namespace {

// Where moves are limited: interval to the next moves, if nothing happens meanwhile.
constexpr Duration kMovesPause = std::chrono::minutes(1);

// The next start or end of a reservation.
std::optional<Time> next_reservation(const OpenCycle& cycle) {
    std::optional<Time> next;
    for (const auto& [name, reservation] : cycle.state().reservations()) {
        const Time at = reservation.start > cycle.now() ? reservation.start : reservation.end;
        if (at > cycle.now() && (!next || at < *next)) next = at;
    }
    return next;
}

bool is_killed_for(const OpenCycle& cycle, JobId id) {
    const JobCommand& command = cycle.state().find_job(id)->spec.command;
    return command.kill_on_invalid_dep.value_or(cycle.scheduling().kill_invalid_depend);
}

// With all components of its heterogeneous job, which start together or not at all.
void cancel_dependent(OpenCycle& cycle, JobId id) {
    const Job& job = *cycle.state().find_job(id);
    if (job.state != JobState::pending) return;
    const HetComponent het = job.het ? *job.het : HetComponent{.first = id, .offset = 0, .size = 1};
    for (std::uint32_t i = 0; i < het.size; ++i) {
        const Job* const one = cycle.state().find_job(het.id(i));
        if (one == nullptr || one->state != JobState::pending) continue;
        JobCancelled fact{.job = one->id};
        fact.reason = slurm_name(PendingReason::dependency_never_satisfied);
        cycle.decide(std::move(fact));
    }
}

}  // namespace

void end_overdue(OpenCycle& cycle) {
    std::vector<JobId> overdue =
        cycle.book().extend_overdue(cycle.now(), kill_within(cycle.scheduling()));
    // The plan has these until their cores are given back, or for longer as they share them.
    std::vector<JobId> earlier = lenders_past_deadline(cycle);
    const std::vector<JobId> over_limit = cycle.book().ends().over_limit(cycle.now());
    earlier.insert(earlier.end(), over_limit.begin(), over_limit.end());
    for (const JobId id : earlier) {
        if (std::ranges::find(overdue, id) == overdue.end()) overdue.push_back(id);
    }
    for (const JobId id : overdue) {
        const Job& job = *cycle.state().find_job(id);
        for (const NodeShare& share : job.allocation->shares) {
            if (cycle.state().nodes().free(share.node).drained != 0)
                cycle.book().settle_drained(cycle.state(), share.node);
        }
        if (job.state != JobState::running) continue;
        // One that lends its cores is only expected to end: it stands still longer than it was. So
        // is one that takes turns.
        const bool shares =
            job.lends_cores() || takes_turns(cycle.state().jobs(), cycle.state().index(), job);
        if (shares && limit_end(cycle.state().spec(), job) > cycle.now()) continue;
        const bool missed = job.spec.deadline && *job.spec.deadline <= cycle.now();
        EndJob fact{.job = id, .outcome = missed ? JobState::deadline : JobState::timeout};
        fact.reason = missed ? "DeadLine" : "TimeLimit";
        if (job.het) end_components(cycle, job, fact);
        cycle.decide(std::move(fact));
    }
}

void end_over_budget(OpenCycle& cycle, const BitSet& leaves) {
    const ClusterState& state = cycle.state();
    std::vector<std::pair<JobId, PendingReason>> over;
    for (const JobId id : state.index().holding()) {
        const Job& run = *state.find_job(id);
        const std::optional<std::size_t> leaf = state.usage_of(run);
        if (run.state != JobState::running || !leaf || !leaves.test(*leaf)) continue;
        const PendingReason reason = cycle.derived().budgets().reason_to_end(state, run);
        if (reason != PendingReason::none) over.emplace_back(id, reason);
    }
    for (const auto& [id, reason] : over) {
        const Job& run = *state.find_job(id);
        if (run.state != JobState::running) continue;  // It ended with another component.
        EndJob fact{.job = id, .outcome = JobState::timeout};
        fact.reason = slurm_name(reason);
        if (run.het) end_components(cycle, run, fact);
        cycle.decide(std::move(fact));
    }
}

// Such jobs are on the watch list.
bool end_those_that_never_run(OpenCycle& cycle) {
    std::vector<std::pair<JobId, PendingReason>> found;
    for (const JobId id : cycle.derived().pending.watch_list()) {
        const PendingJob* pending = cycle.derived().pending.find(id);
        if (pending == nullptr) continue;
        const PendingReason reason = pending->blocking.reason;
        if (reason == PendingReason::deadline ||
            (reason == PendingReason::dependency_never_satisfied && is_killed_for(cycle, id)))
            found.emplace_back(id, reason);
    }
    std::ranges::sort(found);
    for (const auto& [id, reason] : found) {
        if (reason == PendingReason::deadline) {
            cycle.decide(DeadlineMissed{id});
        } else {
            cancel_dependent(cycle, id);
        }
    }
    return !found.empty();
}

void advance_reservations(OpenCycle& cycle) {
    std::vector<Fact> facts;
    for (const auto& [name, reservation] : cycle.state().reservations()) {
        if (reservation.end > cycle.now()) continue;
        if (reservation.repeat != Repeat::never) {
            Reservation next = reservation;
            const Duration length = next.end - next.start;
            while (next.end <= cycle.now()) {
                next.start = next_start(next, next.start);
                next.end = next.start + length;
            }
            facts.push_back(ReservationSet{std::move(next)});
        } else if (!cycle.book().is_used(name)) {
            facts.push_back(ReservationDeleted{name});
        }
    }
    for (Fact& fact : facts) cycle.decide(std::move(fact));
}

std::optional<Time> next_wake(const OpenCycle& cycle) {
    DerivedState& derived = cycle.derived();
    PlanBook& book = cycle.book();
    const Time now = cycle.now();
    std::optional<Time> wake = next_end(book);
    const auto no_later_than = [&](Time at) {
        if (at > now && (!wake || at < *wake)) wake = at;
    };
    for (const JobId id : derived.pending.watch_list()) {
        const PendingJob* pending = derived.pending.find(id);
        if (pending == nullptr) continue;
        if (const Maybe<Time>& until = pending->blocking.more->until) no_later_than(*until);
        if (!pending->watched) continue;
        if (const auto last = last_moment(*cycle.state().find_job(id))) {
            no_later_than(*last + Duration(1));
        }
    }
    if (const Duration age = cycle.scheduling().planning.min_age; age > Duration{}) {
        for (const auto& [id, pending] : derived.pending.all()) {  // When they reach min_age.
            const std::optional<Time>& eligible = cycle.state().find_job(id)->eligible_at;
            if (eligible && !pending.looked_ahead) no_later_than(after(*eligible, age));
        }
    }
    const bool any_jobs =
        !cycle.state().index().holding().empty() || !derived.pending.all().empty();
    if (derived.budgets().any() && any_jobs) {
        const Time period = priority_time(cycle.state().spec(), now);
        no_later_than(after(period, cycle.scheduling().priority_period));
    }
    if (const auto next = next_reservation(cycle)) no_later_than(*next);
    if (const auto next = next_preemption(cycle)) no_later_than(*next);
    if (const auto next = next_turn(cycle)) no_later_than(*next);
    if (cycle.left_unmoved()) no_later_than(after(now, kMovesPause));
    if (derived.holds.next) no_later_than(*derived.holds.next);
    if (const auto start = book.next_start(now)) no_later_than(*start);
    for (const JobId id : book.overdue_planned_starts(now)) {  // When its slack is used up.
        const PendingJob* job = derived.pending.find(id);
        if (job == nullptr) continue;
        const Duration held =
            held_length(cycle.scheduling(), job->shape->demand(), job->shape->length);
        no_later_than(book.planned_start(id)->end - held + Duration(1));
    }
    return wake;
}

}  // namespace berth
