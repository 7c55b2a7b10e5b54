// Immediate starts of tasks of which each socket takes so many, or with GPUs near each socket
// (Near::any_cores).
#pragma once

#include "berth/engine/plan/placement_shared.h"

namespace berth {

// The most tasks that fit on what is free of the node's sockets, whatever the amounts say.
std::uint32_t tasks_on_sockets(const Demand& demand, const NodeSpec& node, const NodeFree& free);

// The immediate start of such a demand on usable nodes; nullopt: it cannot start now.
std::optional<Found> find_on_sockets_now(const Demand& demand, const SharedLook& look,
                                         const BitSet& usable,
                                         const PlacementPreference& preference);

}  // namespace berth
