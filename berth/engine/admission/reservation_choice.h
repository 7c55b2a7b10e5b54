// What a reservation takes of a node, and which nodes it takes if it does not name them.
#pragma once

#include <optional>
#include <string>

#include "berth/engine/cycle/engine.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// This many GPUs of a node, with the same share of its cores and memory, without which the GPUs
// would be of no use.
Resources share_for_gpus(const ClusterSpec& spec, const NodeSpec& node, std::int64_t gpus);

// How much a reservation takes, of any nodes.
struct ReservedAmount {
    std::uint32_t nodes = 0;           // Whole nodes; or else …
    std::int64_t gpus = 0, cores = 0;  // … this many of these.
    std::string gpu_type;              // Empty: any type.
};

// Nodes among `candidates`, and the amounts to take of each for the reservation's time. nullopt:
// not enough is free of jobs and other reservations.
std::optional<std::vector<std::pair<NodeId, Resources>>> choose_amounts(
    const Engine& engine, Time now, const Reservation& reservation, const ReservedAmount& amount,
    BitSet candidates);

// Whether the two reservations together take more of a node than it has, at any time.
bool overlap(const ClusterSpec& spec, const Reservation& a, const Reservation& b);

}  // namespace berth
