#include "berth/slurm/tables/sinfo_fields.h"

#include <algorithm>
#include <array>

#include "berth/base/duration_text.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/show/partition_text.h"
#include "berth/slurm/text/columns.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

template <class Value>
std::string of_first(const NodeGroup& group, Value value) {
    return group.first() == nullptr ? std::string("n/a") : value(*group.first());
}

std::string of_partition(const NodeGroup& group, std::string_view key) {
    return partition_text(*group.partition, key);
}

std::string of_partition_lower(const NodeGroup& group, std::string_view key) {
    return to_lower(of_partition(group, key));
}

std::string node_names(const NodeGroup& group) {
    std::vector<std::string> names;
    names.reserve(group.nodes.size());
    for (const api::NodeRow* node : group.nodes) names.push_back(node->name);
    return nodes_text(names);
}

// "root(0)"
std::string reason_user(const api::NodeRow& node) {
    if (node.reason_by.empty()) return "Unknown";
    const auto uid = uid_of_user(node.reason_by);
    return uid ? user_text(*uid, node.reason_by) : node.reason_by;
}

std::string marked_name(const NodeGroup& g) {
    return g.partition->name + (g.partition->is_default ? "*" : "");
}

std::string job_size(const NodeGroup& g) {
    const std::string low = std::to_string(std::max(1U, g.partition->min_nodes));
    return low + "-" +
           (g.partition->max_nodes ? std::to_string(*g.partition->max_nodes) : "infinite");
}

// "allocated/idle/other/total"
std::string cpus_aiot(const NodeGroup& g) {
    std::uint32_t allocated = 0, idle = 0, other = 0, total = 0;
    for (const api::NodeRow* node : g.nodes) {
        total += node->cpus;
        allocated += node->allocated_cpus;
        (takes_work(*node) ? idle : other) +=
            node->cpus - std::min(node->cpus, node->allocated_cpus);
    }
    return std::to_string(allocated) + "/" + std::to_string(idle) + "/" + std::to_string(other) +
           "/" + std::to_string(total);
}

std::string nodes_aiot(const NodeGroup& g) {
    std::size_t allocated = 0, idle = 0, other = 0;
    for (const api::NodeRow* node : g.nodes) {
        if (!takes_work(*node)) {
            ++other;
        } else if (node->allocated_cpus > 0) {
            ++allocated;
        } else {
            ++idle;
        }
    }
    return std::to_string(allocated) + "/" + std::to_string(idle) + "/" + std::to_string(other) +
           "/" + std::to_string(g.nodes.size());
}

std::string features(const api::NodeRow& node) {
    return node.features.empty() ? "(null)" : join(node.features, ",");
}

constexpr auto kNothing = TellsApart::nothing;
constexpr auto kNodes = TellsApart::nodes;
constexpr auto kPartitions = TellsApart::partitions;

// clang-format off
constexpr auto kGroupFields = std::to_array<GroupField>({
    {'a', "AVAIL", kPartitions, [](const NodeGroup& g) { return of_partition_lower(g, "State"); }},
    {'A', "NODES(A/I)", kNothing,
     [](const NodeGroup& g) {
         const std::string all = nodes_aiot(g);
         return all.substr(0, all.find('/', all.find('/') + 1));
     }},
    {'b', "ACTIVE_FEATURES", kNodes, [](const NodeGroup& g) { return of_first(g, features); }},
    {'B', "MAX_CPUS_PER_NODE", kPartitions, [](const NodeGroup& g) { return of_partition(g, "MaxCPUsPerNode"); }},
    {'c', "CPUS", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return std::to_string(n.cpus); }); }},
    {'C', "CPUS(A/I/O/T)", kNothing, cpus_aiot},
    {'d', "TMP_DISK", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return std::to_string(in_mib(Bytes(n.tmp_disk))); }); }},
    {'D', "NODES", kNothing, [](const NodeGroup& g) { return std::to_string(g.nodes.size()); }},
    {'e', "FREE_MEM", kNothing, [](const NodeGroup&) { return std::string("N/A"); }},  // Agents do not
    {'E', "REASON", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return n.reason.empty() ? std::string("none") : n.reason; }); }},
    {'f', "AVAIL_FEATURES", kNodes, [](const NodeGroup& g) { return of_first(g, features); }},
    {'F', "NODES(A/I/O/T)", kNothing, nodes_aiot},
    {'g', "GROUPS", kPartitions, [](const NodeGroup& g) { return g.partition->allow_groups.empty() ? std::string("all") : join(g.partition->allow_groups, ","); }},
    {'G', "GRES", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return n.gres.empty() ? std::string("(null)") : n.gres; }); }},
    {'h', "OVERSUBSCRIBE", kPartitions, [](const NodeGroup& g) { return of_partition(g, "OverSubscribe"); }},
    {'H', "TIMESTAMP", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return local_time(n.reason_at, "Unknown"); }); }},
    {'I', "PRIO_JOB_FACTOR", kPartitions, [](const NodeGroup& g) { return of_partition(g, "PriorityJobFactor"); }},
    {'l', "TIMELIMIT", kPartitions, [](const NodeGroup& g) { return to_lower(format_time_limit_short(g.partition->max_time)) == "unlimited" ? std::string("infinite") : format_time_limit_short(g.partition->max_time); }},
    {'L', "DEFAULTTIME", kPartitions, [](const NodeGroup& g) { return g.partition->default_time ? format_time_limit_short(g.partition->default_time) : std::string("n/a"); }},
    {'m', "MEMORY", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return std::to_string(in_mib(Bytes(n.memory))); }); }},
    {'M', "PREEMPT_MODE", kPartitions, [](const NodeGroup& g) { return of_partition(g, "PreemptMode"); }},
    {'n', "HOSTNAMES", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return n.hostname; }); }},
    {'N', "NODELIST", kNothing, node_names},
    {'o', "NODE_ADDR", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return n.address; }); }},
    {'O', "CPU_LOAD", kNothing, [](const NodeGroup&) { return std::string("N/A"); }},  // report load yet.
    {'p', "PRIO_TIER", kPartitions, [](const NodeGroup& g) { return of_partition(g, "PriorityTier"); }},
    {'P', "PARTITION", kPartitions, marked_name},
    {'r', "ROOT", kPartitions, [](const NodeGroup& g) { return of_partition_lower(g, "RootOnly"); }},
    {'R', "PARTITION", kPartitions, [](const NodeGroup& g) { return g.partition->name; }},
    {'s', "JOB_SIZE", kPartitions, job_size},
    {'S', "ALLOCNODES", kPartitions, [](const NodeGroup& g) { return of_partition_lower(g, "AllocNodes"); }},
    {'t', "STATE", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return node_state(n, true); }); }},
    {'T', "STATE", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return node_state(n, false); }); }},
    {'u', "USER", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return n.reason_by.empty() ? std::string("Unknown") : n.reason_by; }); }},
    {'U', "USER", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return reason_user(n); }); }},
    {'V', "CLUSTER", kNothing, [](const NodeGroup&) { return std::string("N/A"); }},  // As Slurm, unless there are several.
    {'v', "VERSION", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return n.version; }); }},
    {'w', "WEIGHT", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return std::to_string(n.weight); }); }},
    {'X', "SOCKETS", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return std::to_string(n.sockets); }); }},
    {'Y', "CORES", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return std::to_string(n.cores_per_socket); }); }},
    {'Z', "THREADS", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return std::to_string(n.threads_per_core); }); }},
    {'z', "S:C:T", kNodes,
     [](const NodeGroup& g) {
         return of_first(g, [](auto& n) {
             return std::to_string(n.sockets) + ":" + std::to_string(n.cores_per_socket) + ":" + std::to_string(n.threads_per_core);
         });
     }},
});

constexpr auto kGroupLetters = std::to_array<LongName>({
    {"available", 'a'}, {"cores", 'Y'}, {"cpus", 'c'}, {"cpusload", 'O'}, {"cpusstate", 'C'}, {"defaulttime", 'L'}, {"disk", 'd'},
    {"features", 'f'}, {"features_act", 'b'}, {"freemem", 'e'}, {"gres", 'G'}, {"groups", 'g'}, {"maxcpuspernode", 'B'}, {"memory", 'm'},
    {"nodeaddr", 'o'}, {"nodeai", 'A'}, {"nodeaiot", 'F'}, {"nodehost", 'n'}, {"nodelist", 'N'}, {"nodes", 'D'}, {"oversubscribe", 'h'},
    {"share", 'h'}, {"partition", 'P'}, {"partitionname", 'R'}, {"preemptmode", 'M'}, {"priorityjobfactor", 'I'}, {"prioritytier", 'p'},
    {"reason", 'E'}, {"root", 'r'}, {"size", 's'}, {"socketcorethread", 'z'}, {"sockets", 'X'}, {"statecompact", 't'}, {"statelong", 'T'},
    {"threads", 'Z'}, {"time", 'l'}, {"timestamp", 'H'}, {"user", 'u'}, {"version", 'v'}, {"weight", 'w'},
});

struct NamedField {
    std::string_view name;
    GroupField field;
};
constexpr auto kOtherGroupFields = std::to_array<NamedField>({
    {"allocmem", {0, "ALLOCMEM", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return std::to_string(in_mib(Bytes(n.allocated_memory))); }); }}},
    {"allocnodes", {0, "ALLOCNODES", kPartitions, [](const NodeGroup& g) { return of_partition_lower(g, "AllocNodes"); }}},
    {"cluster", {0, "CLUSTER", kNothing, [](const NodeGroup&) { return std::string("N/A"); }}},  // As Slurm, unless there are several.
    {"comment", {0, "COMMENT", kNothing, [](const NodeGroup&) { return std::string("(null)"); }}},
    {"extra", {0, "EXTRA", kNothing, [](const NodeGroup&) { return std::string("(null)"); }}},
    {"gresused", {0, "GRES_USED", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return n.gres_used.empty() ? std::string("(null)") : n.gres_used; }); }}},
    {"port", {0, "PORT", kNothing, [](const NodeGroup&) { return std::string("0"); }}},  // Nobody calls agents.
    {"statecomplete", {0, "STATECOMPLETE", kNodes,
     [](const NodeGroup& g) {
         return of_first(g, [](auto& n) {
             std::string text = to_lower(n.state);
             for (const std::string& flag : n.flags) text += "+" + to_lower(flag);
             return text;
         });
     }}},
    {"userlong", {0, "USER", kNodes, [](const NodeGroup& g) { return of_first(g, [](auto& n) { return n.reason_by.empty() ? std::string("Unknown") : n.reason_by; }); }}},
});
// clang-format on

const GroupField* find_group_letter(char letter) {
    const auto found = std::ranges::find(kGroupFields, letter, &GroupField::letter);
    return found == kGroupFields.end() ? nullptr : &*found;
}

}  // namespace

const GroupField* find_group_field(const FormatItem& item) {
    if (item.name.empty()) return find_group_letter(item.letter);
    const auto letter = std::ranges::find(kGroupLetters, item.name, &LongName::name);
    if (letter != kGroupLetters.end()) return find_group_letter(letter->letter);
    const auto other = std::ranges::find(kOtherGroupFields, item.name, &NamedField::name);
    return other == kOtherGroupFields.end() ? nullptr : &other->field;
}

}  // namespace berth::slurm
