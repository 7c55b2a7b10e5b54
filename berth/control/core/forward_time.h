// ForwardTime: the controller's time, made of a wall clock that may jump. It never goes back.
#pragma once

#include <algorithm>

#include "berth/base/time.h"

namespace berth {

// Follows the wall clock, forwards at once. When the wall clock was set back, time goes on at half
// its pace until the clock has caught up: it never stands still, or no time limit and no repeated
// order would come due meanwhile.
class ForwardTime {
public:
    explicit ForwardTime(Time start = Time{}) : now_(start) {}

    Time advance(Time wall) {
        const Duration passed = std::max(wall - wall_, Duration{});
        wall_ = wall;
        if (wall >= now_) {
            now_ = wall;
            half_left_ = 0;
        } else {
            const auto halves = passed.count() + half_left_;
            now_ += Duration(halves / 2);
            half_left_ = halves % 2;
        }
        return now_;
    }

    Time now() const { return now_; }

    // What the wall clock will show when our time is `at`.
    Time to_wall(Time at) const {
        if (wall_ >= now_) return at;
        const Duration ahead = now_ - wall_;
        const Duration left = std::max(at - now_, Duration{});
        return left <= ahead ? wall_ + 2 * left : at;  // By `at` it has caught up.
    }

private:
    Time now_;
    Time wall_ = Time::max();  // At the last advance(); before the first, ahead of all.
    Duration::rep half_left_ = 0;
};

}  // namespace berth
