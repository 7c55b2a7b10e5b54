// PartitionState in Slurm's words.
#pragma once

#include <optional>
#include <string_view>

#include "berth/model/cluster_spec.h"

namespace berth {

std::string_view slurm_name(PartitionState state);                        // "UP", "DRAIN" …
std::optional<PartitionState> partition_state_of(std::string_view text);  // In any case.

}  // namespace berth
