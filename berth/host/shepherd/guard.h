// The guard of a run that has no cgroup: what a run has started is then known by descent only, and
// would get lost with the shepherd. The guard is the shepherd's parent, and outlives it.
#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/host/run/run_directory.h"

namespace berth {

// Makes the calling process the guard, and returns in a child of it that goes on as the shepherd.
// When that child is gone, the guard kills all that it has left, says in the run's folder that
// nothing of the run lives, and ends with the child's exit status.
// REQUIRES: the process has no child and no thread.
Status begin_guarded(const RunDirectory& folder);

}  // namespace berth
