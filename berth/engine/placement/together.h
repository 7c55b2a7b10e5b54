// Whether several demands could be met at the same time on empty nodes, judged by amounts alone.
// False is certain; true means that placement must decide.
#pragma once

#include <functional>
#include <vector>

#include "berth/engine/placement/demand.h"

namespace berth {

// Attempts at a later time when one component has no room at the time of the others.
inline constexpr int kTogetherTriesMost = 64;

bool may_fit_together(const std::vector<const Demand*>& demands, const ClusterSpec& spec,
                      const std::function<bool(NodeId)>& is_usable);

}  // namespace berth
