// What the state says about an attempt or a step on one node.
#pragma once

#include "berth/control/orders/reconcile.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

// True if the attempt is the job's current one and still holds resources on the node.
bool holds(const ClusterState& state, NodeId node, AttemptId attempt);

// True if the step has ended neither as a whole nor on this node.
bool runs_on(const Step& step, NodeId node);

const Step* find_step(const Job& job, StepId id);  // nullptr: unknown, or already removed.

// True if the job is neither pending nor running: no order of its attempts can start anything any
// more.
bool is_over(const ClusterState& state, JobId job);

// No job with a lower id can start anything any more. Agents may drop the tombstones of such jobs.
JobId oldest_live_job(const ClusterState& state);

}  // namespace berth
