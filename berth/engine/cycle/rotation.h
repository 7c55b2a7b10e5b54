// Runs that take turns on the cores that they share: whose turn is over, and whose has come. Time
// slices begin at multiples of SchedulerTimeSlice, for all runs at once.
#pragma once

#include "berth/engine/cycle/open_cycle.h"

namespace berth {

// With each time slice, runs that wait get their turn, the one that has waited longest first, and
// those that are in their way stand still. A run whose cores nobody uses goes on at once. Nothing
// goes on before all that share cores with it have proved that they are at rest.
void rotate(OpenCycle& cycle);

// When the next turn begins, or a run is to end that the plan has for longer.
std::optional<Time> next_turn(const OpenCycle& cycle);

}  // namespace berth
