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
    std::vector<LicenseCount> licenses;
};

// What a demand takes of one node of each class that can serve it, so that the index of holes can
// be asked. Only where that is the same whatever else is free: the same number of tasks on each
// node, and devices of one kind.
struct Footprint {
    std::uint32_t node_class = 0;
    std::uint32_t level = 0;
    std::uint32_t tasks = 0;
    bool takes_others = false;  // Than levels know of: each hole needs a closer look.
    Resources take;
};
struct Footprints {
    std::uint64_t generation = 0;  // Of the book's classes that it was made for; 0: not made.
    bool known = false;            // False: the demand is not of that kind.
    std::vector<std::vector<Footprint>> choices;  // As Demand::choices.
};
Footprints footprints_of(const Demand& demand, const ClusterSpec& spec, PlanBook& book);

// `usable`: the nodes that may take work. Without footprints, every node is looked at.
std::optional<Found> find_start(const Demand& demand, const Window& window, const PlanBook& book,
                                const BitSet& usable, const Taste& taste,
                                const Footprints* footprints = nullptr);

// From when on, within the window, what is fresh could let a run of the demand start: no run can
// start before that which could not before.
std::optional<Time> fresh_offer(const Demand& demand, const Window& window, const PlanBook& book,
                                const BitSet& usable, const ClusterSpec& spec,
                                const Footprints* footprints);

// From when on, within the window, so many nodes have room for a part of it all at once. No run of
// the demand on as many can start before that. REQUIRES: the footprints are known.
std::optional<Time> earliest_room(const Demand& demand, std::uint32_t nodes, const Window& window,
                                  const PlanBook& book, const BitSet& usable,
                                  const Footprints& footprints);

// The same without a look at licenses.
std::optional<Found> find_on_nodes(const Demand& demand, const Window& window, const PlanBook& book,
                                   const BitSet& usable, const Taste& taste,
                                   const Footprints* footprints = nullptr);

// When, within the window, this node alone could first have a part of the job.
std::optional<Time> first_offer(const Demand& demand, const Window& window, const PlanBook& book,
                                NodeId node, const ClusterSpec& spec);

}  // namespace berth
