// Whether the state directory given to berthd is safe and the right one.
#pragma once

#include <string>

#include "berth/base/result.h"

namespace berth {

// Creates the directory if it does not exist. Rejects a directory that other users could change.
// Also rejects one whose database lies in state/ below it, where `berth up` and `berth restore` put
// it: berthd would start an empty cluster beside it.
Status prepare_state_folder(const std::string& directory);

}  // namespace berth
