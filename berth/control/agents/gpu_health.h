// GPU faults: drains the GPU alone, and ends the jobs that hold it and cannot go on.
#pragma once

#include <string>
#include <vector>

#include "berth/control/turn/turn_builder.h"
#include "berth/model/report.h"

namespace berth {

// The agent with this `instance` reports faults. At each registration it reports all that it has
// seen; those already handled are recognised by their number, even by a new controller.
void take_gpu_faults(TurnBuilder& builder, NodeId node, const std::string& instance,
                     const std::vector<GpuFault>& faults);

// A GPU that is missing at the agent's first look causes no fault report: drains those that `found`
// lacks.
void drain_absent_gpus(TurnBuilder& builder, NodeId node, const NodeSpec& found);

}  // namespace berth
