// GpuReading: what one GPU was doing when its node last looked. Readings are no part of the state:
// they help to choose among nodes, are never recorded, and are unknown after a restart.
#pragma once

#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"

namespace berth {

inline constexpr std::int32_t kNotRead = -1;

struct GpuReading {
    std::int32_t gpu = 0;  // Which of the node's GPUs, counted from 0 as in gres.conf.
    std::int32_t utilisation = kNotRead;  // Percent of the last sample period.
    std::int32_t memory = kNotRead;       // Percent in use.
    std::int32_t temperature = kNotRead;  // Degrees Celsius.
    std::int32_t power = kNotRead;        // Percent of its limit.
    BERTH_FIELDS(GpuReading, gpu, utilisation, memory, temperature, power)
};

struct NodeReadings {
    Time taken_at{};  // By the controller's clock, when they came.
    std::vector<GpuReading> gpus;
};

}  // namespace berth
