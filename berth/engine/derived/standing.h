// What the rules of preemption compare of a run: its priority, and what its end would lose.
#pragma once

#include "berth/engine/derived/derived_state.h"

namespace berth {

// What counts as the priority of a run when others are to be preempted for it, or it for them. By
// priority: that which it would have if it waited again, if that is more, so that no two jobs
// preempt each other in turns. Else what it has started with.
std::int64_t standing_of(const ClusterState& state, const DerivedState& derived, const Job& run,
                         Time now);

// The work that the end of a run loses: GPU-seconds, or core-seconds of a run without GPUs.
std::int64_t lost_work(const ClusterSpec& spec, const Job& run, Time now);

}  // namespace berth
