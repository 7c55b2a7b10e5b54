// The rules of a world where jobs preempt each other: partitions of several tiers over all nodes,
// and the jobs' places in them. See site.h for the other rules.
#pragma once

#include <vector>

#include "berth/sim/sim_workload.h"

namespace berth::sim {

// Adds the partitions "urgent" and "spare" beside the default one.
ClusterSpec with_preemption(ClusterSpec spec, Rng rng);

// Runs there are suspended, most of them, instead of ended. REQUIRES: with_preemption().
ClusterSpec with_suspension(ClusterSpec spec, Rng rng);
// Many jobs ask for no GPUs, but for a large part of a node's cores: these can be lent.
void ask_for_cores(std::vector<PlannedJob>& jobs, const ClusterSpec& cluster, Rng rng);

// Most runs there are given time to save a checkpoint. REQUIRES: with_preemption().
ClusterSpec with_checkpoints(ClusterSpec spec, Rng rng);
// Many jobs name a file for that, and most of these do save it, some too slowly.
void let_jobs_save(std::vector<PlannedJob>& jobs, Rng rng);

// Moves some jobs into these partitions.
void spread_over_tiers(std::vector<PlannedJob>& jobs, Rng rng);

}  // namespace berth::sim
