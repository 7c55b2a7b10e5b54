// Immediate starts of demands of which amounts do not tell whether they fit now: parts of GPUs,
// linked GPUs, tasks or GPUs per socket. Their nodes are looked at one by one.
#pragma once

#include "berth/engine/plan/placement_shared.h"

namespace berth {

inline bool needs_close_look(const Demand& demand) {
    return demand.share || demand.linked > 0 || demand.near.any_cores;
}

// The immediate start of such a demand on usable nodes, with its licenses; nullopt: it cannot start
// now. REQUIRES: it needs a close look.
std::optional<Found> find_by_close_look(const Demand& demand, const SharedLook& look,
                                        const BitSet& usable, const PlacementPreference& preference,
                                        const Topologies& topologies);

}  // namespace berth
