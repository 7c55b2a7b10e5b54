// What this process has from the shell that it was called in, for the job or step that it submits.
#pragma once

#include <optional>

#include "berth/model/inherited.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// Takes note of the umask and soft limits: srun later raises some of its own.
void read_limits_of_shell();

// The umask (that of SLURM_UMASK, in octal, where it is set) and soft limits as they were at the
// first call of these two. `propagate`: these kinds are asked for by --propagate; nullopt: all, as
// far as the site's PropagateResourceLimits allows.
Inherited inherited_from_shell(const Invocation& call, const std::optional<RlimitSet>& propagate);

}  // namespace berth::slurm
