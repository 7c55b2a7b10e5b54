// Fragmentation: how much of a node's free GPUs the usual workload could not use there. After
// "Beware of Fragmentation" (Weng et al., USENIX ATC 2023), in integers.
#pragma once

#include <span>
#include <vector>

#include "berth/policy/gpu_room.h"

namespace berth {

struct NodeRoom {
    Millicpu cpu;
    std::span<const GpuLeft> gpus;
};

// The sum over `work` of each shape's count × the thousandths of a GPU that it cannot use here. A
// shape that fits cannot use the GPUs that have too little left. A shape that does not fit, or that
// uses no GPU, can use none. Shapes that want a part of a GPU count `parts_count` times.
std::int64_t fragmentation(const NodeRoom& room, std::span<const WorkShape> work,
                           std::int64_t parts_count = 1);

// The most frequent shapes, in order of frequency, that together make up 95 % of the jobs.
std::vector<WorkShape> usual_of(std::vector<WorkShape> counted);

// How many jobs the shapes stand for, with the same weights.
std::int64_t total_count(std::span<const WorkShape> work, std::int64_t parts_count = 1);

}  // namespace berth
