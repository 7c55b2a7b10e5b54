// Immediate starts on GPUs of one node that are all linked to each other (Demand::linked).
#pragma once

#include "berth/engine/plan/placement_shared.h"

namespace berth {

// Whether this node has such GPUs now, and the amounts for as long as the job runs.
bool has_linked_now(const Demand& demand, const SharedLook& look, NodeId node,
                    const Topologies& topologies);

// The immediate start of such a demand on usable nodes; nullopt: it cannot start now.
std::optional<Found> find_linked_now(const Demand& demand, const SharedLook& look,
                                     const BitSet& usable, const PlacementPreference& preference,
                                     const Topologies& topologies);

}  // namespace berth
