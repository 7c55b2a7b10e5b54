// Search: the earliest time at which a demand fits, and where, given all that is booked.
#pragma once

#include "berth/engine/placement/placement.h"
#include "berth/engine/plan/found_start.h"
#include "berth/engine/plan/plan_book.h"

namespace berth {

ClassRequirements requirements_of(const Demand& demand, const ClusterSpec& spec, PlanBook& book);

// `usable`: the nodes that may take work. Without footprints, every node is looked at.
std::optional<Found> find_start(const Demand& demand, const Window& window, const PlanBook& book,
                                const BitSet& usable, const PlacementPreference& preference,
                                const ClassRequirements* requirements = nullptr);

// From when on, within the window, what is fresh could let a run of the demand start: no run can
// start before that which could not before.
std::optional<Time> fresh_offer(const Demand& demand, const Window& window, const PlanBook& book,
                                const BitSet& usable, const ClusterSpec& spec,
                                const ClassRequirements* requirements);

// From when on, within the window, so many nodes have room for a part of it all at once. No run of
// the demand on as many can start before that. REQUIRES: the footprints are known.
std::optional<Time> earliest_room(const Demand& demand, std::uint32_t nodes, const Window& window,
                                  const PlanBook& book, const BitSet& usable,
                                  const ClassRequirements& requirements);

// The same without a look at licenses.
std::optional<Found> find_on_nodes(const Demand& demand, const Window& window, const PlanBook& book,
                                   const BitSet& usable, const PlacementPreference& preference,
                                   const ClassRequirements* requirements = nullptr);

}  // namespace berth
