// Slices: which jobs give up their resources when jobs take turns.
#pragma once

#include <vector>

#include "berth/engine/state/cluster_state.h"

namespace berth::sim {

// Running jobs with more than kSliceRatio times the GPU time of the waiting job that has had least;
// that job counts as having had at least one slice on one GPU. Jobs that have run for less than a
// slice stay.
inline constexpr std::int64_t kSliceRatio = 3;
std::vector<JobId> overstayed(const ClusterState& state, Time now, Duration slice);

}  // namespace berth::sim
