#include "berth/model/partition_cpus.h"

#include <algorithm>
#include <vector>

namespace berth {
namespace {

// More CPUs than any node has, and still few enough to be multiplied by a number of nodes.
constexpr std::int64_t kMoreThanAll = 1 << 20;

struct CpusOfNode {
    DimensionId dimension;
    std::int64_t most = kMoreThanAll;
};

// Of every partition that has or had a limit.
std::vector<CpusOfNode> all_limits(const ClusterSpec& spec) {
    std::vector<CpusOfNode> limits;
    for (std::uint32_t d = kMemoryDimension.value() + 1; d < spec.dimensions.size(); ++d) {
        const Dimension& one = spec.dimensions.at(DimensionId(d));
        if (!one.is_hidden()) continue;
        limits.push_back({.dimension = DimensionId(d)});
        const auto partition = std::ranges::find(spec.partitions, one.type, &PartitionSpec::name);
        if (partition == spec.partitions.end() || partition->gone) continue;
        if (partition->max_cpus_per_node) limits.back().most = *partition->max_cpus_per_node;
    }
    return limits;
}

void count_on(ClusterSpec& spec, NodeId node, const std::vector<CpusOfNode>& limits) {
    const bool differs = std::ranges::any_of(limits, [&](const CpusOfNode& one) {
        return spec.node(node).capacity[one.dimension] != one.most;
    });
    if (!differs) return;  // It stays shared with other copies of the specification.
    NodeSpec& edited = spec.nodes.edit(node.index());
    for (const CpusOfNode& one : limits) edited.capacity[one.dimension] = one.most;
}

}  // namespace

std::optional<DimensionId> partition_cpus(const ClusterSpec& spec, const PartitionSpec& partition) {
    if (!partition.max_cpus_per_node) return std::nullopt;
    return spec.dimensions.find(Dimension::kPartitionCpus, partition.name);
}

// One that is gone has none: nothing is in it.
PartitionCpuLimits partition_cpu_limits(const ClusterSpec& spec) {
    PartitionCpuLimits limits;
    limits.reserve(spec.partitions.size());
    for (const PartitionSpec& partition : spec.partitions)
        limits.push_back(partition.gone ? std::nullopt : partition.max_cpus_per_node);
    while (!limits.empty() && !limits.back()) limits.pop_back();  // A new one without a limit.
    return limits;
}

bool count_partition_cpus(ClusterSpec& spec) {
    bool all = true;
    for (const PartitionSpec& partition : spec.partitions) {
        if (partition.gone || !partition.max_cpus_per_node) continue;
        all = spec.dimensions.intern(Dimension::kPartitionCpus, partition.name).has_value() && all;
    }
    const std::vector<CpusOfNode> limits = all_limits(spec);
    if (limits.empty()) return all;
    for (std::size_t i = 0; i < spec.nodes.size(); ++i)
        count_on(spec, NodeId::from_index(i), limits);
    return all;
}

void count_partition_cpus(ClusterSpec& spec, NodeId node) {
    const std::vector<CpusOfNode> limits = all_limits(spec);
    if (!limits.empty()) count_on(spec, node, limits);
}

}  // namespace berth
