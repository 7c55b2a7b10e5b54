#include "berth/server/submit/part_list.h"

#include <array>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/server/submit/script_fields.h"

namespace berth {
namespace {

using PartitionOf = PartitionTable::Of;

template <std::vector<std::string> PartitionSpec::* Member>
ScriptValue name_list(const PartitionOf& of) {
    return text_or_nil(join(of.partition.*Member, ","));
}
template <std::optional<Bytes> PartitionSpec::* Member>
ScriptValue partition_memory(const PartitionOf& of) {
    return mebibytes_or_nil(of.partition.*Member);
}

ScriptValue most_partition_nodes(const PartitionOf& of) {
    return number_or(of.partition.max_nodes, kSlurmInfinite);
}
ScriptValue least_partition_nodes(const PartitionOf& of) {
    return std::int64_t{of.partition.min_nodes};
}

ScriptValue partition_hosts(const PartitionOf& of) {
    std::vector<std::string> names;
    for (const NodeId node : of.partition.nodes) names.push_back(of.cluster.node(node).name);
    return text_or_nil(compress_hostlist(std::move(names)));
}
ScriptValue partition_cpus(const PartitionOf& of) {
    std::int64_t cpus = 0;
    for (const NodeId node : of.partition.nodes) cpus += of.cluster.node(node).cpus();
    return cpus;
}

// Bits of Slurm's: 1 takes submissions, 2 starts jobs.
ScriptValue state_bits(const PartitionOf& of) {
    switch (of.partition.state) {
        case PartitionState::up: return std::int64_t{3};
        case PartitionState::down: return std::int64_t{1};
        case PartitionState::drain: return std::int64_t{2};
        case PartitionState::inactive: return std::int64_t{0};
    }
    return std::int64_t{0};
}

constexpr auto kPartitionFields = std::to_array<ScriptField<PartitionOf>>({
    {"allow_accounts", name_list<&PartitionSpec::allow_accounts>, nullptr},
    {"allow_groups", name_list<&PartitionSpec::allow_groups>, nullptr},
    {"allow_qos", name_list<&PartitionSpec::allow_qos>, nullptr},
    {"def_mem_per_cpu", partition_memory<&PartitionSpec::default_memory_per_cpu>, nullptr},
    {"def_mem_per_node", partition_memory<&PartitionSpec::default_memory_per_node>, nullptr},
    {"default_time",
     [](const PartitionOf& of) { return minutes_or(of.partition.default_time, kSlurmNoValue); },
     nullptr},
    {"deny_accounts", name_list<&PartitionSpec::deny_accounts>, nullptr},
    {"deny_qos", name_list<&PartitionSpec::deny_qos>, nullptr},
    {"flag_default",
     [](const PartitionOf& of) -> ScriptValue { return std::int64_t{of.partition.is_default}; },
     nullptr},
    {"max_mem_per_cpu", partition_memory<&PartitionSpec::max_memory_per_cpu>, nullptr},
    {"max_mem_per_node", partition_memory<&PartitionSpec::max_memory_per_node>, nullptr},
    {"max_nodes", most_partition_nodes, nullptr},
    {"max_nodes_orig", most_partition_nodes, nullptr},
    {"max_time",
     [](const PartitionOf& of) { return minutes_or(of.partition.max_time, kSlurmInfinite); },
     nullptr},
    {"min_nodes", least_partition_nodes, nullptr},
    {"min_nodes_orig", least_partition_nodes, nullptr},
    {"name", [](const PartitionOf& of) -> ScriptValue { return of.partition.name; }, nullptr},
    {"nodes", partition_hosts, nullptr},
    {"priority_job_factor",
     [](const PartitionOf& of) -> ScriptValue { return of.partition.priority_job_factor; },
     nullptr},
    {"priority_tier",
     [](const PartitionOf& of) -> ScriptValue { return of.partition.priority_tier; }, nullptr},
    {"state_up", state_bits, nullptr},
    {"total_cpus", partition_cpus, nullptr},
    {"total_nodes",
     [](const PartitionOf& of) -> ScriptValue {
         return static_cast<std::int64_t>(of.partition.nodes.size());
     },
     nullptr},
});

}  // namespace

ScriptValue PartitionTable::read(std::string_view field) {
    const auto* const found =
        find_field(std::span<const ScriptField<PartitionOf>>(kPartitionFields), field);
    return found == nullptr ? ScriptValue() : found->read(of_);
}

Status PartitionTable::write(std::string_view field, const ScriptValue&) {
    return invalid_argument("part_list: " + std::string(field.substr(0, 100)) +
                            " cannot be set: partitions are changed with scontrol");
}

std::vector<std::string_view> PartitionTable::readable() {
    return field_names(std::span<const ScriptField<PartitionOf>>(kPartitionFields));
}

bool may_ask_for(const PartitionSpec& partition, const Principal& who) {
    if (partition.gone) return false;
    if (who.role == Role::admin) return true;
    if (partition.root_only) return false;
    if (partition.allow_groups.empty()) return true;
    return std::ranges::any_of(partition.allow_groups, [&](const std::string& group) {
        return group == who.group || std::ranges::find(who.groups, group) != who.groups.end();
    });
}

PartList::PartList(const ClusterSpec& cluster, const Principal& who) {
    for (const PartitionSpec& partition : cluster.partitions) {
        if (!may_ask_for(partition, who)) continue;
        partitions_.emplace_back(PartitionTable::Of{partition, cluster});
        names_.push_back(partition.name);
    }
}

ScriptTables PartList::tables() {
    ScriptTables all;
    for (std::size_t i = 0; i < names_.size(); ++i) all.emplace_back(names_[i], &partitions_[i]);
    return all;
}

}  // namespace berth
