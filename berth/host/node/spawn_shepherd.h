// Starts a run's shepherd.
#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/host/os/unique_fd.h"
#include "berth/host/run/run_directory.h"

namespace berth {

// Returns its process id. The shepherd gets its own session, so that no signal meant for the agent
// reaches it, and no descriptor of ours but the folder's lock.
Result<int> spawn_shepherd(std::string program, const RunDirectory& folder, UniqueFd lock);

}  // namespace berth
