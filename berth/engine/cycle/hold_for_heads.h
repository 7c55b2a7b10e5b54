// Holds nodes for the first job of a partition if it has no known start. Otherwise a stream of
// small jobs could pass it forever where running jobs have no time limit.
#pragma once

#include "berth/engine/cycle/open_cycle.h"

namespace berth {

// Returns true if other nodes are held than before.
bool hold_for_heads(OpenCycle& cycle);

}  // namespace berth
