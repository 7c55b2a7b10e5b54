// Share: chooses the exact cores and devices of one node for a job, near each other.
#pragma once

#include "berth/engine/placement/placement_devices.h"
#include "berth/engine/placement/placement_gang.h"
#include "berth/engine/state/node_free.h"

namespace berth {

// REQUIRES: the part fits in what is free on its node. `lent`: of the free cores those that runs
// hold which stand still; none if empty. They are taken first, since no run but a preemptor may use
// them.
NodeShare settle(const NodeSpec& node, const NodeFree& free, const Part& part,
                 const Topologies& topologies, const BitSet& lent = {});

}  // namespace berth
