// The part of a cycle that knows the terms of a job: its deadline, the least time that it accepts,
// and how much slack its planned start has.
#include <algorithm>

#include "berth/engine/cycle/cycle.h"
#include "berth/engine/limits/reservation_access.h"

namespace berth {

// A reservation ends on time: its jobs may be late only by its grace period.
Duration CycleRun::slack_of(const Shape& shape) const {
    return shape.demand().reservation.empty() ? planned_start_slack(scheduling())
                                              : kReservationGrace;
}

Duration CycleRun::booked_length(const Shape& shape) const {
    const Duration slack = slack_of(shape);
    return shape.length > Duration::max() - slack ? Duration::max() : shape.length + slack;
}

// The latest start to plan.
Time CycleRun::last_start(const PendingJob& pending) const {
    const Time horizon = after(now_, scheduling().plan_window);
    if (!pending.watched) return horizon;  // It has no deadline, so its record need not be read.
    const std::optional<Time>& deadline = state().find_job(pending.id)->spec.deadline;
    if (!deadline) return horizon;
    if (pending.shape->length >= *deadline - Time{}) return now_ - Duration(1);
    return std::min(horizon, *deadline - pending.shape->length);
}

// The least time with which the job may start now. In a reservation that bounds the job, that is
// all the time the reservation has left: the job does not take a shorter gap.
std::optional<Duration> CycleRun::least_time_now(const Job& job) const {
    if (job.spec.time_min) return job.spec.time_min;
    const Reservation* const reservation = bounding_reservation(state(), job);
    constexpr Duration kMinute = std::chrono::minutes(1);
    if (reservation == nullptr || now_ < reservation->start) return std::nullopt;
    const Duration left = (reservation->end - now_) / kMinute * kMinute;
    return left < kMinute ? std::nullopt : std::optional(left);
}

// --time-min: if the whole limit does not fit now, starts the job with the longest time that does,
// in minutes. True: it started.
bool CycleRun::start_with_less(PendingJob& pending) {
    const Job& job = *state().find_job(pending.id);
    const std::optional<Duration> least = least_time_now(job);
    if (!least || *least >= pending.shape->length) return false;
    const bool news = pending.disturbed || pending.looked_after != book().last_release();
    if ((pending.looked && !news) || !spend()) return false;
    std::optional<PlannedReservation> before;
    if (book().planned_start(pending.id) != nullptr) before = book().lift(pending.id);
    Duration length = *least;
    const auto find_reserved = [&] {
        return search_now(open_to(pending), pending.shape->demand(), {pending.shape->kind, length},
                          {});
    };
    const std::optional<Found> found =
        job.spec.time_min ? longest_now(pending, *least, length) : find_reserved();
    if (!found) {
        if (before) book().put(pending.id, *std::move(before));
        return false;
    }
    const bool less = length < job.time_limit;
    const JobId started = start(pending, *found, less ? std::optional(length) : std::nullopt);
    if (before) book().note_releases(*before, started, now_);
    return true;
}

std::optional<Found> CycleRun::longest_now(const PendingJob& pending, Duration least,
                                           Duration& length) {
    const Shape& shape = *pending.shape;
    const ClassRequirements* known = requirements(*shape.kind);
    const BitSet open = open_to(pending);
    const auto find = [&](Duration some) {
        return find_start(shape.demand(), {now_, now_, some}, book(), open, preference_, known);
    };
    Duration high = shape.length;
    const std::optional<Time>& deadline = state().find_job(pending.id)->spec.deadline;
    if (deadline) high = std::min(high, *deadline - now_);
    if (high < least) return std::nullopt;
    length = high;
    std::optional<Found> best = find(high);
    if (best) return best;
    best = find(length = least);
    if (!best) return std::nullopt;
    constexpr Duration kMinute = std::chrono::minutes(1);
    high = std::min<Duration>(high, std::chrono::hours(24 * 366));
    while (high - length > kMinute) {  // `length` fits, `high` does not.
        const Duration middle =
            length + std::max<Duration>(kMinute, (high - length) / kMinute / 2 * kMinute);
        if (auto found = find(middle)) {
            best = std::move(found);
            length = middle;
        } else {
            high = middle;
        }
    }
    return best;
}

// For an immediate start that was found without regard to licenses. False: not enough are free.
bool CycleRun::take_licenses(const Demand& demand, Duration length, Found& found) {
    if (demand.licenses.counts.empty()) return true;
    for (const std::vector<LicenseCount>& choice : choices_of(demand.licenses)) {
        if (!book().licenses().first_free(choice, now_, now_, length)) continue;
        found.licenses = choice;
        return true;
    }
    return false;
}

// Jobs that a deadline blocks are on the watch list.
void CycleRun::end_missed_deadlines() {
    std::vector<JobId> missed;
    for (const JobId id : derived_.pending.watch_list()) {
        const PendingJob* pending = derived_.pending.find(id);
        if (pending != nullptr && pending->blocking.reason == PendingReason::deadline) {
            missed.push_back(id);
        }
    }
    std::ranges::sort(missed);
    for (const JobId id : missed) decide(DeadlineMissed{id});
}

// A reservation whose time is over is deleted, or moves to its next occurrence.
void CycleRun::advance_reservations() {
    std::vector<Fact> facts;
    for (const auto& [name, reservation] : state().reservations()) {
        if (reservation.end > now_) continue;
        if (reservation.repeat != Repeat::never) {
            Reservation next = reservation;
            const Duration length = next.end - next.start;
            while (next.end <= now_) {
                next.start = next_start(next, next.start);
                next.end = next.start + length;
            }
            facts.push_back(ReservationSet{std::move(next)});
        } else if (!derived_.book.is_used(name)) {
            facts.push_back(ReservationDeleted{name});
        }
    }
    for (Fact& fact : facts) decide(std::move(fact));
}

// The next start or end of a reservation.
std::optional<Time> CycleRun::next_reservation() const {
    std::optional<Time> next;
    for (const auto& [name, reservation] : state().reservations()) {
        const Time at = reservation.start > now_ ? reservation.start : reservation.end;
        if (at > now_ && (!next || at < *next)) next = at;
    }
    return next;
}

}  // namespace berth
