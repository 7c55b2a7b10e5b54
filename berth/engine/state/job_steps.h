// The steps that the state keeps of a run.
#pragma once

#include "berth/model/job.h"

namespace berth {

// Ends the steps that still run on a node that has finished the attempt. `lost`: it was rebooted
// under it, or could not launch it.
void release_steps(Job& job, NodeId node, Time now, bool lost);

}  // namespace berth
