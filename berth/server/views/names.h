// Slurm's words for states.
#pragma once

#include <string_view>

#include "berth/model/job.h"

namespace berth {

// slurm_name(), but "SUSPENDED" while the job is suspended and "CONFIGURING" before it is launched.
std::string_view shown_state(const Job& job);
std::string_view slurm_name(StepState state);

}  // namespace berth
