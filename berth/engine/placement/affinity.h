// Affinity: which running jobs or nodes a job wants to be near, or to avoid.
#pragma once

#include <optional>

#include "berth/engine/state/cluster_state.h"

namespace berth {

// Whether the job has affinities to running jobs. These change with every job, so it gets no
// planned start and starts when the affinities are met.
bool depends_on_running(const Job& job);
bool has_preferences(const Job& job);

// The nodes of `usable` that meet the job's required affinities; with `preferred`, also its
// preferred ones.
BitSet nodes_as_wished(const ClusterState& state, const Job& job, const BitSet& usable,
                       bool preferred);

// The same for the devices of a node, for a part of a GPU.
DeviceMask devices_as_wished(const ClusterState& state, const Job& job, NodeId node,
                             bool preferred);

}  // namespace berth
