// The part of a cycle that places one job: starts it, plans its start, or moves the planned start
// earlier.
#include <algorithm>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/cycle.h"
#include "berth/engine/placement/affinity.h"

namespace berth {

ClassRequirements* CycleRun::requirements(Kind& kind) {
    if (kind.requirements.generation != book().generation()) {
        kind.requirements = requirements_of(kind.demand, state().spec(), book());
    }
    return &kind.requirements;
}

// The earliest time at which what was released may help a job of this shape.
Time CycleRun::fresh_hope(Shape& shape) {
    if (shape.kind->needs_a_look()) return now_;  // Free slots do not tell.
    if (shape.hope_at != book().fresh_version()) {
        const Window window{now_, kNever, shape.length};
        const auto offer = fresh_offer(shape.demand(), window, book(), derived_.usable,
                                       state().spec(), requirements(*shape.kind));
        shape.hope = offer.value_or(kNever);
        shape.hope_at = book().fresh_version();
    }
    return std::max(shape.hope, now_);
}

// No job of this shape without a planned start can start before the returned time.
Time CycleRun::earliest_unplanned(Shape& shape) {
    if (shape.bound_at == book().last_release()) return shape.bound;
    Time hope = fresh_hope(shape);
    // One fresh node does not help a job of several nodes.
    if (hope < shape.bound && shape.demand().nodes_min > 1) {
        hope = std::max(hope, earliest_from(now_, shape));
    }
    shape.bound = std::min(shape.bound, hope);
    shape.bound_at = book().last_release();
    return shape.bound;
}

// A lower bound of the start of a job without a planned start, given everything booked now.
Time CycleRun::earliest_from(Time from, const Shape& shape) {
    Kind& kind = *shape.kind;
    if (kind.needs_a_look() || kind.has_affinities || !requirements(kind)->known) return from;
    const Window window{from, kNever, shape.length};
    return earliest_room(kind.demand, kind.demand.nodes_min, window, book(), derived_.usable,
                         *requirements(kind))
        .value_or(kNever);
}

bool CycleRun::try_to_schedule(PendingJob& pending, Time floor, bool may_plan) {
    const JobId id = pending.id;
    PendingJob* job = &pending;
    ++result_.work.depth;
    if (job->watched || state().quota().enforced()) check_eligibility(*job);
    while (job->blocking.reason == PendingReason::none && try_job(*job, floor, may_plan)) {
        ++starts_;
        job = derived_.pending.find(id);
        if (job == nullptr) return false;
        check_eligibility(*job);  // The rest of an array.
    }
    return true;
}

bool CycleRun::try_job(PendingJob& job, Time floor, bool may_plan) {
    if (job.component) return try_components(job, floor, may_plan);
    const PlannedReservation* known = book().planned_start(job.id);
    // Without backfill, a start planned before those of the jobs ahead does not count.
    if (known != nullptr && is_injected(InjectedFault::breaks_planned_starts)) {
        return break_planned_start(job, *known);
    }
    if (job.takes_less && floor <= now_ && start_with_less(job)) return true;
    known = book().planned_start(job.id);
    const bool keeps = known != nullptr && (floor == now_ || known->start >= floor);
    const Time horizon = last_start(job);
    Shape& shape = *job.shape;
    Time from = floor;
    Time latest = may_plan && !shape.kind->depends_on_running ? horizon : now_;
    if (known != nullptr) latest = keeps ? std::max(known->start - Duration(1), now_) : horizon;
    const bool is_due = known != nullptr && known->start <= now_ && job.looked_at < known->start;
    if (keeps && job.looked && !job.disturbed && !is_due) {
        from = std::max(from, fresh_hope(shape));
    } else if (known == nullptr && scheduling().backfill) {
        from = std::max(from, earliest_unplanned(shape));
    }
    const bool may_be_stuck = keeps && job.looked && !is_due;
    const bool moves = may_be_stuck && moves_are_limited();
    const bool only_now = moves && derived_.moves.left == 0;
    if (only_now) latest = std::min(latest, now_);
    left_unmoved_ = left_unmoved_ || only_now;
    job.disturbed = only_now;
    job.looked = true;
    job.looked_ahead = job.looked_ahead || latest > now_;
    if (from > latest) return false;
    if (!spend()) {
        job.looked = false;
        return false;
    }
    if (moves && !only_now) --derived_.moves.left;
    job.looked_at = now_;
    job.looked_after = book().last_release();
    const auto note_failure = [&] {
        if (!derived_.holds.empty() || shape.hope_at != book().fresh_version()) return;
        // Nor could any other job of the shape.
        shape.hope = std::max(shape.hope, latest + Duration(1));
    };
    if (may_be_stuck && is_stuck(shape, *known, from, latest)) {
        note_failure();
        return false;
    }
    std::optional<PlannedReservation> before;
    if (known != nullptr) before = book().lift(job.id);
    const std::optional<Found> found = search(job, from, latest);
    if (before && !found) note_failure();
    if (!before) {
        shape.bound = found            ? found->start
                      : latest <= now_ ? earliest_from(now_ + Duration(1), shape)
                                       : latest + Duration(1);
        shape.bound_at = book().last_release();
    }
    return take_start(job, found, std::move(before), keeps);
}

bool CycleRun::take_start(PendingJob& job, const std::optional<Found>& found,
                          std::optional<PlannedReservation> before, bool keeps) {
    if (found && found->start == now_) {
        // The reservation's, if the job has no time limit of its own.
        const Duration limit = job.shape->length;
        const bool less = job.takes_less && limit < state().find_job(job.id)->time_limit;
        const JobId started = start(job, *found, less ? std::optional(limit) : std::nullopt);
        if (before) book().note_releases(*before, started, now_);
        return true;
    }
    const bool better = found && (!before || !keeps || found->start < before->start);
    if (better) {
        book().put(job.id, planned_reservation_for(job, *found));
        if (before) book().note_releases(*before);
    } else if (before && keeps) {
        book().put(job.id, *std::move(before));
    } else if (before) {
        book().note_releases(*before);
    }
    return false;
}

// Searches the nodes that the job prefers for an immediate start, then those that it may use.
std::optional<Found> CycleRun::search(const PendingJob& job, Time from, Time latest) {
    preference_.job = job.id;
    if (!derived_.holds.empty()) return search_among(open_to(job), job, from, latest);
    return search_among(derived_.usable, job, from, latest);
}

std::optional<Found> CycleRun::search_among(const BitSet& nodes, const PendingJob& job, Time from,
                                            Time latest) {
    if (!job.shape->kind->has_affinities) {
        return search_on(nodes, *job.shape, {}, from, latest);
    }
    const Job& record = *state().find_job(job.id);
    for (const bool preferred : {true, false}) {
        if (preferred && (from > now_ || !has_preferences(record))) continue;
        const BitSet wished = nodes_as_wished(state(), record, nodes, preferred);
        auto found =
            search_on(wished, *job.shape, {&record, preferred}, from, preferred ? now_ : latest);
        if (found || !preferred) return found;
    }
    return std::nullopt;
}

// With --switches, searches within that many switches first, and anywhere once the job has waited
// long enough.
std::optional<Found> CycleRun::search_on(const BitSet& usable, const Shape& shape, Wishes wishes,
                                         Time from, Time latest) {
    const Kind& kind = *shape.kind;
    if (!kind.relaxed) return search_on(usable, kind.demand, shape, wishes, from, latest);
    if (from < kind.relaxed_from) {
        const Time near_until = std::min(latest, kind.relaxed_from - Duration(1));
        auto found = search_on(usable, kind.demand, shape, wishes, from, near_until);
        if (found || latest < kind.relaxed_from) return found;
    }
    return search_on(usable, *kind.relaxed, shape, wishes, std::max(from, kind.relaxed_from),
                     latest);
}

// An immediate start needs the time limit; a later one also the slack of a planned start.
std::optional<Found> CycleRun::search_on(const BitSet& usable, const Demand& demand,
                                         const Shape& shape, Wishes wishes, Time from,
                                         Time latest) {
    if (is_injected(InjectedFault::forgets_planned_starts)) {
        if (auto found = start_beside_no_plan(demand)) return found;
    }
    if (from <= now_ && latest >= now_) {
        auto found = search_now(usable, demand, shape, wishes);
        if (found || latest <= now_) return found;
    }
    const ClassRequirements* known = requirements(*shape.kind);
    const Duration length = booked_length(shape);
    const Time later = std::max(from, now_ + Duration(1));
    auto found = find_start(demand, {later, latest, length}, book(), usable, preference_, known);
    if (found && is_injected(InjectedFault::overlooks_a_free_slot)) {
        const Time second = found->start + Duration(1);
        return find_start(demand, {second, latest, length}, book(), usable, preference_, known);
    }
    return found;
}

// Shares and links cannot be told from amounts: these demands are searched GPU by GPU.
std::optional<Found> CycleRun::search_now(const BitSet& usable, const Demand& demand,
                                          const Shape& shape, Wishes wishes) {
    const SharedLook look{state(), book(), now_, shape.length, wishes.of, wishes.preferred};
    if (demand.share || demand.linked > 0) {
        std::optional<Found> found =
            demand.share ? find_shared_now(demand, look, usable, preference_)
                         : find_linked_now(demand, look, usable, preference_, derived_.topologies);
        if (found && !take_licenses(demand, shape.length, *found)) return std::nullopt;
        return found;
    }
    return find_start(demand, {now_, now_, shape.length}, book(), usable, preference_,
                      requirements(*shape.kind));
}

PlannedReservation CycleRun::planned_reservation_for(const PendingJob& job,
                                                     const Found& found) const {
    PlannedReservation planned_reservation;
    planned_reservation.start = found.start;
    planned_reservation.end = after(found.start, job.shape->length);
    if (found.start > now_)
        planned_reservation.end = after(planned_reservation.end, slack_of(*job.shape));
    planned_reservation.licenses = found.licenses;
    planned_reservation.reservation = job.shape->demand().reservation;
    if (is_injected(InjectedFault::books_too_short)) {
        planned_reservation.end =
            planned_reservation.start + (planned_reservation.end - planned_reservation.start) / 2;
    }
    NodeAmounts amounts;
    amounts.reserve(found.parts.size());
    for (const Part& part : found.parts) amounts.emplace_back(part.node, part.take.amount);
    planned_reservation.amounts = amounts;
    return planned_reservation;
}

StartJob CycleRun::start_of(const PendingJob& pending, const Found& found,
                            std::optional<Duration> time_limit) const {
    const Job& job = *state().find_job(pending.id);
    StartJob fact{.job = job.id, .attempt = Attempt(job.attempt.value() + 1)};
    fact.priority = pending.priority();
    fact.allocation = settle(state(), found.parts, derived_.topologies);
    fact.allocation.licenses = found.licenses;
    fact.time_limit = time_limit;
    if (is_injected(InjectedFault::tears_cliques)) tear_cliques(fact.allocation);
    if (is_injected(InjectedFault::gives_twice)) give_twice(fact.allocation);
    if (job.spec.array) {
        fact.array_task = first_ready_task(state(), job, now_);
        BERTH_ASSERT(fact.array_task);
        const bool last = job.spec.array->tasks.size() == 1;
        fact.task_job = last ? job.id : state().next_job_id();
    }
    return fact;
}

JobId CycleRun::start(const PendingJob& pending, const Found& found,
                      std::optional<Duration> time_limit) {
    if (!order().is_first(pending)) ++result_.work.passed;
    StartJob fact = start_of(pending, found, time_limit);
    const JobId started = fact.task_job.value_or(fact.job);
    const std::vector<NodeShare> shares = fact.allocation.shares;
    decide(std::move(fact));
    for (const NodeShare& share : shares) {  // Other jobs may now have something beside this one.
        if (share.device_share || derived_.pending.any_depends_on_running()) {
            book().note_release(share.node);
        }
    }
    return started;
}

}  // namespace berth
