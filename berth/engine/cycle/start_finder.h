// StartFinder: the earliest start of one job, given everything that is booked now.
#pragma once

#include <optional>

#include "berth/engine/cycle/limit_times.h"
#include "berth/engine/cycle/start_bounds.h"
#include "berth/engine/plan/found_start.h"

namespace berth {

class StartFinder {
public:
    StartFinder(OpenCycle& cycle, StartBounds& bounds) : cycle_(cycle), bounds_(bounds) {}

    // The earliest start within [from, latest] on the nodes that are open to the job, when limits
    // have room for it.
    std::optional<Found> find(const PendingJob& job, Time from, Time latest);
    // Whether limits bounded the last find(): without them, it might have found an earlier start.
    bool was_limited() const { return was_limited_; }

    // When limits have room for the job, beside its planned start if it has one. nullopt: not in
    // [from, latest].
    std::optional<Time> first_within_limits(const PendingJob& job, Time from, Time latest) const;

    // On these nodes, whatever limits there are: first, for an immediate start, on those that the
    // job prefers.
    std::optional<Found> find_among(const BitSet& nodes, const PendingJob& job, Time from,
                                    Time latest);

    // An immediate start of a run of this length. Within limits, as find().
    std::optional<Found> find_now(const PendingJob& job, Duration length);

    // The longest run that could start now, in minutes: at least `least`, at most the job's limit
    // and up to its deadline. Sets `length` to its length.
    std::optional<Found> find_longest_now(const PendingJob& job, Duration least, Duration& length);

    // Whether the licenses that it asks for are free now for as long as it runs.
    bool has_licenses_now(const PendingJob& job) const;

private:
    struct Wishes {
        const Job* of = nullptr;  // nullptr: no wishes.
        bool preferred = false;
    };
    // The job with the length of this shape.
    std::optional<Found> find_among(const BitSet& nodes, const PendingJob& job, const Shape& shape,
                                    Time from, Time latest);
    std::optional<Found> search_on(const BitSet& usable, const Shape& shape, Wishes wishes,
                                   Time from, Time latest);
    std::optional<Found> search_on(const BitSet& usable, const Demand& demand, const Shape& shape,
                                   Wishes wishes, Time from, Time latest);
    std::optional<Found> search_now(const BitSet& usable, const Demand& demand, const Shape& shape,
                                    Wishes wishes);
    std::optional<Found> find_open(const PendingJob& job, Time from, Time latest);
    LimitTimes limit_times_of(const PendingJob& job) const;
    bool allowed_now(const PendingJob& job, Duration length) const;  // By limits.
    BitSet open_to(const PendingJob& job) const;  // Usable, and not held for other jobs.

    OpenCycle& cycle_;
    StartBounds& bounds_;
    bool was_limited_ = false;
};

}  // namespace berth
