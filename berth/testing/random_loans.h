// Random loans: runs that are suspended for others, which start on their cores.
#pragma once

#include <optional>

#include "berth/base/rng.h"
#include "berth/engine/state/cluster_state.h"

namespace berth::testing {

// A start on cores of a run that stands still, or what leads there: a run is preempted, stands
// still, and that is proved. nullopt: it is not to be now.
std::optional<Fact> random_loan(Rng& rng, Time now, const ClusterState& state);

}  // namespace berth::testing
