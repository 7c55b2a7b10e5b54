// EarlierStarts: which planned starts could move earlier, as far as that can be told without
// lifting them out of the plan.
#pragma once

#include "berth/engine/cycle/start_bounds.h"

namespace berth {

class EarlierStarts {
public:
    EarlierStarts(OpenCycle& cycle, StartBounds& bounds) : cycle_(cycle), bounds_(bounds) {}

    // A planned start can move only if something was released elsewhere, or if one of its own nodes
    // has room right before it. One that cannot is marked as seen.
    bool could_move(PendingJob& job, const PlannedReservation& planned_start);

    // Whether one of its nodes has room for the job from `from` until its planned start. True if
    // the start is due: what it then waits for does not show in the timeline.
    bool has_room_from(const PlannedReservation& planned_start, Time from) const;

    // Whether it is certain, with the planned start in place, that a job of this shape has no start
    // in [from, latest]. This is cheaper than lifting the planned start and putting it back. On its
    // own nodes, the job's reservation can serve an earlier run only if there is room right before
    // it, into which the run extends.
    //
    // REQUIRES: the planned start is what the job asks for now.
    bool is_stuck(const Shape& shape, const PlannedReservation& planned_start, Time from,
                  Time latest);

private:
    OpenCycle& cycle_;
    StartBounds& bounds_;
};

}  // namespace berth
