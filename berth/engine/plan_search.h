// Search: the earliest time at which a demand fits, and where, given all that is booked.
#pragma once

#include "berth/engine/placement.h"
#include "berth/engine/plan_book.h"

namespace berth {

struct Window {
    Time earliest{};
    Time latest{};  // The last start that is of interest.
    Duration length{};
};

struct Found {
    Time start{};
    std::vector<Part> parts;
};

// `usable`: the nodes that may take work.
std::optional<Found> find_start(const Demand& demand, const Window& window, const PlanBook& book,
                                const BitSet& usable, const Taste& taste);

// When, within the window, this node alone could first have a part of the job.
std::optional<Time> first_offer(const Demand& demand, const Window& window, const PlanBook& book,
                                NodeId node, const ClusterSpec& spec);

}  // namespace berth
