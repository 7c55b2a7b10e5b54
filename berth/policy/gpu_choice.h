// GpuChoice: which GPU of a node a job is to share, and how good the node then is.
#pragma once

#include "berth/policy/policy.h"

namespace berth {

struct GpuChoice {
    DeviceMask chosen = 0;  // Over Candidate::gpus.
    std::int64_t score = 0;
};

// One of `usable`, each of which has enough left. REQUIRES: there is one.
GpuChoice choose_gpu(const Policy& policy, Candidate candidate, DeviceMask usable,
                     const View& view);

}  // namespace berth
