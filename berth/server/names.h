// The words that Slurm's commands print for states.
#pragma once

#include <optional>
#include <string_view>

#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"

namespace berth {

std::string_view slurm_name(JobState state);   // "OUT_OF_MEMORY"
std::string_view shown_state(const Job& job);  // Likewise; "SUSPENDED" where it stands still.
std::string_view slurm_name(StepState state);
std::string_view slurm_name(PartitionState state);

std::optional<JobState> job_state_of(std::string_view name);

}  // namespace berth
