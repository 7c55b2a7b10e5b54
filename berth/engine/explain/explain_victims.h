// What preemption would give to a job that may not preempt: the runs in whose place it could start.
#pragma once

#include <optional>
#include <string>

#include "berth/engine/cycle/engine.h"
#include "berth/engine/derived/order.h"

namespace berth {

// "would start now if it might preempt jobs 812, 815, which have run 3.2 GPU-hours": runs with a
// lower priority, those that would lose the least work first, and none of them that it could spare.
// nullopt: it waits for its victims already, or all of them together would not be enough.
std::optional<std::string> advice_to_preempt(Engine& engine, Time now, const PendingJob& pending);

// Whether it would start now if all these runs lent it their cores, and planned starts of jobs
// behind it gave way.
bool fits_if_lent(Engine& engine, Time now, const PendingJob& pending,
                  const std::vector<JobId>& lenders);

}  // namespace berth
