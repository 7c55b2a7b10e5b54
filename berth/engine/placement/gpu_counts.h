// GPU counts that are asked for in more than one way (--gpus, --gpus-per-node or --gres=gpu,
// --gpus-per-task): they describe the same GPUs, so each pair of them fixes how many tasks or nodes
// there are, and must agree with what else was said of those. Slurm's rules.
#pragma once

#include <optional>

#include "berth/base/result.h"
#include "berth/model/job.h"

namespace berth {

struct GpuCounts {
    std::optional<std::uint32_t> tasks;           // Total over per task.
    std::optional<std::uint32_t> tasks_per_node;  // Per node over per task.
    std::optional<std::uint32_t> nodes;           // Total over per node.
    // These follow from another count, and are not asked for once more.
    bool total_follows = false;
    bool per_node_follows = false;
};

// An error says which two do not agree.
Result<GpuCounts> gpu_counts(const JobRequest& request);

}  // namespace berth
