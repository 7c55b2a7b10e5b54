// The components of a heterogeneous job. They are eligible, planned and started together, or none
// of them is; they also end together.
#pragma once

#include "berth/engine/cycle/open_cycle.h"

namespace berth {

using Together = std::vector<PendingJob*>;  // By offset.

// All components; none if one of them is not pending: some of an earlier attempt may not have
// ended.
Together components_of(const OpenCycle& cycle, const PendingJob& first);

// The other components wait for the first, which is eligible only when all of them are.
void check_component(OpenCycle& cycle, PendingJob& pending, const Job& job);

// Removes the components' planned starts. Returns them in order; fewer than all if some component
// had none.
std::vector<PlannedReservation> lift_together(PlanBook& book, const Together& all);

// Puts back all of them, or none.
bool put_back_together(PlanBook& book, const Together& all,
                       const std::vector<PlannedReservation>& before, Time now);

// When one component ends, all end.
void end_components(OpenCycle& cycle, const Job& ended, const EndJob& fact);

}  // namespace berth
