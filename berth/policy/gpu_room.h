// GpuRoom: a node's GPUs one by one, and the shapes of the work that wants them. For placement
// scores, where GPUs are given out in parts.
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

// One kind of request, on one node: so many CPUs, and so many GPUs of which it wants so much each.
struct WorkShape {
    Millicpu cpu;
    std::int32_t gpus = 0;
    std::int32_t milli = kWholeGpu;
    DimensionSet types = std::numeric_limits<DimensionSet>::max();  // Any of these.
    std::int64_t count = 1;                                         // How often it comes.

    friend bool operator==(const WorkShape&, const WorkShape&) = default;
};

}  // namespace berth
