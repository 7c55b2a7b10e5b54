// The part of a cycle that finds which planned starts could move earlier, and the passes used where
// moves are limited (Engine::limit_moves). Then every job that could start at once still starts,
// and every new job gets a planned start; the others move, from the head of the order on, until the
// limit is reached. The next cycle begins at the head again.
#include <algorithm>

#include "berth/engine/cycle/cycle.h"
#include "berth/engine/cycle/plan_quota.h"

namespace berth {

// A planned start can move only if something was released elsewhere, or if one of its own nodes has
// room right before it.
bool CycleRun::could_move(PendingJob& job, const PlannedReservation& planned_start) {
    const Time start = std::max(planned_start.start, now_ + Duration(1));
    if (fresh_hope(*job.shape) < start) return true;
    if (job.disturbed && has_room_from(planned_start, start - Duration(1))) return true;
    job.disturbed = false;
    job.looked_after = book().last_release();
    return false;
}

// Whether one of its nodes has room for the job from `from` until its planned start. True if the
// start is due: what it then waits for does not show in the timeline.
bool CycleRun::has_room_from(const PlannedReservation& planned_start, Time from) {
    if (planned_start.start <= now_) return true;
    return std::ranges::any_of(planned_start.amounts, [&](const auto& part) {
        const Timeline& timeline = book().timeline(part.first, planned_start.reservation);
        return timeline.has_room(from, planned_start.start, part.second);
    });
}

// The time since which this amount is free without a gap until `until`; `until` if it is not.
Time CycleRun::room_since(const Timeline& timeline, const Resources& amount, Time until) {
    Time since = until;
    for (std::size_t i = timeline.step_at(until - Duration(1)) + 1; i-- > 0;) {
        if (!timeline.has_room(i, amount)) break;
        since = timeline.start(i);
    }
    return since;
}

// Whether it is certain, with the planned start in place, that a job of this shape has no start in
// [from, latest]. This is cheaper than lifting the planned start and putting it back. On its own
// nodes, the job's reservation can serve an earlier run only if there is room right before it, into
// which the run extends.
//
// REQUIRES: the planned start is what the job asks for now.
bool CycleRun::is_stuck(const Shape& shape, const PlannedReservation& planned_start, Time from,
                        Time latest) {
    Kind& kind = *shape.kind;
    if (planned_start.start <= now_ || latest >= planned_start.start ||
        derived_.injected != InjectedFault::none) {
        return false;
    }
    if (kind.needs_a_look() || kind.has_affinities || !requirements(kind)->known) return false;
    const auto has_room = [&](Window window, std::uint32_t nodes) {
        return window.earliest <= window.latest &&
               earliest_room(kind.demand, nodes, window, book(), derived_.usable,
                             kind.requirements);
    };
    const std::uint32_t nodes = kind.demand.nodes_min;
    std::uint32_t own = 0, own_now = 0;
    Time own_since = planned_start.start;
    for (const auto& [node, amount] : planned_start.amounts) {
        const Time since = room_since(book().timeline(node), amount, planned_start.start);
        if (since < planned_start.start) ++own;
        if (since <= now_) ++own_now;
        own_since = std::min(own_since, since);
    }
    if (own >= nodes) return false;
    if (from <= now_ && has_room({now_, now_, shape.length}, nodes - own_now)) return false;
    // A start that is not immediate also needs the slack of a planned start.
    const Duration length = booked_length(shape);
    const Time later = std::max(from, now_ + Duration(1));
    const Time with_own = std::max(later, own_since);
    if (own > 0 && has_room({with_own, latest, length}, nodes - own)) return false;
    return !has_room({later, latest, length}, nodes);
}

// ---- Where moves are limited.

// The time until which some of this dimension is free, from now on; now if none is.
Time CycleRun::free_until(const Timeline& timeline, DimensionId dimension) const {
    for (std::size_t i = timeline.step_at(now_); i < timeline.size(); ++i) {
        if (timeline.free(i)[dimension.index()] <= 0) return std::max(timeline.start(i), now_);
    }
    return kNever;
}

// Jobs that could have their planned part of some node from now on.
std::vector<JobId> CycleRun::find_shifts() {
    std::vector<JobId> shifts;
    const bool all_ask_devices = !derived_.pending.any_without_devices();
    for (const NodeId node : book().planned_nodes()) {
        const Timeline& timeline = book().timeline(node);
        const DimensionId key = book().classes().key_dimension(book().classes().class_of(node));
        const Time last = free_until(timeline, all_ask_devices ? key : kCpuDimension);
        if (last <= now_) continue;
        const std::span<const JobId> jobs = book().planned_on(node);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            if (book().starts_on(node)[i] > last) continue;
            const PendingJob* job = derived_.pending.find(jobs[i]);
            if (job == nullptr || !job->ordered) continue;
            // With licenses or several nodes, what the job lacked may have been released elsewhere.
            const Demand& demand = job->shape->demand();
            const bool elsewhere = demand.nodes_min > 1 || !demand.licenses.counts.empty();
            if (!job->disturbed && !elsewhere) continue;
            if (has_room_from(*book().planned_start(jobs[i]), now_)) shifts.push_back(jobs[i]);
        }
    }
    std::ranges::sort(shifts);
    shifts.erase(std::unique(shifts.begin(), shifts.end()), shifts.end());
    return shifts;
}

// One pass over the jobs that could start at once. True: something was released on the way.
bool CycleRun::look_for_starts() {
    note_disturbed();
    const bool any_kind = mark_quick_kinds();
    const std::vector<JobId> shifts = find_shifts();
    if (!any_kind && shifts.empty()) return false;
    PlanQuota quota(state(), now_);
    for (std::size_t i = 0; i < order().entries().size(); ++i) {
        PendingJob* job = order().entries()[i].job;
        if (job == nullptr) continue;
        const bool may_plan = quota.admits(*job);
        const Kind& kind = *job->shape->kind;
        const Duration length = job->shape->length;
        const bool fits = length <= kind.longest_now && length < kind.failed_now;
        if (job->looked && !fits && !std::ranges::binary_search(shifts, job->id)) {
            quota.count(*job);
            continue;
        }
        const std::shared_ptr<Shape> shape = job->shape;
        const std::uint32_t starts = starts_;
        const ReleaseNumber seen = book().last_release();
        if (try_to_schedule(*job, now_, may_plan)) quota.count(*job);
        if (!result_.complete) return false;
        if (seen != book().last_release()) return true;  // The jobs before it go first.
        if (starts_ == starts) {
            shape->kind->failed_now = std::min(shape->kind->failed_now, length);
        } else if (!mark_quick_kinds() && shifts.empty()) {
            return false;
        }
    }
    return false;
}

// Starts in order every job that could start at once on what is free.
void CycleRun::start_whoever_can() {
    DerivedState::Moves& moves = derived_.moves;
    const auto is_seen = [&] {
        return moves.started_at == now_ && moves.started_after == book().last_release();
    };
    if (!book().any_fresh()) return;
    while (result_.complete && !is_seen()) {
        if (look_for_starts()) continue;
        moves.started_at = now_;
        moves.started_after = book().last_release();
    }
}

// Tries the jobs not tried yet, where every pending job gets a planned start.
void CycleRun::look_at_new() {
    std::vector<PendingJob*> jobs;
    for (const JobId id : derived_.unlooked) {
        PendingJob* job = derived_.pending.find(id);
        if (job != nullptr && job->ordered && !job->looked) jobs.push_back(job);
    }
    std::ranges::sort(jobs, {}, [](const PendingJob* job) -> const OrderKey& { return job->key; });
    std::vector<JobId> ids;  // They may leave on the way.
    ids.reserve(jobs.size());
    for (const PendingJob* job : jobs) ids.push_back(job->id);
    for (const JobId id : ids) {
        PendingJob* job = derived_.pending.find(id);
        if (job != nullptr && job->ordered) try_to_schedule(*job, now_, true);
        if (!result_.complete) return;
    }
}

// What moved jobs release may let others start at once.
void CycleRun::run_limited_rounds() {
    while (result_.complete) {
        const bool more = run_round();
        const ReleaseNumber seen = book().last_release();
        start_whoever_can();
        if (!more && seen == book().last_release()) return;
    }
}

}  // namespace berth
