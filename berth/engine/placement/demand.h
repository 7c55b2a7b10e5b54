// Demand: what a job's request comes to on this cluster, in interned dimensions, node sets and
// whole numbers. The one place where a JobRequest is interpreted: admission, placement and
// explanations all read this and never the request itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"
#include "berth/model/reservation.h"

namespace berth {

// "gpu:2" may be served by any dimension of that name, "gpu:a100:2" by one alone.
struct GresDemand {
    DimensionSet dimensions = 0;  // Empty: the cluster has none of it, so it can never be served.
    std::int64_t count = 0;
    friend bool operator==(const GresDemand&, const GresDemand&) = default;
};

enum class MemoryRule : std::uint8_t {
    none,  // Nothing was said and nothing is configured: memory does not constrain the job.
           // (Slurm would take the whole node's; here --mem=0 says that.)
    per_node,
    per_cpu,  // Times the CPUs allocated there, whole cores included.
    whole_node,
};

// How near each other its nodes must be, or are to be where there is a choice.
struct Near {
    std::uint32_t switches = 0;  // The most leaf switches or blocks; 0: the fewest that will do.
    std::uint32_t segment = 0;   // So many nodes at least together in each; 0: any number.
    bool contiguous = false;     // Their numbers follow on each other.
    bool spread = false;         // Far apart rather, on as many nodes as it can.
    friend bool operator==(const Near&, const Near&) = default;
};

struct Demand {
    std::uint32_t nodes_min = 1;
    std::uint32_t nodes_max = 1;  // >= nodes_min.
    bool fewest_nodes = true;     // False: -N was said, and more nodes up to nodes_max are better.

    // The total number of tasks, at least one on each node. nullopt: tasks_per_node of them on each
    // node that is chosen.
    std::optional<std::uint32_t> tasks;
    // With `tasks`: the most that one node may have, 0: no limit. Without: exactly so many, >= 1.
    std::uint32_t tasks_per_node = 0;
    std::uint32_t cpus_per_task = 1;

    bool exclusive = false;  // Whole nodes: all cores and all devices, but only the memory asked.
    MemoryRule memory_rule = MemoryRule::none;
    Bytes memory;  // As the rule says.

    // A part of one GPU on each node. Amounts cannot tell whether a GPU that is shared already has
    // room for it, so by amounts it wants a whole one, the last of gres_per_node: that is what it
    // is promised. What it can get now is seen GPU by GPU, in placement_shared.h.
    std::optional<ShareKind> share;

    // So many GPUs of one node that are all linked to each other; 0: it does not matter. Likewise,
    // amounts cannot tell: the last of gres_per_node is for how many any such choice has them.
    std::int64_t linked = 0;

    Near near;

    std::vector<GresDemand> gres_per_node;
    std::vector<GresDemand> gres_per_task;
    std::vector<GresDemand> gres_total;  // Over all nodes, at least one of each on every node.

    // Nodes that it may use at all: of its partition, not excluded, with the features. One set,
    // or, for "[a|b]", several, of which all its nodes must come from one. Conditions (down,
    // drained …) and capacities play no part here.
    std::vector<BitSet> choices;
    BitSet required;  // --nodelist: all of these must be among its nodes.

    LicenseRequest licenses;
    std::string reservation;  // Whose part of the nodes it is to have; empty: what is open to all.

    friend bool operator==(const Demand&, const Demand&) = default;
};

// The dimensions that serve the request: that of its type, or all of its name.
DimensionSet dimensions_of(const Dimensions& dimensions, const GresRequest& request);

// Whether the device is known to have the memory and the compute capability that are asked for.
bool is_able(const Device& device, const TopologyConstraint& near);

// Whether an empty device of this kind has so many parts to give, in that way of sharing.
bool gives_part(const Device& device, const ShareKind& part);

// REQUIRES: the job was admitted under this spec or an earlier one (see keep_ids).
Demand demand_of(const ClusterSpec& spec, const Job& job);

// demand_of(), with what is asked for in all of a job that has one node asked for on that node.
Demand plain_demand_of(const ClusterSpec& spec, const Job& job);

// For a job of this reservation: on its nodes alone, unless it is FLEX.
void keep_to(Demand& demand, const Reservation& reservation);

// demand_of() without the sets of nodes: what it asks for in numbers, for whoever only shows them.
Demand amounts_of(const ClusterSpec& spec, const Job& job);

// The memory that the job takes at least of its fullest node, as far as it is asked for in numbers.
Bytes memory_on_fullest(const Demand& demand);

// Whether that is above MaxMemPerNode of the partition.
bool exceeds_node_memory(const PartitionSpec& partition, const Demand& demand);

// What so many of its tasks take of one node. Whole cores are allocated: `cpus` counts all threads
// of those cores, which is what Slurm shows and what memory per CPU is multiplied by.
struct NodeNeed {
    std::uint32_t cores = 0;
    std::uint32_t cpus = 0;
    Bytes memory;
};
NodeNeed need_on(const Demand& demand, const NodeSpec& node, std::uint32_t tasks);

}  // namespace berth
