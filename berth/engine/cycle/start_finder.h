// StartFinder: the earliest start of one job, given everything that is booked now.
#pragma once

#include <optional>

#include "berth/engine/cycle/start_bounds.h"
#include "berth/engine/plan/found_start.h"

namespace berth {

class StartFinder {
public:
    StartFinder(OpenCycle& cycle, StartBounds& bounds) : cycle_(cycle), bounds_(bounds) {}

    // The earliest start within [from, latest] on the nodes that are open to the job.
    std::optional<Found> find(const PendingJob& job, Time from, Time latest);

    // The same on these nodes: first, for an immediate start, on those that the job prefers.
    std::optional<Found> find_among(const BitSet& nodes, const PendingJob& job, Time from,
                                    Time latest);

    // An immediate start of a run of this length.
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
    std::optional<Found> search_on(const BitSet& usable, const Shape& shape, Wishes wishes,
                                   Time from, Time latest);
    std::optional<Found> search_on(const BitSet& usable, const Demand& demand, const Shape& shape,
                                   Wishes wishes, Time from, Time latest);
    std::optional<Found> search_now(const BitSet& usable, const Demand& demand, const Shape& shape,
                                    Wishes wishes);
    BitSet open_to(const PendingJob& job) const;  // Usable, and not held for other jobs.

    OpenCycle& cycle_;
    StartBounds& bounds_;
};

}  // namespace berth
