// Demand: a job's request in the terms of this cluster: interned dimensions, node sets, whole
// numbers. demand_of() is the only place that interprets a JobRequest; admission, placement and
// explanations read only the Demand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/engine/placement/core_use.h"
#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"
#include "berth/model/reservation.h"

namespace berth {

class ClusterState;

// "gpu:2" can be served by any dimension of that name, "gpu:a100:2" by one only.
struct GresDemand {
    DimensionSet dimensions = 0;  // Empty: no such GRES in the cluster; never served.
    std::int64_t count = 0;
    friend bool operator==(const GresDemand&, const GresDemand&) = default;
};

enum class MemoryRule : std::uint8_t {
    // Memory does not constrain the job: nothing was requested and no default is configured. (Slurm
    // would allocate all memory of the node; in Berth --mem=0 does.)
    none,
    per_node,
    per_cpu,  // Times the CPUs allocated on the node, whole cores included.
    whole_node,
};

struct MemoryDemand {
    MemoryRule rule = MemoryRule::none;
    Bytes amount;  // As the rule says.
    friend bool operator==(const MemoryDemand&, const MemoryDemand&) = default;
};

struct Demand {
    std::uint32_t nodes_min = 1;
    std::uint32_t nodes_max = 1;  // >= nodes_min.
    bool fewest_nodes = true;     // False: -N was given, and more nodes up to nodes_max are better.

    // The total number of tasks, at least one on each node. nullopt: tasks_per_node tasks on each
    // chosen node.
    std::optional<std::uint32_t> tasks;
    // With `tasks`: the maximum on one node, 0: no limit. Without: the exact number, >= 1.
    std::uint32_t tasks_per_node = 0;
    std::uint32_t cpus_per_task = 1;

    bool exclusive = false;  // Whole nodes: all cores and devices, but only the memory requested.
    MemoryDemand memory;
    // MaxCPUsPerNode of its partition: counts the CPUs that the partition's jobs hold of a node.
    std::optional<DimensionId> partition_cpus;

    // A part of one GPU on each node. Amounts do not tell whether a GPU that is already shared has
    // room for the part. So the amounts, and with them a planned start, contain a whole GPU: the
    // last entry of gres_per_node. placement_shared.h examines each GPU for an immediate start.
    std::optional<ShareKind> share;

    // Number of GPUs of one node that must all be linked to each other; 0: no constraint. Amounts
    // do not tell this, either: the last entry of gres_per_node is a number of GPUs that always
    // contains such a set.
    std::int64_t linked = 0;

    Near near;

    std::vector<GresDemand> gres_per_node;
    std::vector<GresDemand> gres_per_task;
    std::vector<GresDemand> gres_total;  // Over all nodes, at least one of each on every node.

    // The nodes that the job may use: in its partition, not excluded, with the features. Usually
    // one set. For "[a|b]" several, of which the job must use only one. Node conditions (down,
    // drained …) and capacities are not considered.
    std::vector<BitSet> choices;
    BitSet required;  // --nodelist: all of these must be among its nodes.

    LicenseRequest licenses;
    std::string reservation;  // The Slurm reservation to use; empty: what is open to all.

    friend bool operator==(const Demand&, const Demand&) = default;
};

// The dimensions that can serve the request: the one of its type, or all of its name.
DimensionSet dimensions_of(const Dimensions& dimensions, const GresRequest& request);

// Whether the device is known to have the required memory and compute capability.
bool is_able(const Device& device, const TopologyConstraint& near);

// Whether the node has at least this hardware.
bool has_shape(const NodeSpec& node, const NodeShape& least);

// Whether an empty device of this kind can give this many parts in this kind of sharing.
bool gives_part(const Device& device, const ShareKind& part);

// The demand of a job. REQUIRES: the job was admitted under this spec or an earlier one (see
// keep_ids).
Demand demand_of(const ClusterSpec& spec, const Job& job);

// demand_of(), except that for a one-node job totals become demands of that node.
Demand plain_demand_of(const ClusterSpec& spec, const Job& job);

// demand_of() without node sets: the amounts only, for display.
Demand amounts_of(const ClusterSpec& spec, const Job& job);

// The least memory that the job takes of its fullest node, as far as a number was requested.
Bytes memory_on_fullest(const ClusterSpec& spec, const Demand& demand);

// Whether that exceeds the partition's MaxMemPerNode.
bool exceeds_node_memory(const ClusterSpec& spec, const PartitionSpec& partition,
                         const Demand& demand);

// How the job's tasks use the cores of the node.
CoreUse core_use(const Demand& demand, const NodeSpec& node);

// The CPUs that so many tasks on so many nodes ask for: with --overcommit, those of one task on
// each.
std::int64_t asked_cpus(const Demand& demand, std::int64_t tasks, std::int64_t nodes);

// How many CPUs the job holds at least, on the nodes that it may have, for so many that its tasks
// use: more where those use fewer threads of a core than it has, or cores of their own.
std::int64_t held_cpus(const ClusterSpec& spec, const Demand& demand, std::int64_t used);

// The partition's nodes, without excluded ones, that have the hardware that the job asks for.
BitSet shaped_nodes(const ClusterSpec& spec, const Job& job);

// What this many tasks take of one node. Whole cores are allocated: `cpus` counts all threads of
// these cores, as Slurm shows them and as memory per CPU is multiplied.
struct NodeNeed {
    std::uint32_t cores = 0;
    std::uint32_t cpus = 0;
    std::uint32_t counted_cpus = 0;  // What amounts contain: more with Near::any_cores.
    Bytes memory;
};
NodeNeed need_on(const Demand& demand, const NodeSpec& node, std::uint32_t tasks);

}  // namespace berth
