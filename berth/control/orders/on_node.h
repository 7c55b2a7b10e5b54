// What the state says of an attempt, or of a step, on one node.
#pragma once

#include "berth/control/orders/reconcile.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

// The attempt is the job's current one, and still holds something on the node.
bool holds(const ClusterState& state, NodeId node, AttemptId attempt);

// The step has not ended, and not on this node either.
bool runs_on(const Step& step, NodeId node);

const Step* find_step(const Job& job, StepId id);  // nullptr: not known (any more).

// It is neither pending nor running: no order of its attempts can still start anything.
bool is_over(const ClusterState& state, JobId job);

// No job below it has anything that could still start: older tombstones protect from nothing.
JobId oldest_live_job(const ClusterState& state);

}  // namespace berth
