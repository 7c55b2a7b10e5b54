#include "berth/engine/cycle/job_placer.h"

#include <algorithm>

#include "berth/engine/cycle/job_starts.h"
#include "berth/engine/cycle/job_terms.h"
#include "berth/engine/plan/trial.h"
#include "berth/engine/state/lent_cores.h"

namespace berth {

bool JobPlacer::is_settled(PendingJob& job, bool may_plan) {
    if (!job.looked || may_displace(job)) return false;
    if (job.names_several() && !others_.are_settled(job, {.may_plan = may_plan})) return false;
    if (job.is_component()) return components_.are_settled(job, may_plan);
    const bool news = job.disturbed || job.looked_after != cycle_.book().last_release();
    // What it has planned needs less than it takes: the rest of its nodes does not tell.
    if (news && cycle_.state().index().any_lenders() && has_lenders(cycle_.state(), job.id))
        return false;
    if (job.takes_less && news && cycle_.book().any_fresh()) return false;
    if (job.limited) return is_settled_by_limits(job, may_plan);
    Shape& shape = *job.shape;
    if (const PlannedReservation* planned_start = cycle_.book().planned_start(job.id)) {
        if (planned_start->start <= cycle_.now() && job.looked_at < planned_start->start)
            return false;
        if (!news) return true;
        if (cycle_.may_move()) return !earlier_.could_move(job, *planned_start);
        cycle_.leave_unmoved();
        return true;
    }
    if (job.disturbed || (may_plan && !job.looked_ahead)) return false;
    const Time latest =
        may_plan ? after(cycle_.now(), cycle_.scheduling().plan_window) : cycle_.now();
    return bounds_.earliest_unplanned(shape) > latest;
}

// What keeps others of its shape from a start need not be what keeps this one: it is tried again
// once something was released, if limits now have room for it before its planned start.
bool JobPlacer::is_settled_by_limits(PendingJob& job, bool may_plan) {
    const Time now = cycle_.now();
    const PlannedReservation* const planned_start = cycle_.book().planned_start(job.id);
    if (planned_start != nullptr) {
        if (planned_start->start <= now && job.looked_at < planned_start->start) return false;
    } else if (may_plan && !job.looked_ahead) {
        return false;
    }
    if (!job.disturbed && job.looked_after == cycle_.book().last_release()) return true;
    if (planned_start != nullptr && !cycle_.may_move()) {
        cycle_.leave_unmoved();
        return true;
    }
    const Time latest = planned_start != nullptr ? std::max(planned_start->start - Duration(1), now)
                        : may_plan               ? last_start(cycle_.state(), job, now)
                                                 : now;
    if (finder_.first_within_limits(job, now, latest)) return false;
    job.disturbed = false;
    job.looked_after = cycle_.book().last_release();
    return true;
}

bool JobPlacer::try_to_schedule(PendingJob& pending, Time floor, bool may_plan) {
    const JobId id = pending.id;
    PendingJob* job = &pending;
    ++cycle_.work().depth;
    // Limits were checked when the cycle began: they are again once a run has begun or ended.
    const bool has_news =
        cycle_.state().quota().concerned_by_news() != QuotaTree::Concerned::nobody;
    if ((job->watched || has_news) && !check_again(*job)) return true;
    const bool elsewhere = job->names_several() && cycle_.scheduling().backfill;
    for (;;) {
        while (job->is_open() && try_job(*job, floor, may_plan)) {
            job = next_of_array(id);
            if (job == nullptr || !cycle_.complete()) return job != nullptr;
        }
        // A start elsewhere ends nobody, but it must be now to be better.
        const bool is_next = job->blocking.reason == PendingReason::none && floor <= cycle_.now();
        const bool started =
            elsewhere && may_displace(*job) && move_elsewhere(*job, {.only_now = true});
        if (!started && is_next && cycle_.complete() && turns_.start(*job)) {
            job = next_of_array(id);
            if (job == nullptr || !cycle_.complete()) return job != nullptr;
            continue;
        }
        while (!started && job->needs_only_room() && floor <= cycle_.now() && cycle_.complete() &&
               preemptor_.preempt_for(*job)) {
            eligibility_.check(*job);
        }
        if (!started && (!elsewhere || !move_elsewhere(*job, {.may_plan = may_plan}))) return true;
        job = next_of_array(id);
        if (job == nullptr || !cycle_.complete()) return job != nullptr;
    }
}

// False: the job has left its partition or flavor, and the next cycle finds its place in the order
// first.
bool JobPlacer::check_again(PendingJob& job) {
    const WaitingPlace stood = place_of(job);
    eligibility_.check(job);
    if (place_of(job) == stood) return true;
    cycle_.leave_rest();
    return false;
}

PendingJob* JobPlacer::next_of_array(JobId id) {
    cycle_.note_start();
    PendingJob* const job = cycle_.derived().pending.find(id);
    if (job != nullptr) (void)check_again(*job);
    return job;
}

void JobPlacer::try_in_lower_tiers(PendingJob& job) {
    const JobId id = job.id;
    const WaitingPlace stood = place_of(job);
    while (move_elsewhere(job, {.which = Which::lower})) {
        PendingJob* rest = next_of_array(id);
        while (rest != nullptr && rest->is_open() && cycle_.complete() &&
               try_job(*rest, cycle_.now(), false))
            rest = next_of_array(id);
        if (rest == nullptr) return;
        return_to(*rest, stood);
    }
}

// What is left of an array keeps its place in the higher tier.
void JobPlacer::return_to(PendingJob& rest, const WaitingPlace& stood) {
    if (place_of(rest) == stood) return;
    move_to(cycle_, rest.id, stood.partition, stood.flavor);
    (void)check_again(rest);
}

WaitingPlace JobPlacer::place_of(const PendingJob& job) const {
    if (!job.names_several()) return {job.partition, {}};
    return {job.partition, cycle_.state().find_job(job.id)->spec.flavor};
}

bool JobPlacer::start_elsewhere(PendingJob& job, Which which, const std::vector<Time>& floors) {
    const JobId id = job.id;
    const WaitingPlace stood = place_of(job);
    if (!move_elsewhere(job, {.which = which, .floors = &floors})) return false;
    PendingJob* const rest = next_of_array(id);
    if (rest != nullptr && which == Which::lower) return_to(*rest, stood);
    return true;
}

// No job of the shape finds a start until then.
static void note_failure(const OpenCycle& cycle, Shape& shape, Time latest) {
    if (!cycle.derived().holds.empty() || shape.hope_at != cycle.book().fresh_version()) return;
    shape.hope = std::max(shape.hope, latest + Duration(1));
}

// Moves the job to where it starts earlier than where it stands, and starts it or plans its start.
bool JobPlacer::move_elsewhere(PendingJob& job, const OtherPartitions::Look& look) {
    PlanBook& book = cycle_.book();
    const JobId id = job.id;
    if (!job.is_open() || !cycle_.complete()) return false;
    if (others_.are_settled(job, look)) return false;
    std::optional<PlannedReservation> before;
    if (book.planned_start(id) != nullptr) before = book.lift(id);
    const std::optional<Time> planned = before ? std::optional(before->start) : std::nullopt;
    const auto better = others_.search(job, planned, look);
    if (!better) {
        if (before) book.put(id, *std::move(before));
        return false;
    }
    move_to(cycle_, id, better->partition, better->flavor);
    PendingJob& moved = *cycle_.derived().pending.find(id);
    eligibility_.check(moved);
    moved.looked = moved.looked_ahead = true;
    moved.looked_at = cycle_.now();
    moved.looked_after = book.last_release();
    moved.limited = better->limited;
    moved.disturbed = false;
    return take_start(moved, better->found, std::move(before), false);
}

bool JobPlacer::try_job(PendingJob& job, Time floor, bool may_plan) {
    if (job.is_component()) return components_.try_all(job, floor, may_plan);
    PlanBook& book = cycle_.book();
    const Time now = cycle_.now();
    if (job.takes_less && floor <= now && start_with_less(job)) return true;
    const bool on_loan = has_lenders(cycle_.state(), job.id);
    if (on_loan && floor <= now) return start_on_loan(job);
    const PlannedReservation* const known = book.planned_start(job.id);
    // Without backfill, a start planned before those of the jobs ahead does not count.
    const bool keeps = known != nullptr && (floor == now || known->start >= floor);
    const Time horizon = last_start(cycle_.state(), job, now);
    Shape& shape = *job.shape;
    Time from = floor;
    Time latest = may_plan && !shape.kind->depends_on_running ? horizon : now;
    if (known != nullptr) latest = keeps ? std::max(known->start - Duration(1), now) : horizon;
    const bool is_due = known != nullptr && known->start <= now && job.looked_at < known->start;
    if (keeps && job.looked && !job.disturbed && !is_due && !job.limited) {
        from = std::max(from, bounds_.fresh_hope(shape));
    } else if (known == nullptr && cycle_.scheduling().backfill) {
        from = std::max(from, bounds_.earliest_unplanned(shape));
    }
    const bool may_be_stuck = keeps && job.looked && !is_due;
    const bool moves = may_be_stuck && cycle_.moves_are_limited();
    const bool only_now = moves && !cycle_.may_move();
    // What it has planned is on cores that are lent to it: another plan would know nothing of them.
    if (only_now || on_loan) latest = std::min(latest, now);
    if (only_now) cycle_.leave_unmoved();
    job.disturbed = only_now;
    job.looked = true;
    job.looked_ahead = job.looked_ahead || latest > now;
    if (job.waits_ahead()) from = std::max(from, now + Duration(1));
    if (from > latest) return false;
    if (!cycle_.spend()) {
        job.looked = false;
        return false;
    }
    if (moves && !only_now) cycle_.derived().moves.spend();
    job.looked_at = now;
    job.looked_after = book.last_release();
    if (may_be_stuck && earlier_.is_stuck(shape, *known, from, latest)) {
        note_failure(cycle_, shape, latest);
        return false;
    }
    std::optional<PlannedReservation> before;
    if (known != nullptr) before = book.lift(job.id);
    const std::optional<Found> found = finder_.find(job, from, latest);
    job.limited = finder_.was_limited();
    if (before && !found && !job.limited) note_failure(cycle_, shape, latest);
    if (!before && !job.limited) {
        shape.bound = found           ? found->start
                      : latest <= now ? bounds_.earliest_from(now + Duration(1), shape)
                                      : latest + Duration(1);
        shape.bound_at = book.last_release();
    }
    return take_start(job, found, std::move(before), keeps);
}

bool JobPlacer::take_start(PendingJob& job, const std::optional<Found>& found,
                           std::optional<PlannedReservation> before, bool keeps) {
    PlanBook& book = cycle_.book();
    if (found && found->start == cycle_.now()) {
        const JobId started = start(cycle_, job, *found, less_than_limit(job));
        if (before) book.note_releases(*before, PlanBook::TakenOver{started, cycle_.now()});
        return true;
    }
    const bool better = found && (!before || !keeps || found->start < before->start);
    if (better) {
        book.put(job.id, planned_reservation_for(cycle_, job, *found));
        if (before) book.note_releases(*before);
    } else if (before && keeps) {
        book.put(job.id, *std::move(before));
    } else if (before) {
        book.note_releases(*before);
    }
    return false;
}

// The reservation's, if the job has no time limit of its own.
std::optional<Duration> JobPlacer::less_than_limit(const PendingJob& pending) const {
    const Duration limit = pending.shape->length;
    const bool less = pending.takes_less && limit < cycle_.state().find_job(pending.id)->time_limit;
    return less ? std::optional(limit) : std::nullopt;
}

// Starts the job on the cores of runs that stand still for it by now, if it cannot start without.
// True: it started.
bool JobPlacer::start_on_loan(PendingJob& pending) {
    PlanBook& book = cycle_.book();
    const Time now = cycle_.now();
    const PlannedReservation* const known = book.planned_start(pending.id);
    const bool is_due = known != nullptr && known->start <= now && pending.looked_at < known->start;
    const bool news = pending.disturbed || pending.looked_after != book.last_release();
    if (pending.waits_ahead() || (pending.looked && !news && !is_due)) return false;
    pending.looked = cycle_.spend();
    if (!pending.looked) return false;
    std::optional<PlannedReservation> before;
    if (known != nullptr) before = book.lift(pending.id);
    std::optional<StartJob> fact;
    if (const auto found = finder_.find(pending, now, now)) {
        fact = start_of(cycle_, pending, *found, less_than_limit(pending));
    } else {
        fact = find_on_loan(pending);
    }
    if (!fact) {
        if (before) book.put(pending.id, *std::move(before));
        pending.disturbed = false;
        pending.looked_at = now;
        pending.looked_after = book.last_release();
        return false;
    }
    const JobId started = start(cycle_, pending, *std::move(fact));
    if (before) book.note_releases(*before, PlanBook::TakenOver{started, now});
    cycle_.leave_rest();  // Others may borrow what is left of these cores.
    return true;
}

std::optional<StartJob> JobPlacer::find_on_loan(const PendingJob& pending) {
    const ClusterState& state = cycle_.state();
    Trial trial(cycle_.mutable_state(), cycle_.book());
    bool any = false;
    for (const JobId id : state.index().victims(pending.id)) {
        const Job& run = *state.find_job(id);
        if (run.state != JobState::running || !stands_still(run)) continue;
        trial.lend(id);
        any = true;
    }
    if (!any) return std::nullopt;
    const auto found = finder_.find(pending, cycle_.now(), cycle_.now());
    if (!found) return std::nullopt;
    return start_of(cycle_, pending, *found, less_than_limit(pending));
}

// --time-min: if the whole limit does not fit now, starts the job with the longest time that does,
// in minutes. True: it started.
bool JobPlacer::start_with_less(PendingJob& pending) {
    PlanBook& book = cycle_.book();
    const Job& job = *cycle_.state().find_job(pending.id);
    const std::optional<Duration> least = least_time_now(cycle_.state(), job, cycle_.now());
    if (!least || *least >= pending.shape->length) return false;
    const bool news = pending.disturbed || pending.looked_after != book.last_release();
    if ((pending.looked && !news) || !cycle_.spend()) return false;
    std::optional<PlannedReservation> before;
    if (book.planned_start(pending.id) != nullptr) before = book.lift(pending.id);
    Duration length = *least;
    const std::optional<Found> found = job.spec.time_min
                                           ? finder_.find_longest_now(pending, *least, length)
                                           : finder_.find_now(pending, length);
    if (!found) {
        if (before) book.put(pending.id, *std::move(before));
        return false;
    }
    const bool less = length < job.time_limit;
    const JobId started =
        start(cycle_, pending, *found, less ? std::optional(length) : std::nullopt);
    if (before) book.note_releases(*before, PlanBook::TakenOver{started, cycle_.now()});
    return true;
}

}  // namespace berth
