// The search that examines every node in turn. It serves demands that the free-slot index cannot
// answer, such as those with a variable number of tasks per node.
#pragma once

#include "berth/engine/plan/found_start.h"
#include "berth/engine/plan/plan_book.h"

namespace berth {

std::optional<Found> scan_start(const Demand& demand, const Window& window, const PlanBook& book,
                                const BitSet& usable, const PlacementPreference& preference);

// The first time within the window at which this node alone could serve a part of the job.
std::optional<Time> first_offer(const Demand& demand, const Window& window, const PlanBook& book,
                                NodeId node, const ClusterSpec& spec);

}  // namespace berth
