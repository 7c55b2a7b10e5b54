// StartPasses: the passes over the order that look for immediate starts, before the rest of the
// plan is made: the head of the order, planned starts that are due, and jobs that could start on
// what was released.
#pragma once

#include "berth/engine/cycle/job_placer.h"

namespace berth {

class StartPasses {
public:
    StartPasses(OpenCycle& cycle, StartBounds& bounds, JobPlacer& placer)
        : cycle_(cycle), bounds_(bounds), placer_(placer), earlier_(cycle, bounds) {}

    void look_at_head();
    void look_at_due();  // The jobs whose planned start is due.
    // Tries, in order, every job that is new or could start at once on what was released.
    void look_for_quick_starts();
    // Starts in order every job that could start at once on what is free. Where moves are limited.
    void start_whoever_can();

private:
    bool mark_quick_kinds();
    bool look_for_starts();
    std::vector<JobId> find_shifts() const;

    OpenCycle& cycle_;
    StartBounds& bounds_;
    JobPlacer& placer_;
    EarlierStarts earlier_;
};

}  // namespace berth
