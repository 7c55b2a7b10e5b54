// The wall clock as a Time. In `trust`, the lowest module that may read a clock.
#pragma once

#include <chrono>

#include "berth/base/time.h"

namespace berth {

inline Time wall_time() {
    return Time(std::chrono::floor<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

}  // namespace berth
