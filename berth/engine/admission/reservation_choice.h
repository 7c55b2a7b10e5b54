// What a reservation keeps of a node, and which nodes it takes where it does not name them.
#pragma once

#include <optional>
#include <string>

#include "berth/engine/cycle/engine.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// So many GPUs of a node, and the same share of its cores and its memory: a reservation of GPUs
// would be of no use without.
Resources share_for_gpus(const ClusterSpec& spec, const NodeSpec& node, std::int64_t gpus);

// How much a reservation is to have, of whatever node.
struct ReservedAmount {
    std::uint32_t nodes = 0;           // Whole ones; or else …
    std::int64_t gpus = 0, cores = 0;  // … so many of these.
    std::string gpu_type;              // Empty: any.
};

// The nodes among `candidates`, and what of them, for the reservation's time. nullopt: there is not
// so much that nobody holds or has reserved.
std::optional<std::vector<std::pair<NodeId, Resources>>> choose_amounts(
    const Engine& engine, Time now, const Reservation& reservation, const ReservedAmount& amount,
    BitSet candidates);

// Whether the two keep more of a node than there is, at some time.
bool overlap(const ClusterSpec& spec, const Reservation& a, const Reservation& b);

}  // namespace berth
