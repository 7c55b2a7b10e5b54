// Gang: which nodes, and how many tasks on each. All of a job's nodes are found together, or none.
#pragma once

#include "berth/engine/placement/domains.h"
#include "berth/engine/placement/placement_fit.h"
#include "berth/policy/policy.h"

namespace berth {

// A node that could have a part of the job, and what is free there for as long as it runs.
struct Offer {
    NodeId node{0};
    Resources room;
    std::uint32_t tasks = 0;  // tasks_that_fit(); not 0.
};

// What of one node goes to the job.
struct Part {
    NodeId node{0};
    NodeTake take;
};

class ClusterState;
class Topologies;

// What a choice among nodes rests on.
struct PlacementPreference {
    const Policy& policy;
    const View& view;
    JobId job{0};  // Whose nodes are chosen.
    const Domains* domains = nullptr;
    // Where GPUs that are linked now are to be told from others.
    const ClusterState* state = nullptr;
    const Topologies* topologies = nullptr;
};

// The parts, in node order, as the demand wants them and the placement scores like them; nullopt
// where these offers do not suffice. `offers` are of one of the demand's choices.
std::optional<std::vector<Part>> gather(const Demand& demand, std::span<const Offer> offers,
                                        const PlacementPreference& preference);

// The same without a look at where the nodes are.
std::optional<std::vector<Part>> gather_any(const Demand& demand, std::span<const Offer> offers,
                                            const PlacementPreference& preference);

}  // namespace berth
