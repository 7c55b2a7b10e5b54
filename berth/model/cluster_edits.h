// ClusterEdits: what was changed of partitions and nodes while the cluster runs (scontrol create,
// update, delete), over what the configuration says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// Whatever is present is set; the rest stays as it was.
struct PartitionChange {
    std::optional<std::string> state;  // "UP", "DOWN", "DRAIN", "INACTIVE"
    std::optional<std::vector<std::string>> nodes;
    std::optional<bool> is_default, hidden, root_only;
    std::optional<std::string> max_time, default_time;  // "2:00:00", "UNLIMITED"; "NONE".
    std::optional<std::uint32_t> min_nodes;
    std::optional<std::int64_t> max_nodes;  // -1: no limit.
    std::optional<std::int64_t> priority_job_factor, priority_tier;
    std::optional<std::int64_t> default_memory_per_cpu, default_memory_per_node, max_memory_per_cpu,
        max_memory_per_node;  // Bytes; 0: none.
    std::optional<std::vector<std::string>> allow_accounts, deny_accounts, allow_groups, allow_qos,
        deny_qos;  // Empty: all.
    std::optional<bool> exclusive;
    std::vector<std::string> nodes_added, nodes_removed;  // To or from the list that is there.
    std::optional<bool> all_nodes;                        // Nodes=ALL: those that join later, too.
    std::optional<std::string> preempt_mode;              // "REQUEUE"
    std::optional<std::int64_t> grace_time;               // Seconds.
    // OverSubscribe=FORCE:1. Not together with `exclusive`.
    std::optional<bool> ignores_exclusive;
    // "FORCE:2", "YES:4": jobs share cores and take turns. Empty, or not together with these two.
    std::optional<std::string> sharing;
    std::optional<std::string> qos;  // Its name; empty: none.
    std::optional<bool> disable_root_jobs, requires_reservation, least_loaded_nodes;
    std::optional<std::string> job_defaults;              // "DefCpuPerGPU=2": see gpu_defaults.h.
    std::optional<std::vector<std::string>> alloc_nodes;  // Empty: all.
    std::optional<std::int64_t> over_time_limit;          // Minutes; -1: the cluster's.
    std::optional<std::int64_t> max_cpus_per_node;        // -1: no limit.

    BERTH_FIELDS(PartitionChange, state, nodes, is_default, hidden, root_only, max_time,
                 default_time, min_nodes, max_nodes, priority_job_factor, priority_tier,
                 default_memory_per_cpu, default_memory_per_node, max_memory_per_cpu,
                 max_memory_per_node, allow_accounts, deny_accounts, allow_groups, allow_qos,
                 deny_qos, exclusive, nodes_added, nodes_removed, all_nodes, preempt_mode,
                 grace_time, ignores_exclusive, sharing, qos, disable_root_jobs,
                 requires_reservation, job_defaults, alloc_nodes, over_time_limit,
                 least_loaded_nodes, max_cpus_per_node)
};

struct NodeChange {
    std::optional<std::uint32_t> weight;
    std::optional<std::vector<std::string>> features;
    std::optional<std::string> comment, extra;

    bool empty() const { return *this == NodeChange{}; }

    BERTH_FIELDS(NodeChange, weight, features, comment, extra)
};

struct PartitionEdit {
    std::string name;
    bool removed = false;
    bool is_new = false;  // Made here: the configuration need not have it.
    PartitionChange change;

    BERTH_FIELDS(PartitionEdit, name, removed, is_new, change)
};

struct NodeEdit {
    std::string name;
    NodeChange change;

    BERTH_FIELDS(NodeEdit, name, change)
};

struct ClusterEdits {
    std::vector<PartitionEdit> partitions;  // Each name once.
    std::vector<NodeEdit> nodes;

    bool empty() const { return partitions.empty() && nodes.empty(); }

    BERTH_FIELDS(ClusterEdits, partitions, nodes)
};

// What is wrong with a change by itself, whatever it is a change of.
Status check(const PartitionChange& change);

// Gives a partition what is present in a change, but for the nodes. REQUIRES: check(change) is ok.
void apply_change(PartitionSpec& partition, const PartitionChange& change);

// The later edits over the earlier ones: of each field, the last word.
void merge(ClusterEdits& into, const ClusterEdits& later);

// Works the edits into a configuration. Ids stay: new partitions come last, removed ones are marked
// as gone. Nodes that are not configured are left out, and partitions that are open to all, or by
// features, have whatever joined of these. Doing it twice changes nothing.
void apply_edits(ClusterSpec& spec, const ClusterEdits& edits);

// The same for one node that is new or described anew. REQUIRES: no edit of a partition.
void apply_node_edits(ClusterSpec& spec, const std::vector<NodeEdit>& edits, NodeId node);

// No longer there, but for its id.
void close_partition(PartitionSpec& partition);

}  // namespace berth
