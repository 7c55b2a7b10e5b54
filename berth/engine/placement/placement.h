// Placement: where a job can run. The one function that starts now, planning ahead, "could it ever
// run" and explanations all go through.
//
// A demand is placed whole or not at all, at the grain of cores, memory and single devices. When
// the job is to start, the answer names the exact ones; for later, the amounts on each node.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "berth/engine/placement/placement_devices.h"
#include "berth/engine/placement/placement_gang.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

// One thing of which there is too little, in numbers.
struct Shortage {
    std::string resource;                         // "nodes", "cpu", "mem", "gpu:a100" …
    std::int64_t asked = 0, free = 0, total = 0;  // On the nodes that it may use.
    std::uint32_t nodes_asked = 0,
                  nodes_fit = 0;  // How many nodes have enough of it by themselves.
    std::int64_t on_node = 0,     // Asked for on one node …
        node_total = 0;           // … and what the largest node has.
};
struct Why {
    std::vector<Shortage> shortages;  // Never empty; what is scarcest first.
};

// What is free of a node all through the time in question; nullptr: it may not be used.
using Rooms = std::function<const Resources*(NodeId)>;

// Amounts on each node, or why not.
std::variant<std::vector<Part>, Why> place(const Demand& demand, const Rooms& rooms,
                                           const PlacementPreference& preference);

// Why a demand does not fit in these rooms.
Why why_not(const Demand& demand, const Rooms& rooms, const ClusterSpec& spec);

// The exact cores and devices of these parts. REQUIRES: the parts fit in what is free now.
Allocation settle(const ClusterState& state, const std::vector<Part>& parts,
                  const Topologies& topologies);

// Whether the job would run if all nodes were up and empty, or only all those that may take work
// now.
bool could_ever_run(const Demand& demand, const PlacementPreference& preference);
bool could_run_when_free(const Demand& demand, const ClusterState& state,
                         const PlacementPreference& preference);

// "gpu:a100", "fpga", "cpu".
std::string dimension_name(const Dimensions& dimensions, DimensionSet set);

}  // namespace berth
