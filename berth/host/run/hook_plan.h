// How the site's prolog or epilog is run. Pure, as run plans are.
#pragma once

#include "berth/host/run/job_environment.h"
#include "berth/host/run/run_spec.h"

namespace berth {

// By `agent`, the agent's own user, with what it prints in `output`. One program after the other,
// until one fails; a path whose last part is a pattern stands for all that match it, which may be
// none.
RunSpec hook_run(const StartHook& start, const NodeView& view, const UserRecord& agent,
                 const std::string& output);

}  // namespace berth
