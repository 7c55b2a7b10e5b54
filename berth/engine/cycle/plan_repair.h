// PlanRepair: replaces planned starts that can no longer be kept, and replans the jobs behind them.
#pragma once

#include "berth/engine/cycle/component_placer.h"
#include "berth/engine/cycle/start_finder.h"

namespace berth {

class PlanRepair {
public:
    PlanRepair(OpenCycle& cycle, StartFinder& finder)
        : cycle_(cycle), finder_(finder), components_(cycle, finder) {}

    // Does nothing unless something happened that may break a planned start.
    void repair();

private:
    bool has_lost_place(const PendingJob& job, const PlannedReservation& planned_start) const;
    bool is_void(const PendingJob& job, const PlannedReservation& planned_start) const;
    bool other_is_void(const PendingJob& first) const;
    void replan_from(std::size_t first, const std::vector<bool>& broken);

    OpenCycle& cycle_;
    StartFinder& finder_;
    ComponentPlacer components_;
};

}  // namespace berth
