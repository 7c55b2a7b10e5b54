// GPU counts requested with several options (--gpus; --gpus-per-node or --gres=gpu;
// --gpus-per-task). They describe the same GPUs, so any two determine the number of tasks or nodes,
// which must agree with other options. The rules are Slurm's.
#pragma once

#include <optional>

#include "berth/base/result.h"
#include "berth/model/job.h"

namespace berth {

struct GpuCounts {
    std::optional<std::uint32_t> tasks;           // Total / per task.
    std::optional<std::uint32_t> tasks_per_node;  // Per node / per task.
    std::optional<std::uint32_t> nodes;           // Total / per node.
    // Set if this count follows from another one and is not requested in addition.
    bool total_follows = false;
    bool per_node_follows = false;
};

// An error names the two options that disagree.
Result<GpuCounts> gpu_counts(const JobRequest& request);

}  // namespace berth
