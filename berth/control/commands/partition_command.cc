// scontrol create, update and delete partition.
#include <algorithm>

#include "berth/base/text.h"
#include "berth/control/commands/commands.h"
#include "berth/control/requests/limits.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

constexpr std::size_t kPartitionsMax = 4096;  // Deleted partitions keep their number.
constexpr std::size_t kPartitionNameMax = 64;

bool is_name(const std::string& name) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    };
    return !name.empty() && name.size() <= kPartitionNameMax &&
           std::ranges::all_of(name, is_plain) && !iequals(name, "DEFAULT");
}

std::optional<Refused> unknown_node_in(const ClusterSpec& spec,
                                       const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const auto node = spec.find_node(name);
        if (node && !spec.node(*node).gone) continue;
        return refused(Refusal::invalid_node_list, "There is no node '" + name + "'");
    }
    return std::nullopt;
}

std::vector<std::string> all_nodes(const ClusterSpec& spec) {
    std::vector<std::string> names;
    for (const NodeSpec& node : spec.nodes) {
        if (!node.gone) names.push_back(node.name);
    }
    return names;
}

// Turns "Nodes=ALL", "Nodes+=" and "Nodes-=" into one list.
std::optional<Refused> settle_nodes(const ClusterSpec& spec, const PartitionSpec* known,
                                    PartitionChange& change) {
    const bool all =
        change.nodes && change.nodes->size() == 1 && iequals(change.nodes->front(), "ALL");
    change.all_nodes.reset();
    if (all) {
        change.nodes = all_nodes(spec);
        change.all_nodes = true;
    }
    if (change.nodes_added.empty() && change.nodes_removed.empty()) {
        return change.nodes ? unknown_node_in(spec, *change.nodes) : std::nullopt;
    }
    std::vector<std::string> names;
    if (change.nodes) {
        names = *change.nodes;
    } else if (known != nullptr) {
        for (const NodeId node : known->nodes) names.push_back(spec.node(node).name);
    }
    names.insert(names.end(), change.nodes_added.begin(), change.nodes_added.end());
    if (auto no = unknown_node_in(spec, change.nodes_removed)) return no;
    std::erase_if(names, [&](const std::string& name) {
        return std::ranges::find(change.nodes_removed, name) != change.nodes_removed.end();
    });
    if (auto no = unknown_node_in(spec, names)) return no;
    change.nodes = std::move(names);
    change.nodes_added.clear();
    change.nodes_removed.clear();
    return std::nullopt;
}

// They are one setting, OverSubscribe: edits that are merged later must not leave one of each.
void settle_sharing(PartitionChange& change) {
    if (!change.exclusive && !change.ignores_exclusive && !change.sharing) return;
    change.exclusive = change.exclusive.value_or(false);
    change.ignores_exclusive = change.ignores_exclusive.value_or(false);
    change.sharing = change.sharing.value_or("");
}

std::optional<Refused> object_to_sharing(const ClusterSpec& spec, const PartitionChange& change) {
    if (change.sharing.value_or("").empty() || spec.scheduling.preemption.gang) return std::nullopt;
    return refused(Refusal::invalid_request,
                   "OverSubscribe=" + *change.sharing +
                       " needs PreemptMode=GANG in slurm.conf: jobs on the same cores take turns");
}

std::optional<Refused> object_to_qos(const ClusterSpec& spec, const PartitionChange& change) {
    const std::string name = change.qos.value_or("");
    if (name.empty() || spec.find_qos(name)) return std::nullopt;
    return refused(Refusal::unknown_qos, "There is no QOS '" + name + "'");
}

std::optional<Refused> object_to_name(const ClusterSpec& spec, const EditPartition& command,
                                      const PartitionSpec* known) {
    if (!command.is_new) {
        if (known != nullptr) return std::nullopt;
        return refused(Refusal::unknown_partition, "There is no partition '" + command.name + "'");
    }
    if (known != nullptr) {
        return refused(Refusal::partition_name_taken,
                       "There is a partition '" + command.name + "' already: update it");
    }
    if (!is_name(command.name)) {
        return refused(Refusal::invalid_request,
                       "A partition's name is 1 to 64 letters, digits, '_', '-' and '.', and not "
                       "DEFAULT");
    }
    if (spec.partitions.size() < kPartitionsMax) return std::nullopt;
    return refused(Refusal::invalid_request,
                   "There have been " + std::to_string(kPartitionsMax) +
                       " partitions: use the name of one that was deleted");
}

// MaxCPUsPerNode takes a kind of resource.
std::optional<Refused> object_to_cpus(const ClusterSpec& spec, const EditPartition& command,
                                      const PartitionChange& change) {
    if (change.max_cpus_per_node.value_or(-1) < 0) return std::nullopt;
    const bool is_known = spec.dimensions.find(Dimension::kPartitionCpus, command.name).has_value();
    if (is_known || spec.dimensions.size() < kDimensionsMax) return std::nullopt;
    return refused(Refusal::invalid_request,
                   "MaxCPUsPerNode of a partition counts as one kind of GRES, and there are " +
                       std::to_string(kDimensionsMax - 2) + " of both already");
}

const PartitionSpec* find(const ClusterSpec& spec, const std::string& name) {
    const auto id = spec.find_partition(name);
    return id ? &spec.partition(*id) : nullptr;
}

}  // namespace

Answer edit_partition(TurnBuilder& builder, const Principal& principal,
                      const EditPartition& command) {
    if (auto no = forbidden(principal, Verb::update_partition)) return *no;
    const ClusterSpec& spec = builder.state().spec();
    const PartitionSpec* const known = find(spec, command.name);
    if (auto no = object_to_name(spec, command, known)) return *no;
    if (auto refusing = too_large(command.change)) return refused(*std::move(refusing));
    PartitionChange change = command.change;
    if (const Status right = check(change); !right.ok()) {
        return refused(Refusal::invalid_request, right.error().message);
    }
    if (auto no = settle_nodes(spec, known, change)) return *no;
    if (auto no = object_to_sharing(spec, change)) return *no;
    if (auto no = object_to_qos(spec, change)) return *no;
    if (auto no = object_to_cpus(spec, command, change)) return *no;
    settle_sharing(change);
    PartitionEdit edit{.name = command.name, .is_new = command.is_new, .change = std::move(change)};
    builder.record(ClusterEdited{{.partitions = {std::move(edit)}, .nodes = {}}});
    return Done{};
}

namespace {

// Whether it has the job, or is one of several that the job waits for.
bool is_in(const ClusterSpec& spec, const Job& job, PartitionId partition) {
    return job.partition == partition ||
           (job.state == JobState::pending &&
            std::ranges::count(partitions_of(spec, job), partition) > 0);
}

}  // namespace

Answer delete_partition(TurnBuilder& builder, const Principal& principal,
                        const DeletePartition& command) {
    if (auto no = forbidden(principal, Verb::update_partition)) return *no;
    const auto id = builder.state().spec().find_partition(command.name);
    if (!id) {
        return refused(Refusal::unknown_partition, "There is no partition '" + command.name + "'");
    }
    for (const JobSet* const jobs :
         {&builder.state().index().pending(), &builder.state().index().holding()}) {
        for (const JobId job : *jobs) {
            if (!is_in(builder.state().spec(), *builder.state().find_job(job), *id)) continue;
            return refused(Refusal::partition_in_use,
                           "Job " + to_string(job) + " is in partition '" + command.name +
                               "': cancel or move its jobs first",
                           job);
        }
    }
    builder.record(ClusterEdited{
        {.partitions = {{.name = command.name, .removed = true, .is_new = false, .change = {}}},
         .nodes = {}}});
    return Done{};
}

}  // namespace berth
