// ForwardTime: the controller's time, which never goes back though the wall clock may jump.
#pragma once

#include <algorithm>

#include "berth/base/time.h"

namespace berth {

// Follows the wall clock forwards at once. After the wall clock is set back, this time runs at half
// speed until the wall clock has caught up. It never stands still, so time limits and repeated
// orders still come due.
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

    // What the wall clock will show when this time reaches `at`.
    Time to_wall(Time at) const {
        if (wall_ >= now_) return at;
        const Duration ahead = now_ - wall_;
        const Duration left = std::max(at - now_, Duration{});
        return left <= ahead ? wall_ + 2 * left : at;  // Caught up before `at`.
    }

private:
    Time now_;
    Time wall_ = Time::max();  // At the last advance(); before the first one, later than any time.
    Duration::rep half_left_ = 0;
};

}  // namespace berth
