// Orders that the state implies. Every field of a launch is read from the recorded decision, so the
// same order can be built again after a crash.
#pragma once

#include "berth/engine/state/cluster_state.h"
#include "berth/model/order.h"

namespace berth {

// This node's part of a running job, without the payload: the sender reads that from the store.
// REQUIRES: the job is running and holds resources on the node.
LaunchAttempt launch_attempt(const ClusterState& state, const Job& job, NodeId node);

// The part of a step's launch that all its nodes share. `asked`: as sent by the client.
LaunchStep step_launch(const ClusterState& state, const Job& job, const Step& step,
                       const StepRequest& request, LaunchStep asked);

// The order for one node of the step. REQUIRES: the step still has a share there.
LaunchStep launch_step(const LaunchStep& common, const Step& step, NodeId node);

}  // namespace berth
