// Why a job waits, as readers see it: priority, resources, its reservation, other reservations,
// licenses.
#pragma once

#include "berth/engine/cycle/open_cycle.h"

namespace berth {

// Writes reasons and priorities where they changed. The first job of a partition that lacks only
// resources waits for resources; those behind it wait by priority.
void write_reasons(OpenCycle& cycle);

}  // namespace berth
