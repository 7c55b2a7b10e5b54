// Whether demands that are to be met at one time could be, were the nodes empty: by amounts alone.
// What this denies can never be; what it does not, is for placement to find.
#pragma once

#include <functional>
#include <vector>

#include "berth/engine/placement/demand.h"

namespace berth {

bool may_fit_together(const std::vector<const Demand*>& demands, const ClusterSpec& spec,
                      const std::function<bool(NodeId)>& is_usable);

}  // namespace berth
