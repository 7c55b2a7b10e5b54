// The words that Slurm's commands print for states.
#pragma once

#include <string_view>

#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"

namespace berth {

// slurm_name(), but "SUSPENDED" where it stands still, "CONFIGURING" before it is launched.
std::string_view shown_state(const Job& job);
std::string_view slurm_name(StepState state);
std::string_view slurm_name(PartitionState state);

}  // namespace berth
