// check_plan: the plan against the state, by a sweep that shares nothing with how plans are made.
#pragma once

#include <optional>
#include <string>

#include "berth/engine/cluster_state.h"

namespace berth {

// What is wrong: a node that at some time would have to give more than it has, to what runs there
// until its limit and to what is promised. nullopt: nothing. What runs past its limit is not
// counted: it will be ended.
std::optional<std::string> check_plan(const ClusterState& state, Time now);

}  // namespace berth
