// The guard of a run without a cgroup. The processes of such a run are known only by descent, which
// would be lost with the shepherd. The guard is the shepherd's parent and outlives it.
#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/host/run/run_directory.h"

namespace berth {

// Makes the calling process the guard, and returns in a child of it, which continues as the
// shepherd. When that child ends, the guard kills all remaining processes of the run, records in
// the run's folder that none is alive, and exits with the child's status. REQUIRES: the process has
// no child and no other thread.
Status begin_guarded(const RunDirectory& folder);

}  // namespace berth
