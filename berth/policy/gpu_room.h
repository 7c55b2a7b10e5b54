// GpuRoom: a node's GPUs one by one, and the shapes of the workload. For placement scores on
// clusters that share GPUs.
#pragma once

#include <cstdint>
#include <limits>

#include "berth/model/resources.h"

namespace berth {

inline constexpr std::int32_t kWholeGpu = 1000;

// What is left of one GPU.
struct GpuLeft {
    DimensionId type{0};
    std::int32_t milli = kWholeGpu;
};

// One kind of request on one node: CPUs, number of GPUs, and the amount wanted of each GPU.
struct WorkShape {
    Millicpu cpu;
    std::int32_t gpus = 0;
    std::int32_t milli = kWholeGpu;
    DimensionSet types = std::numeric_limits<DimensionSet>::max();  // Any of these.
    std::int64_t count = 1;                                         // How often it occurs.

    friend bool operator==(const WorkShape&, const WorkShape&) = default;
};

}  // namespace berth
