// ReturnToService: whether a node that was down takes work again when it registers.
#pragma once

#include "berth/control/turn/turn_builder.h"

namespace berth {

// The node does not respond. ReturnToService=0: it stays down until an administrator resumes it.
void set_down_if_kept(TurnBuilder& builder, NodeId node);

// The node has registered:
// - 2: it takes work again, whatever it was down for.
// - 1: it takes work again if it was down because it did not respond. It goes down if it rebooted
//   unexpectedly.
// - 0: a node that is down stays down. It goes down if it rebooted unexpectedly.
//
// `before`: its condition before it registered. `was_unresponsive`: this controller had marked it
// not responding.
void return_to_service(TurnBuilder& builder, NodeId node, const NodeCondition& before,
                       bool was_unresponsive);

}  // namespace berth
