// Who changed a node, where no administrator did.
#pragma once

namespace berth {

// The user that `scontrol show node` names when the controller itself changes a node, as in Slurm.
inline constexpr const char* kByController = "slurm";

}  // namespace berth
