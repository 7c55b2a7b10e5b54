// The resource limits of a task: hard limits from the node, soft limits from its user's shell.
#pragma once

#include <string>

#include "berth/model/inherited.h"

namespace berth {

// Sets the limits of this process. Returns lines for the user about limits that were requested by
// name and exceed the node's hard limits.
std::string set_limits(const Inherited& inherited);

}  // namespace berth
