// FairShares: the fair-share standing of every association, computed once per priority period.
#pragma once

#include <optional>
#include <vector>

#include "berth/engine/state/cluster_state.h"
#include "berth/policy/policy.h"

namespace berth {

class FairShares {
public:
    // Does nothing if no rule needs it, or if the result for this time and these associations is
    // known.
    void refresh(const ClusterState& state, const Policy& policy, Time at);

    // The standing of a usage record, by its number.
    AssociationStanding of(std::optional<std::size_t> usage) const;
    // Of all usage, the part of the account and all beneath it. 0: there is no such account.
    Factor usage_of(const std::string& account) const;

private:
    std::optional<Time> at_;
    ShareTree tree_;
    std::vector<std::size_t> nodes_;  // Tree node, by number of the usage record.
    std::vector<AssociationStanding> by_usage_;
};

// The tree of shares of this configuration, with the usage up to this time.
ShareTree share_tree_of(const ClusterSpec& spec, const std::vector<UsageRecord>& usage, Time at);

}  // namespace berth
