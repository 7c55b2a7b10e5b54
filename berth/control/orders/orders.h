// Orders as the state implies them: every field of a launch is read from the recorded decision, so
// that the same order can be made again after any crash.
#pragma once

#include "berth/engine/state/cluster_state.h"
#include "berth/model/order.h"

namespace berth {

// This node's part of a running job. REQUIRES: the job is running and holds something on the node.
// The payload is left empty: whoever sends the order reads it from the store.
LaunchAttempt launch_attempt(const ClusterState& state, const Job& job, NodeId node);

// What the orders of all nodes of a step have in common. `asked` is what the client sent.
LaunchStep step_launch(const ClusterState& state, const Job& job, const Step& step,
                       const StepRequest& request, LaunchStep asked);

// The order for one of its nodes. REQUIRES: the step still has a share there.
LaunchStep launch_step(const LaunchStep& common, const Step& step, NodeId node);

}  // namespace berth
