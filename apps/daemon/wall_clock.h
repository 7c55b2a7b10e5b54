// SystemClock: the wall clock of this machine. Daemons read it nowhere else.
#pragma once

#include <chrono>

#include "berth/control/core/ports.h"

namespace berth {

class SystemClock final : public WallClock {
public:
    Time now() override {
        const auto since = std::chrono::system_clock::now().time_since_epoch();
        return Time(std::chrono::floor<Duration>(since));
    }
};

}  // namespace berth
