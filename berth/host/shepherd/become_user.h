// How a child of the shepherd gives up root's identity.
#pragma once

#include "berth/base/result.h"
#include "berth/host/run/run_spec.h"

namespace berth {

// Drops every part of root's identity and checks that it is gone: a partly dropped root is worse
// than a failed launch. If the agent is not root, it runs as the job's user, which is all there is
// to check.
Status become_user(const RunSpec& run);

}  // namespace berth
