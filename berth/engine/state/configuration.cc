#include "berth/engine/state/configuration.h"

#include <utility>

namespace berth {

void Configuration::install(ClusterSpec kept) {
    spec_ = std::move(kept);
    apply_edits(spec_, accounting_edits_);
    apply_edits(spec_, cluster_edits_);
}

void Configuration::edit(const AccountingEdits& edits) {
    merge(accounting_edits_, edits);
    apply_edits(spec_, edits);
}

void Configuration::edit(const ClusterEdits& edits) {
    merge(cluster_edits_, edits);
    apply_edits(spec_, cluster_edits_);
}

std::optional<NodeId> Configuration::describe_in_place(const NodeDescribed& fact) {
    if (fact.node.gone || !cluster_edits_.partitions.empty()) return std::nullopt;
    if (!(fact.dimensions == spec_.dimensions)) return std::nullopt;
    const auto known = spec_.find_node(fact.node.name);
    if (known && spec_.node(*known).gone) return std::nullopt;
    const NodeId node = known.value_or(NodeId::from_index(spec_.nodes.size()));
    if (!known) spec_.nodes.push_back({});
    spec_.nodes.edit(node.index()) = fact.node;
    apply_node_edits(spec_, cluster_edits_.nodes, node);
    return node;
}

ClusterSpec Configuration::with(const NodeDescribed& fact) const {
    ClusterSpec spec = spec_;
    spec.dimensions = fact.dimensions;
    const auto known = spec.find_node(fact.node.name);
    const NodeId node = known.value_or(NodeId::from_index(spec.nodes.size()));
    if (!known) spec.nodes.push_back({});
    spec.nodes.edit(node.index()) = fact.node;
    if (fact.node.gone) {
        for (PartitionSpec& partition : spec.partitions) std::erase(partition.nodes.edit(), node);
    }
    return spec;
}

}  // namespace berth
