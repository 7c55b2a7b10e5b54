// LimitChange: of which jobs an edit may have changed the limits, or what they use of them. No
// other job need be counted anew.
#pragma once

#include <vector>

#include "berth/base/bitmask.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/model/accounting_edits.h"

namespace berth {

struct LimitChange {
    bool all = false;  // The quota tree was made anew, or a QOS has other limits.
    BitSet accounts;   // Of the quota tree, with all that are below them.
    // In order:
    std::vector<QuotaTree::Index> leaves;
    std::vector<PartitionId> partitions;  // Which have other nodes or other terms.

    bool none() const;
    // REQUIRES: the job is in the state.
    bool concerns(const ClusterState& state, const Job& job) const;
};

// `after`: the state with the edits, of whose news no cycle has been told.
LimitChange limit_change_of(const ClusterState& after, const AccountingEdits& edits);

}  // namespace berth
