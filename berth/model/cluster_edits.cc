#include "berth/model/cluster_edits.h"
#include "berth/model/oversubscribe.h"

#include <algorithm>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/model/partition_state.h"

namespace berth {
namespace {

template <class Field, class Value>
void take(Field& field, const std::optional<Value>& change) {
    if (change) field = *change;
}

void take(std::optional<Bytes>& field, const std::optional<std::int64_t>& bytes) {
    if (!bytes) return;
    field.reset();
    if (*bytes > 0) field = Bytes(*bytes);
}

// -1: there is none.
void take_limit(std::optional<std::uint32_t>& field, const std::optional<std::int64_t>& count) {
    if (!count) return;
    field.reset();
    if (*count >= 0) field = static_cast<std::uint32_t>(*count);
}

void take_time(std::optional<Duration>& field, const std::optional<std::string>& text) {
    if (!text) return;
    field.reset();
    if (iequals(*text, "NONE")) return;
    const auto time = parse_time_limit(*text);
    if (time.ok()) field = *time;
}

void take_nodes(PartitionSpec& partition, const ClusterSpec& spec,
                const std::optional<std::vector<std::string>>& names) {
    if (!names) return;
    std::vector<NodeId> nodes;
    for (const std::string& name : *names) {
        const auto node = spec.find_node(name);
        if (node && !spec.node(*node).gone) nodes.push_back(*node);
    }
    std::ranges::sort(nodes);
    const auto [first, last] = std::ranges::unique(nodes);
    nodes.erase(first, last);
    partition.nodes = std::move(nodes);
}

void take_change(PartitionSpec& partition, const ClusterSpec& spec, const PartitionChange& change) {
    apply_change(partition, change);
    take_nodes(partition, spec, change.nodes);
    if (change.nodes) {
        partition.all_nodes = change.all_nodes.value_or(false);
        partition.node_features.clear();
    }
}

// Whether the partition takes nodes that join by themselves.
bool takes_joined(const PartitionSpec& partition) {
    return !partition.gone && (partition.all_nodes || !partition.node_features.empty());
}

bool takes_joined(const PartitionSpec& partition, const NodeSpec& node) {
    if (!node.is_dynamic() || node.gone) return false;
    return partition.all_nodes || std::ranges::any_of(node.features, [&](const auto& feature) {
               return std::ranges::find(partition.node_features, feature) !=
                      partition.node_features.end();
           });
}

// Nodes that no file names are in the partitions that say so, and in no other by a file.
void take_joined(PartitionSpec& partition, const ClusterSpec& spec) {
    if (!takes_joined(partition)) return;
    std::vector<NodeId> nodes;
    for (const NodeId node : partition.nodes) {
        if (!spec.node(node).is_dynamic()) nodes.push_back(node);
    }
    for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
        if (takes_joined(partition, spec.nodes[i])) nodes.push_back(NodeId::from_index(i));
    }
    std::ranges::sort(nodes);
    if (partition.nodes != nodes) partition.nodes = std::move(nodes);  // Equal ones stay shared.
}

void take_joined(PartitionSpec& partition, const ClusterSpec& spec, NodeId node) {
    if (!takes_joined(partition) || !spec.node(node).is_dynamic()) return;
    const auto at = std::ranges::lower_bound(partition.nodes, node);
    const bool is_in = at != partition.nodes.end() && *at == node;
    const bool belongs = takes_joined(partition, spec.node(node));
    if (is_in == belongs) return;
    const auto place = at - partition.nodes.begin();
    std::vector<NodeId>& nodes = partition.nodes.edit();
    if (belongs) {
        nodes.insert(nodes.begin() + place, node);
    } else {
        nodes.erase(nodes.begin() + place);
    }
}

// A node that has the edit already stays shared with other copies of the specification: all known
// edits are applied again with each new one.
void take_edit(ClusterSpec& spec, NodeId id, const NodeChange& change) {
    NodeSpec node = spec.node(id);
    take(node.weight, change.weight);
    take(node.features, change.features);
    take(node.comment, change.comment);
    take(node.extra, change.extra);
    if (node != spec.node(id)) spec.nodes.edit(id.index()) = std::move(node);
}

// The one of that name; nullptr: not configured. What is new begins with nothing set.
PartitionSpec* partition_for(ClusterSpec& spec, const PartitionEdit& edit) {
    auto at = std::ranges::find(spec.partitions, edit.name, &PartitionSpec::name);
    if (!edit.is_new) return at == spec.partitions.end() || at->gone ? nullptr : &*at;
    if (at == spec.partitions.end()) at = spec.partitions.emplace(at);
    *at = PartitionSpec{};
    at->name = edit.name;
    return &*at;
}

template <class Edit>
Edit* find_edit(std::vector<Edit>& edits, const std::string& name) {
    const auto at = std::ranges::find(edits, name, &Edit::name);
    return at == edits.end() ? nullptr : &*at;
}

// What the later change has is in the earlier one from then on.
template <class Change>
void merge_change(Change& into, const Change& later) {
    std::vector<const void*> fields;
    Change::fields(later, [&](const char*, const auto& field) { fields.push_back(&field); });
    std::size_t i = 0;
    Change::fields(into, [&](const char*, auto& field) {
        const auto& other =
            *static_cast<std::remove_reference_t<decltype(field)> const*>(fields[i++]);
        if constexpr (requires { field.has_value(); }) {
            if (other) field = other;
        }
    });
}

}  // namespace

Status check(const PartitionChange& change) {
    constexpr std::int64_t kCpusPerNodeMax = 65'536;
    const auto wrong = [](std::string text) -> Status {
        return Error{ErrorCode::invalid_argument, std::move(text)};
    };
    if (change.state && !partition_state_of(*change.state)) {
        return wrong("State=" + *change.state + " should be UP, DOWN, DRAIN or INACTIVE");
    }
    for (const auto* const time : {&change.max_time, &change.default_time}) {
        if (!*time || (time == &change.default_time && iequals(**time, "NONE"))) continue;
        const auto limit = parse_time_limit(**time);
        if (!limit.ok()) return wrong(limit.error().message);
    }
    if (change.max_nodes.value_or(-1) < -1) return wrong("MaxNodes should be a count of nodes");
    if (change.max_cpus_per_node.value_or(-1) < -1 ||
        change.max_cpus_per_node.value_or(-1) > kCpusPerNodeMax)
        return wrong("MaxCPUsPerNode should be a count of CPUs");
    for (const auto* const bytes : {&change.default_memory_per_cpu, &change.default_memory_per_node,
                                    &change.max_memory_per_cpu, &change.max_memory_per_node}) {
        if (bytes->value_or(0) < 0) return wrong("an amount of memory should be 0 or more");
    }
    for (const auto* const factor : {&change.priority_job_factor, &change.priority_tier}) {
        if (factor->value_or(0) < 0 || factor->value_or(0) > 65533) {
            return wrong("PriorityJobFactor and PriorityTier go from 0 to 65533");
        }
    }
    if (change.preempt_mode) BERTH_CHECK(parse_preempt_mode(*change.preempt_mode));
    constexpr std::int64_t kGraceSecondsMax = 365 * 86'400, kOverTimeMinutesMax = 65'533;
    if (change.job_defaults) BERTH_CHECK(parse_job_defaults(*change.job_defaults));
    if (change.over_time_limit.value_or(0) < -1 ||
        change.over_time_limit.value_or(0) > kOverTimeMinutesMax)
        return wrong("OverTimeLimit should be -1, for the cluster's, or 0 to 65533 minutes");
    if (change.grace_time.value_or(0) < 0 || change.grace_time.value_or(0) > kGraceSecondsMax)
        return wrong("GraceTime should be 0 seconds to a year");
    if (change.exclusive.value_or(false) && change.ignores_exclusive.value_or(false))
        return wrong("exclusive and ignores_exclusive: a partition is one of them at most");
    if (!change.sharing.value_or("").empty()) {
        BERTH_TRY(const std::string sharing, parse_oversubscribe(*change.sharing));
        if (core_sharing_of(sharing).jobs < 2)
            return wrong("sharing should be YES:N or FORCE:N, for 2 jobs on a core or more");
        if (change.exclusive.value_or(false) || change.ignores_exclusive.value_or(false))
            return wrong("sharing, exclusive and ignores_exclusive: name one of them");
    }
    return Done{};
}

void apply_change(PartitionSpec& partition, const PartitionChange& change) {
    if (change.state) partition.state = partition_state_of(*change.state).value_or(partition.state);
    take(partition.is_default, change.is_default);
    take(partition.hidden, change.hidden);
    take(partition.root_only, change.root_only);
    take(partition.qos, change.qos);
    take(partition.disable_root_jobs, change.disable_root_jobs);
    take(partition.requires_reservation, change.requires_reservation);
    take(partition.least_loaded_nodes, change.least_loaded_nodes);
    take_time(partition.max_time, change.max_time);
    take_time(partition.default_time, change.default_time);
    take(partition.min_nodes, change.min_nodes);
    take_limit(partition.max_nodes, change.max_nodes);
    take_limit(partition.max_cpus_per_node, change.max_cpus_per_node);
    take(partition.priority_job_factor, change.priority_job_factor);
    take(partition.priority_tier, change.priority_tier);
    take(partition.default_memory_per_cpu, change.default_memory_per_cpu);
    take(partition.default_memory_per_node, change.default_memory_per_node);
    take(partition.max_memory_per_cpu, change.max_memory_per_cpu);
    take(partition.max_memory_per_node, change.max_memory_per_node);
    if (change.preempt_mode) {
        const auto modes = parse_preempt_mode(*change.preempt_mode);
        if (modes.ok()) partition.preempt_mode = modes->mode;
    }
    if (change.job_defaults) {
        const auto defaults = parse_job_defaults(*change.job_defaults, partition.job_defaults);
        if (defaults.ok()) partition.job_defaults = *defaults;
    }
    if (change.grace_time) partition.grace_time = std::chrono::seconds(*change.grace_time);
    take(partition.allow_accounts, change.allow_accounts);
    take(partition.deny_accounts, change.deny_accounts);
    take(partition.allow_groups, change.allow_groups);
    take(partition.allow_qos, change.allow_qos);
    take(partition.deny_qos, change.deny_qos);
    take(partition.alloc_nodes, change.alloc_nodes);
    if (change.over_time_limit) {
        partition.over_time_limit.reset();
        if (*change.over_time_limit >= 0)
            partition.over_time_limit = std::chrono::minutes(*change.over_time_limit);
    }
    if (change.exclusive) {
        partition.exclusive = *change.exclusive;
        partition.oversubscribe = *change.exclusive ? "EXCLUSIVE" : "NO";
    }
    if (change.ignores_exclusive == true) {
        partition.exclusive = false;
        partition.oversubscribe = PartitionSpec::kForceOne;
    }
    if (!change.sharing.value_or("").empty()) {
        partition.exclusive = false;
        partition.oversubscribe = *parse_oversubscribe(*change.sharing);
    }
}

void merge(ClusterEdits& into, const ClusterEdits& later) {
    for (const PartitionEdit& edit : later.partitions) {
        if (edit.change.is_default == true) {
            for (PartitionEdit& other : into.partitions) other.change.is_default = false;
        }
        PartitionEdit* const known = find_edit(into.partitions, edit.name);
        if (known == nullptr) {
            into.partitions.push_back(edit);
        } else if (edit.removed || edit.is_new) {
            *known = edit;
        } else {
            merge_change(known->change, edit.change);
        }
    }
    for (const NodeEdit& edit : later.nodes) {
        NodeEdit* const known = find_edit(into.nodes, edit.name);
        if (known == nullptr) {
            into.nodes.push_back(edit);
        } else {
            merge_change(known->change, edit.change);
        }
    }
}

void apply_edits(ClusterSpec& spec, const ClusterEdits& edits) {
    for (const PartitionEdit& edit : edits.partitions) {
        PartitionSpec* const partition = partition_for(spec, edit);
        if (partition == nullptr) continue;
        if (edit.removed) {
            close_partition(*partition);
            continue;
        }
        if (edit.change.is_default == true) {
            for (PartitionSpec& other : spec.partitions) other.is_default = false;
        }
        take_change(*partition, spec, edit.change);
    }
    for (const NodeEdit& edit : edits.nodes) {
        const auto node = spec.find_node(edit.name);
        if (!node) continue;
        take_edit(spec, *node, edit.change);
    }
    for (PartitionSpec& partition : spec.partitions) take_joined(partition, spec);
}

void apply_node_edits(ClusterSpec& spec, const std::vector<NodeEdit>& edits, NodeId node) {
    const auto edit = std::ranges::find(edits, spec.node(node).name, &NodeEdit::name);
    if (edit != edits.end()) take_edit(spec, node, edit->change);
    for (PartitionSpec& partition : spec.partitions) take_joined(partition, spec, node);
}

void close_partition(PartitionSpec& partition) {
    partition.gone = true;
    partition.nodes.clear();
    partition.is_default = false;
    partition.hidden = true;
    partition.state = PartitionState::inactive;
}

}  // namespace berth
