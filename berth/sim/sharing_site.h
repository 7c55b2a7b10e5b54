// A site where jobs share cores and take turns on them.
#pragma once

#include <vector>

#include "berth/base/rng.h"
#include "berth/model/cluster_spec.h"
#include "berth/sim/sim_workload.h"

namespace berth::sim {

// Two or three jobs on a core, for short time slices; for all jobs, or for those that ask for it.
ClusterSpec with_turns(ClusterSpec spec, Rng rng);

// Most jobs ask for it.
void ask_to_share(std::vector<PlannedJob>& jobs, Rng rng);

}  // namespace berth::sim
