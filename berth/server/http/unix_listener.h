// A Unix socket that everyone on the host may connect to.
#pragma once

#include <string>

#include "berth/base/result.h"

namespace berth {

// Listens at this path, in the place of a dead controller's socket but not of a live one's. The
// descriptor is the caller's.
Result<int> listen_at(const std::string& path);

}  // namespace berth
