// What of the caller's environment goes with a job: --export.
#pragma once

#include <string>
#include <vector>

#include "berth/slurm/command.h"

namespace berth::slurm {

// ALL, NONE, NIL, or a list of NAME and NAME=value; "ALL,NAME=value" is both. SLURM_* always goes
// along.
std::vector<std::string> exported_environment(const Invocation& call, const std::string& what);

}  // namespace berth::slurm
