// GpuFrequency: at which clocks --gpu-freq wants the GPUs of a step to run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth {

// One of the clocks that the GPU can run at. By a name: the lowest, the one in the middle, the one
// below the highest, the highest.
struct GpuClock {
    enum class Named : std::uint8_t { no, low, medium, highm1, high };
    Named named = Named::no;
    std::uint32_t mhz = 0;  // If it has no name.
};

struct GpuFrequency {
    std::optional<GpuClock> graphics, memory;  // Not asked for: the highest.
    bool verbose = false;                      // The step says which clocks were set.
};

// "low", "900", "900,memory=high,verbose". Of two for the same clock the later one counts.
Result<GpuFrequency> parse_gpu_frequency(std::string_view text);

}  // namespace berth
