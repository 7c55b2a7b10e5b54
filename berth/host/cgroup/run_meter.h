// RunMeter: measures what the processes of a run have used, from cgroups or, without them, from
// /proc.
#pragma once

#include <vector>

#include "berth/host/cgroup/cgroup_tree.h"
#include "berth/model/run_usage.h"

namespace berth {

// CPU time so far and memory in use now. `processes` are read where the cgroup does not tell; a
// process that has ended then counts only if its parent has waited for it.
RunUsage measure(const Cgroup& group, const std::vector<int>& processes);

// Combines two measurements of the same run.
RunUsage highest(const RunUsage& a, const RunUsage& b);

}  // namespace berth
