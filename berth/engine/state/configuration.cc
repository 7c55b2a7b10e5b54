#include "berth/engine/state/configuration.h"

#include <utility>

#include "berth/model/partition_cpus.h"

namespace berth {

void Configuration::install(ClusterSpec kept) {
    spec_ = std::move(kept);
    node_ids_.clear();
    apply_edits(spec_, accounting_edits_);
    apply_edits(spec_, cluster_edits_);
    count_partition_cpus(spec_);
}

void Configuration::edit(const AccountingEdits& edits) {
    merge(accounting_edits_, edits);
    apply_edits(spec_, edits);
}

void Configuration::edit(const ClusterEdits& edits) {
    merge(cluster_edits_, edits);
    apply_edits(spec_, cluster_edits_);
    count_partition_cpus(spec_);
}

std::optional<NodeId> Configuration::describe_in_place(const NodeDescribed& fact) {
    if (fact.node.gone || !cluster_edits_.partitions.empty()) return std::nullopt;
    if (!(fact.dimensions == spec_.dimensions)) return std::nullopt;
    const auto known = find_node(fact.node.name);
    if (known && spec_.node(*known).gone) return std::nullopt;
    const NodeId node = known.value_or(NodeId::from_index(spec_.nodes.size()));
    if (!known) spec_.nodes.push_back({});
    spec_.nodes.edit(node.index()) = fact.node;
    apply_node_edits(spec_, cluster_edits_.nodes, node);
    count_partition_cpus(spec_, node);
    return node;
}

// A node keeps its name, and no node is ever removed. Thousands that join must not each look at all
// before them.
std::optional<NodeId> Configuration::find_node(std::string_view name) {
    if (node_ids_->size() < spec_.nodes.size()) {
        NodeIds& ids = node_ids_.edit();
        for (std::size_t i = ids.size(); i < spec_.nodes.size(); ++i) {
            ids.emplace(spec_.nodes[i].name, NodeId::from_index(i));
        }
    }
    const auto found = node_ids_->find(name);
    return found == node_ids_->end() ? std::nullopt : std::optional(found->second);
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
