// Linked: GPUs of one node that are all linked to each other, as `pack` asks for.
#pragma once

#include "berth/engine/demand.h"
#include "berth/engine/placement_shared.h"

namespace berth {

// How many free GPUs of this type a node must have for any choice of them to hold `count` that are
// linked; nullopt: even all of its GPUs do not.
std::optional<std::int64_t> enough_for_linked(const NodeSpec& node, DimensionId type,
                                              std::int64_t count);

// Makes of the demand's GPUs, all of one node, so many that are linked. `nodes` keeps those that
// have them when nothing runs.
void want_linked(Demand& demand, BitSet& nodes, const ClusterSpec& spec);

// Whether this node has them now, and as amounts for as long as the job runs.
bool has_linked_now(const Demand& demand, const SharedLook& look, NodeId node,
                    const Topologies& topologies);

// The start, now, of such a demand on usable nodes; nullopt: not now.
std::optional<Found> find_linked_now(const Demand& demand, const SharedLook& look,
                                     const BitSet& usable, const Taste& taste,
                                     const Topologies& topologies);

}  // namespace berth
