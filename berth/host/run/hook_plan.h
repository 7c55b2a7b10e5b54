// The run of the site's prolog or epilog. Pure, as run plans are.
#pragma once

#include "berth/host/run/job_environment.h"
#include "berth/host/run/run_spec.h"

namespace berth {

// Runs as `agent`, the agent's own user; the programs' output goes to the file `output`. The
// programs run one after the other until one fails. A path whose last component is a pattern stands
// for all matching files, possibly none.
RunSpec hook_run(const StartHook& start, const NodeView& view, const UserRecord& agent,
                 const std::string& output);

}  // namespace berth
