// FairShares: where every association stands, worked out once for each period of priorities.
#pragma once

#include <optional>
#include <vector>

#include "berth/engine/state/cluster_state.h"
#include "berth/policy/policy.h"

namespace berth {

class FairShares {
public:
    // Does nothing where no rule asks, or where it is known for this time and these associations.
    void refresh(const ClusterState& state, const Policy& policy, Time at);

    // Of a record of usage, by its number.
    AssociationStanding of(std::optional<std::size_t> usage) const;

private:
    std::optional<Time> at_;
    ShareTree tree_;
    std::vector<std::size_t> nodes_;  // Of the tree, by number of the record.
    std::vector<AssociationStanding> by_usage_;
};

// The tree of these shares, with what has been used by that time.
ShareTree share_tree_of(const ClusterSpec& spec, const std::vector<UsageRecord>& usage, Time at);

}  // namespace berth
