// Linked: when GPUs of one node that are all linked to each other can be had now. See
// Demand::linked.
#pragma once

#include "berth/engine/plan/placement_shared.h"

namespace berth {

// Whether this node has them now, and as amounts for as long as the job runs.
bool has_linked_now(const Demand& demand, const SharedLook& look, NodeId node,
                    const Topologies& topologies);

// The start, now, of such a demand on usable nodes; nullopt: not now.
std::optional<Found> find_linked_now(const Demand& demand, const SharedLook& look,
                                     const BitSet& usable, const PlacementPreference& preference,
                                     const Topologies& topologies);

}  // namespace berth
