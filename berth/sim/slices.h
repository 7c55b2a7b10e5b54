// Slices: who is to make room for whom when jobs take turns.
#pragma once

#include <vector>

#include "berth/engine/state/cluster_state.h"

namespace berth::sim {

// Running jobs that have had more than kSliceRatio times the GPU time of the one that waits and has
// had least; a slice on one GPU counts for nothing. Those that have run less than a slice stay.
inline constexpr std::int64_t kSliceRatio = 3;
std::vector<JobId> overstayed(const ClusterState& state, Time now, Duration slice);

}  // namespace berth::sim
