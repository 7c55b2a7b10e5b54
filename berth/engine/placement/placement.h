// Placement: where a job can run. Immediate starts, planning, "could it ever run" and explanations
// all use it.
//
// A demand is placed completely or not at all, at the grain of cores, memory and single devices.
// place() returns amounts per node; settle() turns them into exact cores and devices when the job
// starts.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "berth/engine/placement/placement_devices.h"
#include "berth/engine/placement/placement_gang.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

// A resource of which there is too little, in numbers.
struct Shortage {
    std::string resource;                         // "nodes", "cpu", "mem", "gpu:a100" …
    std::int64_t asked = 0, free = 0, total = 0;  // On the nodes that it may use.
    std::uint32_t nodes_asked = 0,
                  nodes_fit = 0;  // Nodes that have enough of it.
    std::int64_t on_node = 0,     // Asked for on one node …
        node_total = 0;           // … and what the largest node has.
};
struct Why {
    std::vector<Shortage> shortages;  // Never empty; the scarcest first.
};

// What is free of a node throughout the time in question; nullptr: the node may not be used.
using Rooms = std::function<const Resources*(NodeId)>;

// The amounts on each node, or why the demand does not fit.
std::variant<std::vector<Part>, Why> place(const Demand& demand, const Rooms& rooms,
                                           const PlacementPreference& preference);

// Why a demand does not fit in these rooms.
Why why_not(const Demand& demand, const Rooms& rooms, const ClusterSpec& spec);

// The exact cores and devices of these parts. REQUIRES: the parts fit in what is free now.
Allocation settle(const ClusterState& state, const std::vector<Part>& parts,
                  const Topologies& topologies);

// Whether the job could run on an empty cluster, with all nodes (could_ever_run) or only those that
// may take work now (could_run_when_free).
bool could_ever_run(const Demand& demand, const PlacementPreference& preference);
bool could_run_when_free(const Demand& demand, const ClusterState& state,
                         const PlacementPreference& preference);

// "gpu:a100", "fpga", "cpu".
std::string dimension_name(const Dimensions& dimensions, DimensionSet set);

}  // namespace berth
