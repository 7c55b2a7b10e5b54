// What a start that was found becomes: an entry in the plan's book, or a run.
#pragma once

#include <optional>

#include "berth/engine/cycle/open_cycle.h"
#include "berth/engine/plan/found_start.h"

namespace berth {

PlannedReservation planned_reservation_for(const OpenCycle& cycle, const PendingJob& job,
                                           const Found& found);

// The fact that starts the job; of an array, its first task that is ready.
StartJob start_of(const OpenCycle& cycle, const PendingJob& pending, const Found& found,
                  std::optional<Duration> time_limit = std::nullopt);

// Starts the job as the fact says. Returns the job that runs: of an array, the task.
JobId start(OpenCycle& cycle, const PendingJob& pending, StartJob fact);
JobId start(OpenCycle& cycle, const PendingJob& pending, const Found& found,
            std::optional<Duration> time_limit = std::nullopt);

}  // namespace berth
