// Whether the nodes that may take work could run what a job asks for, if they were empty.
#pragma once

#include "berth/engine/cycle/open_cycle.h"

namespace berth {

// Finds it for this kind, unless it is known.
void find_feasibility(const OpenCycle& cycle, Kind& kind);

// Why the components of a heterogeneous job do not fit all together; each alone may. Kept in the
// kind of the first.
BlockingReason feasibility_of_all(const OpenCycle& cycle, const std::vector<PendingJob*>& all);

}  // namespace berth
