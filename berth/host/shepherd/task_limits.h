// The resource limits of a task: hard ones as the node has them, soft ones as its user's shell had.
#pragma once

#include <string>

#include "berth/model/inherited.h"

namespace berth {

// Of this process. Returns lines for the user about limits that were asked for by name and are
// beyond the node's hard ones.
std::string set_limits(const Inherited& inherited);

}  // namespace berth
