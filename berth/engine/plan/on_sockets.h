// Immediate starts of tasks of which each socket takes so many (Near::any_cores).
#pragma once

#include "berth/engine/plan/placement_shared.h"

namespace berth {

// The most tasks for which the node has room now: by amounts for as long as the job runs, and on
// the free cores of its sockets.
std::uint32_t tasks_on_sockets_now(const Demand& demand, const SharedLook& look, NodeId node);

// The immediate start of such a demand on usable nodes; nullopt: it cannot start now.
std::optional<Found> find_on_sockets_now(const Demand& demand, const SharedLook& look,
                                         const BitSet& usable,
                                         const PlacementPreference& preference);

}  // namespace berth
