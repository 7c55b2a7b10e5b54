// What this process has from the shell that it was called in, for the job or step that it submits.
#pragma once

#include <optional>

#include "berth/model/inherited.h"

namespace berth::slurm {

// The umask and soft limits as they were at the first call: srun later raises some of its own.
// `propagate`: these kinds are asked for by --propagate; nullopt: all, as far as the site's
// PropagateResourceLimits allows.
Inherited inherited_from_shell(const std::optional<RlimitSet>& propagate);

}  // namespace berth::slurm
