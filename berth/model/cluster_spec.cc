#include "berth/model/cluster_spec.h"

#include <algorithm>

namespace berth {
namespace {

// The dense id of the item with this name.
template <class Id>
std::optional<Id> find_by_name(const auto& items, std::string_view name) {
    const auto at = std::ranges::find(items, name,
                                      [](const auto& one) -> std::string_view { return one.name; });
    if (at == items.end()) return std::nullopt;
    return Id(static_cast<std::uint32_t>(at - items.begin()));
}

}  // namespace

std::optional<NodeId> ClusterSpec::find_node(std::string_view node_name) const {
    return find_by_name<NodeId>(nodes, node_name);
}

std::optional<PartitionId> ClusterSpec::find_partition(std::string_view partition_name) const {
    const auto id = find_by_name<PartitionId>(partitions, partition_name);
    return id && partition(*id).gone ? std::nullopt : id;
}

std::optional<QosId> ClusterSpec::find_qos(std::string_view qos_name) const {
    const auto id = find_by_name<QosId>(qos, qos_name);
    return id && qos[id->index()].gone ? std::nullopt : id;
}

std::optional<PartitionId> ClusterSpec::default_partition() const {
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        if (partitions[i].is_default) return PartitionId(static_cast<std::uint32_t>(i));
    }
    return std::nullopt;
}

}  // namespace berth
