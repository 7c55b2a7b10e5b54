// ComponentVariables: the environment variables that tell each component of a heterogeneous job
// about the others, with Slurm's names.
#pragma once

#include <string>
#include <vector>

#include "berth/engine/state/cluster_state.h"

namespace berth {

// "SLURM_HET_SIZE=2", "SLURM_JOB_NODELIST_HET_GROUP_1=gpu[3-4]" … Empty if the job is not
// heterogeneous.
std::vector<std::string> component_variables(const ClusterState& state, const Job& job);

}  // namespace berth
