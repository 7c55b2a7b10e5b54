// Affinity: beside which running jobs, or on which nodes, a job wants to be, or does not.
#pragma once

#include <optional>

#include "berth/engine/state/cluster_state.h"

namespace berth {

// Whether the job wishes anything about jobs that run: that changes with each of them, so it is
// promised nothing and starts when it finds what it wants.
bool depends_on_running(const Job& job);
bool has_preferences(const Job& job);

// Those of `usable` where the job may be as its required wishes have it; with `preferred` those
// too.
BitSet nodes_as_wished(const ClusterState& state, const Job& job, const BitSet& usable,
                       bool preferred);

// Likewise of a node's devices, for a part of one.
DeviceMask devices_as_wished(const ClusterState& state, const Job& job, NodeId node,
                             bool preferred);

}  // namespace berth
