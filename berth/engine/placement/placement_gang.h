// Gang: chooses nodes and the number of tasks on each. All nodes of a job are found together, or
// none.
#pragma once

#include <functional>

#include "berth/engine/placement/domains.h"
#include "berth/engine/placement/placement_fit.h"
#include "berth/policy/policy.h"

namespace berth {

// A node that could run a part of the job, and what is free there for the whole run.
struct Offer {
    NodeId node{0};
    Resources room;
    std::uint32_t tasks = 0;  // tasks_that_fit(); not 0.
};

// What the job takes of one node.
struct Part {
    NodeId node{0};
    NodeTake take;
};

class ClusterState;
class Topologies;

// The scoring context of a placement.
struct PlacementPreference {
    std::reference_wrapper<const PlacementPolicy> policy;  // Of the job's partition.
    const View& view;
    JobId job{0};  // The job to be placed.
    const Domains* domains = nullptr;
    // Set to tell GPUs that are linked now from others.
    const ClusterState* state = nullptr;
    const Topologies* topologies = nullptr;
};

// The parts, in node order, that satisfy the demand with the best placement scores; nullopt if the
// offers do not suffice. All `offers` belong to one of the demand's choices.
std::optional<std::vector<Part>> gather(const Demand& demand, std::span<const Offer> offers,
                                        const PlacementPreference& preference);

// The same without regard to topology.
std::optional<std::vector<Part>> gather_any(const Demand& demand, std::span<const Offer> offers,
                                            const PlacementPreference& preference);

}  // namespace berth
