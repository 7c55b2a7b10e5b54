// The search for the earliest start of a demand around everything that is booked.
#pragma once

#include "berth/engine/placement/placement.h"
#include "berth/engine/plan/found_start.h"
#include "berth/engine/plan/plan_book.h"

namespace berth {

ClassRequirements requirements_of(const Demand& demand, const ClusterSpec& spec, PlanBook& book);

// The earliest start within the window on `usable` nodes; nullopt: there is none. Without
// requirements, every node is examined.
std::optional<Found> find_start(const Demand& demand, const Window& window, const PlanBook& book,
                                const BitSet& usable, const PlacementPreference& preference,
                                const ClassRequirements* requirements = nullptr);

// The earliest time within the window at which fresh nodes could let a run of the demand start. A
// start that was impossible before cannot be earlier than this.
std::optional<Time> fresh_offer(const Demand& demand, const Window& window, const PlanBook& book,
                                const BitSet& usable, const ClusterSpec& spec,
                                const ClassRequirements* requirements);

// A lower bound of fresh_offer() for runs of this length from `earliest` on, found faster. It takes
// nodes that may not be used for usable ones. kNever: fresh nodes offer nothing.
Time least_fresh_offer(const Demand& demand, Time earliest, Duration length, const PlanBook& book,
                       const ClassRequirements& requirements);

// The earliest time within the window at which this many nodes have room for a part of the demand
// at once: a lower bound of any start on that many nodes. REQUIRES: requirements.known.
std::optional<Time> earliest_room(const Demand& demand, std::uint32_t nodes, const Window& window,
                                  const PlanBook& book, const BitSet& usable,
                                  const ClassRequirements& requirements);

// For a start that was found without regard to licenses: the first choice of them that is free
// then. False: not enough are.
bool take_licenses(const LicenseRequest& asked, const PlanBook& book, const Window& window,
                   Found& found);

// As find_start(), ignoring licenses.
std::optional<Found> find_on_nodes(const Demand& demand, const Window& window, const PlanBook& book,
                                   const BitSet& usable, const PlacementPreference& preference,
                                   const ClassRequirements* requirements = nullptr);

}  // namespace berth
