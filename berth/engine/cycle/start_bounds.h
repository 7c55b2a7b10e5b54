// StartBounds: lower bounds of the starts of jobs, kept for all jobs of one shape. They show most
// jobs not to be worth a search.
#pragma once

#include "berth/engine/cycle/open_cycle.h"

namespace berth {

class StartBounds {
public:
    explicit StartBounds(OpenCycle& cycle) : cycle_(cycle) {}

    // What the kind takes of each class of nodes, up to date.
    const ClassRequirements& requirements(Kind& kind);

    // The earliest time at which what was released may help a job of this shape. If that is not
    // before `before`, a lower bound will do, which is not before it either.
    Time fresh_hope(Shape& shape, Time before = kNever);

    // No job of this shape without a planned start can start before the returned time.
    Time earliest_unplanned(Shape& shape) {
        return shape.bound_at == cycle_.book().last_release() ? shape.bound : tightened(shape);
    }

    // A lower bound of the start of a job without a planned start, given everything booked now.
    Time earliest_from(Time from, const Shape& shape);

private:
    Time tightened(Shape& shape);

    OpenCycle& cycle_;
};

}  // namespace berth
