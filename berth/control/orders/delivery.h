// Delivery: when to send an order again. The interval doubles from kFirstRepeat to kLastRepeat,
// until the order's effect is seen.
#pragma once

#include <algorithm>
#include <chrono>

#include "berth/base/time.h"

namespace berth {

inline constexpr Duration kFirstRepeat = std::chrono::seconds(5);
inline constexpr Duration kLastRepeat = std::chrono::seconds(60);

class Delivery {
public:
    bool due(Time now) const { return now >= next_at_; }
    void sent(Time now) {
        next_at_ = now + wait_;
        wait_ = std::min(wait_ * 2, kLastRepeat);
    }
    Time next_at() const { return next_at_; }

private:
    Time next_at_ = Time::min();  // The first time at once.
    Duration wait_ = kFirstRepeat;
};

}  // namespace berth
