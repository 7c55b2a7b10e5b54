// The search that looks at every node, one after the other: for demands of which the index of holes
// knows nothing, as where the tasks on a node may be many or few.
#pragma once

#include "berth/engine/plan/found_start.h"
#include "berth/engine/plan/plan_book.h"

namespace berth {

std::optional<Found> scan_start(const Demand& demand, const Window& window, const PlanBook& book,
                                const BitSet& usable, const PlacementPreference& preference);

// When, within the window, this node alone could first have a part of the job.
std::optional<Time> first_offer(const Demand& demand, const Window& window, const PlanBook& book,
                                NodeId node, const ClusterSpec& spec);

}  // namespace berth
