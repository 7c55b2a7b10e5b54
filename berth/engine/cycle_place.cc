// The part of a cycle that places: repairing what can no longer be kept, then passes over the jobs
// in order, each of which starts, is promised a start, or moves to an earlier one.
#include <algorithm>

#include "berth/engine/cycle.h"
#include "berth/engine/cycle_gates.h"

namespace berth {
namespace {

constexpr Duration kNoLimit = Duration::max();

// When a run that starts by `latest` is over, with what it may be booked longer for.
Time longest_end(Time latest, Duration length, const SchedulingSpec& scheduling) {
    return after(after(latest, length), promise_slack(scheduling));
}

}  // namespace

// ---- Repair.

// Whether this promise can no longer be kept as it is.
bool CycleRun::is_void(const PendingJob& job, const Booking& promise) const {
    const bool too_late = after(now_, job.shape->length) > promise.end;
    if (promise.start <= now_ && too_late) return true;
    return std::ranges::any_of(promise.amounts, [&](const auto& part) {
        return !outlook_.usable.test(part.first.index());
    });
}

bool CycleRun::collides(const Booking& promise) const {
    return std::ranges::any_of(promise.amounts, [&](const auto& part) {
        const Timeline& timeline = outlook_.book.timeline(part.first);
        return timeline.goes_below_zero(std::max(promise.start, now_), promise.end);
    });
}

void CycleRun::repair() {
    const bool collision = outlook_.book.take_collision();
    std::vector<bool> broken(order_.size());
    std::size_t first = order_.size();
    for (std::size_t i = 0; i < order_.size(); ++i) {
        PendingJob& job = *order_[i];
        const Booking* promise = outlook_.book.promise(job.id);
        broken[i] = std::exchange(job.moved_in_order, false) ||
                    (promise != nullptr && is_void(job, *promise));
        const bool suffers = broken[i] || (collision && promise != nullptr && collides(*promise));
        if (suffers && first == order_.size()) first = i;
    }
    if (first < order_.size()) replan_from(first, broken);
}

// Who is behind the first broken promise makes room for it: all of them are taken out and put back
// in order, unchanged where that is still possible.
void CycleRun::replan_from(std::size_t first, const std::vector<bool>& broken) {
    PlanBook& book = outlook_.book;
    std::vector<std::optional<Booking>> before(order_.size());
    for (std::size_t i = first; i < order_.size(); ++i) {
        if (book.promise(order_[i]->id) != nullptr) before[i] = book.lift(order_[i]->id);
    }
    for (std::size_t i = first; i < order_.size(); ++i) {
        PendingJob& job = *order_[i];
        if (!before[i] && !broken[i]) continue;
        if (!broken[i] && book.has_room_for(*before[i], now_)) {
            book.put(job.id, *std::move(before[i]));
            continue;
        }
        job.checked_at = 0;
        if (before[i]) book.note_releases(*before[i]);
        if (!spend()) continue;
        if (auto found = search(job, now_, after(now_, scheduling().plan_window))) {
            book.put(job.id, booking_for(job, *found));
        }
    }
}

// ---- Passes.

// From the head down. When something is given back on the way, those before are looked at again
// first: it is theirs to take.
void CycleRun::pass() {
    Standing standing;
    std::vector<Passed> passed(order_.size());
    ReleaseNumber seen = outlook_.book.last_release();
    for (std::size_t i = 0; i < order_.size();) {
        PendingJob*& entry = order_[i];
        const bool may_plan = standing.blocked < scheduling().plan_depth;
        if (entry == nullptr || entry->gate.reason != PendingReason::none) {
            ++i;
        } else if (is_settled(passed[i], may_plan)) {
            ++standing.blocked;
            ++i;
        } else {
            const bool waits = attend(*entry, standing);
            if (!result_.complete) return;
            if (waits) passed[i] = passed_by(*entry, may_plan);
            if (!waits) entry = nullptr;
            ++i;
            if (seen == outlook_.book.last_release()) continue;
            seen = outlook_.book.last_release();
            standing = {};
            i = 0;
        }
    }
}

bool CycleRun::is_settled(const Passed& passed, bool may_plan) const {
    return passed.at != 0 && passed.may_plan == may_plan && scheduling().backfill &&
           !outlook_.book.any_release_before(passed.reach, passed.at);
}

CycleRun::Passed CycleRun::passed_by(const PendingJob& job, bool may_plan) const {
    const Booking* promise = outlook_.book.promise(job.id);
    const Time latest = promise != nullptr ? promise->start : may_plan ? kNever : now_;
    const Time end = longest_end(latest, job.shape->length, scheduling());
    return {outlook_.book.last_release(), end, may_plan};
}

// Whether what was given back could be of use to the shape, for a run that is over by `end`: that
// would have to reach into what had been booked.
bool CycleRun::is_useful(const Release& release, const Shape& shape, Time end) const {
    const std::size_t node = release.node.index();
    return release.from < end && outlook_.usable.test(node) &&
           std::ranges::any_of(
               shape.demand.choices, [&](const BitSet& choice) { return choice.test(node); });
}

// From when on what was given back since may let the shape start, by `latest`. A start that was
// not possible before must use one of those nodes.
std::optional<Time> CycleRun::hope_since(const Shape& shape, ReleaseNumber since,
                                         Time latest) const {
    std::optional<Time> hope;
    Window window{now_, latest, shape.length};
    const Time end = longest_end(latest, shape.length, scheduling());
    outlook_.book.each_release(since, [&](const Release& release) {
        if (window.latest < now_ || !is_useful(release, shape, end)) return;
        const auto offer =
            first_offer(shape.demand, window, outlook_.book, release.node, state().spec());
        if (!offer) return;
        hope = offer;
        window.latest = *offer - Duration(1);
    });
    return hope;
}

// From when on the job may start before its promise, if at all. What it is promised may be a part
// of the better start, so it is taken out meanwhile where it lies in the way.
std::optional<Time> CycleRun::hope_for(const PendingJob& job, const Booking& promise) {
    if (promise.start <= now_ && job.checked_time < promise.start) return now_;  // It is due.
    if (job.checked_at == 0) return now_;
    if (job.checked_at == outlook_.book.last_release()) return std::nullopt;
    const Time latest = std::max(promise.start - Duration(1), now_);
    const Time end = longest_end(latest, job.shape->length, scheduling());
    bool useful = false, in_the_way = false;
    outlook_.book.each_release(job.checked_at, [&](const Release& release) {
        if (!is_useful(release, *job.shape, end)) return;
        useful = true;
        in_the_way = in_the_way || std::ranges::any_of(promise.amounts, [&](const auto& part) {
                         return part.first == release.node;
                     });
    });
    if (!useful) return std::nullopt;
    if (!in_the_way) return hope_since(*job.shape, job.checked_at, latest);
    outlook_.book.hide(promise);
    const auto hope = hope_since(*job.shape, job.checked_at, latest);
    outlook_.book.show(promise);
    return hope;
}

// Before this time no job of the shape without a promise need be looked for a place.
Time CycleRun::hope_for(Shape& shape, Time from, Time latest) const {
    if (!scheduling().backfill || shape.bound <= from) return from;
    if (shape.bound_at == outlook_.book.last_release()) return shape.bound;
    const Time until = std::min(latest, shape.bound);
    if (const auto hope = hope_since(shape, shape.bound_at, until)) return std::max(from, *hope);
    shape.bound = std::min(shape.bound, latest + Duration(1));  // Beyond that nobody has looked.
    shape.bound_at = outlook_.book.last_release();
    return shape.bound;
}

bool CycleRun::shares_a_limit(const PendingJob& pending) const {
    const Job& job = *state().find_job(pending.id);
    return job.array_max_running > 0 && (job.spec.array || job.array_task);
}

bool CycleRun::attend(PendingJob& pending, Standing& standing) {
    const JobId id = pending.id;
    const PartitionId partition = pending.partition;
    const auto floor_at = standing.floor.find(partition);
    const Time floor = floor_at == standing.floor.end() ? now_ : floor_at->second;
    const bool may_plan = standing.blocked < scheduling().plan_depth;
    PendingJob* job = &pending;
    if (shares_a_limit(*job)) judge(*job);  // Of those before it some may have started just now.
    while (job->gate.reason == PendingReason::none && try_job(*job, floor, may_plan)) {
        job = outlook_.pending.find(id);
        if (job == nullptr) return false;
        judge(*job);  // The rest of an array.
    }
    if (job->gate.reason != PendingReason::none) return true;
    ++standing.blocked;
    if (scheduling().backfill) return true;
    const Booking* promise = outlook_.book.promise(id);
    const Time next = promise == nullptr ? kNever : promise->start;
    standing.floor[partition] = std::max({floor, next, now_ + Duration(1)});
    return true;
}

bool CycleRun::try_job(PendingJob& job, Time floor, bool may_plan) {
    PlanBook& book = outlook_.book;
    const Booking* known = book.promise(job.id);
    // Without backfill, a promise from before those ahead of it counts for nothing.
    const bool keeps = known != nullptr && (floor == now_ || known->start >= floor);
    Time from = floor;
    if (keeps) {
        const auto hope = hope_for(job, *known);
        if (!hope) {
            job.checked_at = book.last_release();
            return false;
        }
        from = std::max(from, *hope);
    }
    Shape& shape = *job.shape;
    const Time horizon = after(now_, scheduling().plan_window);
    Time latest = may_plan ? horizon : now_;
    known = book.promise(job.id);
    if (known != nullptr) latest = keeps ? std::max(known->start, now_) : horizon;
    if (known == nullptr) from = hope_for(shape, floor, latest);
    if (from > latest) return false;
    if (!spend()) return false;

    std::optional<Booking> before;
    if (known != nullptr) before = book.lift(job.id);
    const std::optional<Found> found = search(job, from, latest);
    job.checked_at = book.last_release();
    job.checked_time = now_;
    if (!before) {
        shape.bound = found ? found->start : latest + Duration(1);
        shape.bound_at = book.last_release();
    }
    if (found && found->start == now_) {
        const JobId started = start(job, found->parts);
        if (before) book.note_releases(*before, started, now_);
        return true;
    }
    const bool better = found && (!before || !keeps || found->start < before->start);
    if (better) {
        book.put(job.id, booking_for(job, *found));
        if (before) book.note_releases(*before);
    } else if (before && keeps) {
        book.put(job.id, *std::move(before));
    } else if (before) {
        book.note_releases(*before);
    }
    return false;
}

// At once it needs its time limit; later also what a promise is booked longer for.
std::optional<Found> CycleRun::search(const PendingJob& job, Time from, Time latest) {
    const Shape& shape = *job.shape;
    if (from <= now_) {
        auto found = find_start(shape.demand, {now_, now_, shape.length}, outlook_.book,
                                outlook_.usable, taste_);
        if (found || latest <= now_) return found;
    }
    const Duration slack = promise_slack(scheduling());
    const Duration length = shape.length > kNoLimit - slack ? kNoLimit : shape.length + slack;
    const Time later = std::max(from, now_ + Duration(1));
    return find_start(shape.demand, {later, latest, length}, outlook_.book, outlook_.usable,
                      taste_);
}

Booking CycleRun::booking_for(const PendingJob& job, const Found& found) const {
    Booking booking;
    booking.start = found.start;
    booking.end = after(found.start, job.shape->length);
    if (found.start > now_) booking.end = after(booking.end, promise_slack(scheduling()));
    for (const Part& part : found.parts) {
        booking.amounts.emplace_back(part.node, part.take.amount);
    }
    return booking;
}

JobId CycleRun::start(const PendingJob& pending, const std::vector<Part>& parts) {
    const Job& job = *state().find_job(pending.id);
    StartJob fact{.job = job.id, .attempt = Attempt(job.attempt.value() + 1)};
    fact.priority = pending.priority;
    fact.allocation = settle(state(), parts, outlook_.topologies);
    if (job.spec.array) {
        fact.array_task = first_ready_task(state(), job, now_);
        BERTH_ASSERT(fact.array_task);
        const bool last = job.spec.array->tasks.size() == 1;
        fact.task_job = last ? job.id : state().next_job_id();
    }
    const JobId started = fact.task_job.value_or(fact.job);
    decide(std::move(fact));
    return started;
}

}  // namespace berth
