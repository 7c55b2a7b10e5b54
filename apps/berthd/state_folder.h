// Whether the directory that berthd is given for its state may be believed, and is the right one.
#pragma once

#include <string>

#include "berth/base/result.h"

namespace berth {

// Makes the directory if it does not exist. Refuses one that other users could change, and one
// whose database lies in state/ below it, where `berth up` and `berth restore` have put it: an
// empty cluster would begin beside it.
Status prepare_state_folder(const std::string& directory);

}  // namespace berth
