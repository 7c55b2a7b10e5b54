#include "berth/engine/timeline.h"

#include <algorithm>

#include "berth/base/assert.h"

namespace berth {
namespace {

void lower_to(Resources& least, const Resources& other) {
    for (std::uint32_t i = 0; i < kDimensionsMax; ++i) {
        const DimensionId d(i);
        least[d] = std::min(least[d], other[d]);
    }
}

}  // namespace

std::size_t Timeline::step_at(Time at) const {
    const auto next = std::ranges::upper_bound(steps_, at, {}, &Step::from);
    BERTH_ASSERT(next != steps_.begin());
    return static_cast<std::size_t>(next - steps_.begin()) - 1;
}

std::size_t Timeline::split(Time at) {
    const std::size_t i = step_at(at);
    if (steps_[i].from == at) return i;
    steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(i) + 1, {at, steps_[i].free});
    return i + 1;
}

void Timeline::change(Time start, Time end, const Resources& amount, bool more) {
    start = std::max(start, steps_.front().from);
    if (end <= start) return;
    const std::size_t first = split(start);
    const std::size_t last = end == kNever ? steps_.size() : split(end);
    for (std::size_t i = first; i < last; ++i) {
        if (more) {
            steps_[i].free += amount;
        } else {
            steps_[i].free -= amount;
        }
    }
    // Only the two ends can have become like the step before.
    const auto drop_if_alike = [&](std::size_t i) {
        if (i == 0 || i >= steps_.size() || steps_[i].free != steps_[i - 1].free) return;
        steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(i));
    };
    drop_if_alike(last);
    drop_if_alike(first);
}

void Timeline::forget_before(Time now) {
    const std::size_t current = step_at(now);
    if (current > 0) {
        steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(current));
        steps_.front().from = Time::min();
    }
}

Resources Timeline::least_free(Time start, Time end) const {
    std::size_t i = step_at(start);
    Resources least = steps_[i].free;
    for (++i; i < steps_.size() && steps_[i].from < end; ++i) lower_to(least, steps_[i].free);
    return least;
}

bool Timeline::goes_below_zero(Time start, Time end) const {
    std::size_t i = step_at(start);
    for (; i < steps_.size() && (i == 0 || steps_[i].from < end); ++i) {
        if (!fits(Resources{}, steps_[i].free)) return true;
    }
    return false;
}

}  // namespace berth
