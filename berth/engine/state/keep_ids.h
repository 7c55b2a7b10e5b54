// keep_ids: gives a changed configuration the ids of the one before it, so that what the journal
// and the state say about node 3 or dimension 2 stays true.
#pragma once

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// Gives the later configuration the ids of the earlier one: nodes, dimensions, partitions and QOS
// that existed keep their index, new ones are appended. Removed ones stay, marked as gone: a node
// in no partition, a partition without nodes. The operation is idempotent.
//
// The number of dimensions is limited: call can_keep_ids() before recording a configuration.
Status can_keep_ids(const ClusterSpec& before, const ClusterSpec& after);
ClusterSpec keep_ids(const ClusterSpec& before, ClusterSpec after);

}  // namespace berth
