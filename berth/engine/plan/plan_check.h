// check_plan: the plan against the state, by sweeps that share nothing with how plans are made:
// neither the timelines, nor the indexes, nor the placement.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "berth/engine/state/cluster_state.h"

namespace berth {

struct PlanCheck {
    // That every job is planned no later than its turn in the order would have it, all those behind
    // it left out. True of a plan made from nothing; one that is kept may owe some jobs more than
    // that. Jobs with a node list, features or unequal nodes are passed over.
    bool nobody_later_than_without_those_behind = false;
};

// What is wrong: a node that at some time would have to give more than it has, to what runs there
// until its limit and to what is promised, be it in sum or device by device. nullopt: nothing. What
// runs past its limit is not counted: it will be ended.
std::optional<std::string> check_plan(const ClusterState& state, Time now, PlanCheck wanted = {});

// Whose promise, as it was `before`, was not kept: put off, or forgotten while the job still waits.
std::optional<std::string> check_kept(const ClusterState& state,
                                      const JobTable<PlannedStart>& before);

}  // namespace berth
