// Which jobs wait in another order since partitions have other tiers.
//
// A planned start never moves later for a job that comes behind it in the order. Where an
// administrator changes the order itself, planned starts made in the old order are dropped, and all
// are made anew.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "berth/engine/state/cluster_state.h"

namespace berth {

using PartitionTiers = std::map<std::string, std::int64_t, std::less<>>;  // By name.
PartitionTiers tiers_of(const ClusterSpec& spec);

// The pending jobs of each partition that has another tier than `before`, and of those that share
// nodes with such a partition; in id order. A job for which runs stand still keeps its start.
std::vector<JobId> jobs_in_other_order(const ClusterState& state, const PartitionTiers& before);

}  // namespace berth
