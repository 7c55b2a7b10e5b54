// MaxCPUsPerNode of a partition: how many CPUs of one node its jobs may hold together. It is
// counted as a resource that every node has so much of, so that placement, the plan and every check
// of them know of it. Nobody can ask for it, and no command shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/model/cluster_spec.h"

namespace berth {

// What counts the CPUs of the partition's jobs; nullopt: the partition has no such limit.
std::optional<DimensionId> partition_cpus(const ClusterSpec& spec, const PartitionSpec& partition);

// Of each partition, by its id; nullopt: none.
using PartitionCpuLimits = std::vector<std::optional<std::uint32_t>>;
PartitionCpuLimits partition_cpu_limits(const ClusterSpec& spec);

// Gives every node, or this one, as much of each such resource as the partitions say. Where a limit
// was taken away there is enough for all CPUs: jobs may still be counted there. False: there would
// be more than kDimensionsMax kinds of resources, and some partition has no such limit.
bool count_partition_cpus(ClusterSpec& spec);
void count_partition_cpus(ClusterSpec& spec, NodeId node);

}  // namespace berth
