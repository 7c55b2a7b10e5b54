// Task cores: which of a step's cores on one node each of its tasks gets.
#pragma once

#include <vector>

#include "berth/engine/steps/step_spread.h"

namespace berth {

// The cores of each task: a block of its own, or all of the step's cores. Unless the step says
// which, a block if the step has exactly the cores that its tasks need. With tasks per socket, a
// task without a block has the step's cores of one socket.
std::vector<BitSet> cores_of_tasks(const StepAsk& ask, const NodeSpec& node, const BitSet& cores,
                                   std::uint32_t tasks);

}  // namespace berth
