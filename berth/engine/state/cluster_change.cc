#include "berth/engine/state/cluster_change.h"

#include <algorithm>

#include "berth/base/bitmask.h"

namespace berth {

BeforeEdits::BeforeEdits(const ClusterSpec& spec, const ClusterEdits& edits)
    : partitions_(spec.partitions) {
    for (const NodeEdit& edit : edits.nodes) {
        const auto node = spec.find_node(edit.name);
        if (!node) continue;
        const NodeSpec& named = spec.node(*node);
        nodes_.push_back({*node, named.weight, named.features});
    }
}

ClusterChange BeforeEdits::change_to(const ClusterSpec& after) const {
    ClusterChange change;
    BitSet other_features(after.nodes.size());
    bool any_features = false;
    for (const Looks& before : nodes_) {
        const NodeSpec& now = after.node(before.node);
        change.nodes = change.nodes || now.weight != before.weight;
        if (now.features == before.features) continue;
        other_features.set(before.node.index());
        change.nodes = any_features = true;
    }
    static const PartitionSpec kNothing;
    for (std::size_t p = 0; p < after.partitions.size(); ++p) {
        const PartitionSpec& now = after.partitions[p];
        const PartitionSpec& before = p < partitions_.size() ? partitions_[p] : kNothing;
        if (now != before) change.partitions.push_back(PartitionId::from_index(p));
        if (now.nodes != before.nodes) change.nodes = true;
        if (now.max_cpus_per_node != before.max_cpus_per_node) change.cpus = true;
        if (now.over_time_limit != before.over_time_limit) change.over_time = true;
        const bool comes_or_goes = now.gone != before.gone && !now.qos.empty();
        if (now.qos != before.qos || comes_or_goes) change.qos = true;
        const bool is_concerned = any_features && std::ranges::any_of(now.nodes, [&](NodeId node) {
                                      return other_features.test(node.index());
                                  });
        if (is_concerned) change.of_features.push_back(PartitionId::from_index(p));
    }
    return change;
}

}  // namespace berth
