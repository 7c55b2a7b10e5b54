// ComponentPlacer: places heterogeneous jobs. The first component searches for a time at which all
// components fit. They start together or are planned together, or neither.
#pragma once

#include "berth/engine/cycle/het_components.h"
#include "berth/engine/cycle/start_finder.h"

namespace berth {

class ComponentPlacer {
public:
    ComponentPlacer(OpenCycle& cycle, StartFinder& finder) : cycle_(cycle), finder_(finder) {}

    // Whether nothing was released anywhere since the components were tried.
    bool are_settled(const PendingJob& first, bool may_plan) const;

    // Starts the components if they can start now; otherwise plans their earliest start if that is
    // before their current planned start. True: started.
    bool try_all(PendingJob& first, Time floor, bool may_plan);

    // The components' turn when the plan is repaired: keeps their planned start if it still fits,
    // else plans a new one.
    void replan(PendingJob& first, const std::vector<PlannedReservation>& before, bool broken);

private:
    using Starts = std::optional<std::vector<Found>>;  // By offset.

    Duration length_now(const PendingJob& one) const;
    std::optional<Duration> limit_now(const PendingJob& one) const;
    Starts search_within_reservations(const Together& all);
    Starts search_together(const Together& all, Time from, Time latest);
    Starts search_planned(const Together& all, const std::vector<PlannedReservation>& planned_for);
    std::optional<Time> put_together(const Together& all, Time from, Time latest,
                                     std::vector<Found>& found);
    bool may_start_together(const Together& all, const std::vector<Found>& found);
    void plan_together(const Together& all, const std::vector<Found>& found);

    OpenCycle& cycle_;
    StartFinder& finder_;
};

}  // namespace berth
