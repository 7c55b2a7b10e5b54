// A snapshot: the state as bytes in slices, and back.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

// Slices of about `slice_bytes`.
std::vector<std::string> slices_of(const ClusterState& state, std::size_t slice_bytes);

// The state that these slices hold. Fails if one of them is damaged or missing, or if they name
// what is not there.
Result<ClusterState> state_from(std::span<const std::string> slices);

}  // namespace berth
