// check_plan: verifies the plan against the state by sweeps. They share no code with the planner:
// no timelines, no indexes, no placement.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "berth/engine/state/cluster_state.h"

namespace berth {

struct PlanCheck {
    // Check that every job is planned no later than it would be without the jobs behind it. True of
    // a plan made from scratch; a plan that was kept over time may owe some jobs more than that.
    // Jobs with a node list, features or uneven nodes are skipped.
    bool nobody_later_than_without_those_behind = false;
};

// Returns what is wrong, nullopt if nothing is: a node that at some time must give more than it
// has, in sum or device by device, to running jobs until their limits and to planned starts. Jobs
// past their limit do not count: they will be ended. Or a planned start that is beyond a limit: see
// check_limits().
std::optional<std::string> check_plan(const ClusterState& state, Time now, PlanCheck wanted = {});

// A planned start of `before` that was moved later, or dropped while the job still waits.
std::optional<std::string> check_kept(const ClusterState& state,
                                      const JobTable<PlannedStart>& before);

}  // namespace berth
