// RunMeter: what the processes of a run have used, as cgroups or, without them, /proc tell.
#pragma once

#include <vector>

#include "berth/host/cgroup/cgroup_tree.h"
#include "berth/model/run_usage.h"

namespace berth {

// CPU time so far and the memory that is in use now. `processes` are asked where the cgroup does
// not say; of those that are gone they know only what their parents have waited for.
RunUsage measure(const Cgroup& group, const std::vector<int>& processes);

// What two ways of measuring the same run have found.
RunUsage highest(const RunUsage& a, const RunUsage& b);

}  // namespace berth
