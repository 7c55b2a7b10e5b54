// GpuChoice: which GPU of a node a job should share, and the resulting score of the node.
#pragma once

#include "berth/policy/policy.h"

namespace berth {

struct GpuChoice {
    DeviceMask chosen = 0;  // Over Candidate::gpus.
    std::int64_t score = 0;
};

// Chooses one of `usable`, each of which has enough left. REQUIRES: usable is not empty.
GpuChoice choose_gpu(const PlacementPolicy& policy, Candidate candidate, DeviceMask usable,
                     const View& view);

}  // namespace berth
