#include "berth/engine/plan/timeline.h"

#include <algorithm>
#include <array>

#include "berth/base/assert.h"
#include "berth/base/make_room.h"

namespace berth {

Resources resources_of(std::span<const std::int64_t> cells) {
    Resources amounts;
    for (std::size_t d = 0; d < cells.size(); ++d) amounts[DimensionId::from_index(d)] = cells[d];
    return amounts;
}

Timeline::Timeline(const Resources& capacity, std::size_t dimensions) : stride_(dimensions) {
    starts_.push_back(Time::min().time_since_epoch().count());
    for (std::size_t d = 0; d < dimensions; ++d) {
        cells_.push_back(capacity[DimensionId::from_index(d)]);
    }
}

std::size_t Timeline::step_at(Time at) const {
    const std::int64_t wanted = at.time_since_epoch().count();
    if (size() == 1 || starts_[1] > wanted) return 0;  // The case for `now`, mostly.
    // Step `low` begins at or before `at`, step `high` after it.
    std::size_t low = 1, high = size();
    while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        (starts_[middle] <= wanted ? low : high) = middle;
    }
    return low;
}

bool Timeline::has_room(std::size_t step, const Resources& need) const {
    const auto here = free(step);
    for (std::size_t d = 0; d < here.size(); ++d) {
        if (here[d] < need[DimensionId::from_index(d)]) return false;
    }
    return true;
}

bool Timeline::has_room(Time from, Time until, const Resources& need) const {
    std::size_t i = step_at(from);
    if (!has_room(i, need)) return false;
    for (++i; i < size() && start(i) < until; ++i) {
        if (!has_room(i, need)) return false;
    }
    return true;
}

std::size_t Timeline::split(Time at) {
    const std::size_t i = step_at(at);
    if (start(i) == at) return i;
    const auto from = static_cast<std::ptrdiff_t>(i * stride_);
    const auto width = static_cast<std::ptrdiff_t>(stride_);
    make_room(cells_, stride_);
    make_room(starts_);
    cells_.insert(cells_.begin() + from + width, stride_, 0);
    std::copy_n(cells_.begin() + from, width, cells_.begin() + from + width);
    starts_.insert(starts_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                   at.time_since_epoch().count());
    return i + 1;
}

Timeline::Steps Timeline::cut(Time from, Time until) {
    from = std::max(from, start(0));
    if (until <= from) return {};
    const std::size_t first = split(from);
    return {first, until == kNever ? size() : split(until)};
}

void Timeline::add(const Steps& steps, const Resources& amount, std::int64_t times) {
    std::int64_t* cell = cells_.data() + steps.first * stride_;
    for (std::size_t i = steps.first; i < steps.last; ++i) {
        for (std::size_t d = 0; d < stride_; ++d) {
            *cell++ += times * amount[DimensionId::from_index(d)];
        }
    }
}

// Only the two ends can now equal the step before them.
void Timeline::join(const Steps& steps) {
    const auto drop_if_alike = [&](std::size_t i) {
        if (i == 0 || i >= size() || !std::ranges::equal(free(i), free(i - 1))) return;
        const auto at = cells_.begin() + static_cast<std::ptrdiff_t>(i * stride_);
        cells_.erase(at, at + static_cast<std::ptrdiff_t>(stride_));
        starts_.erase(starts_.begin() + static_cast<std::ptrdiff_t>(i));
    };
    if (steps.empty()) return;
    drop_if_alike(steps.last);
    drop_if_alike(steps.first);
}

void Timeline::change(Time from, Time until, const Resources& amount, std::int64_t times) {
    const Steps steps = cut(from, until);
    add(steps, amount, times);
    join(steps);
}

void Timeline::forget_before(Time now) {
    const std::size_t current = step_at(now);
    if (current == 0) return;
    const auto forgotten = static_cast<std::ptrdiff_t>(current);
    starts_.erase(starts_.begin(), starts_.begin() + forgotten);
    cells_.erase(cells_.begin(), cells_.begin() + forgotten * static_cast<std::ptrdiff_t>(stride_));
    starts_.front() = Time::min().time_since_epoch().count();
}

void Timeline::least_free(Time from, Time until, std::span<std::int64_t> least) const {
    std::size_t i = step_at(from);
    std::ranges::copy(free(i), least.begin());
    for (++i; i < size() && start(i) < until; ++i) {
        const auto here = free(i);
        for (std::size_t d = 0; d < here.size(); ++d) least[d] = std::min(least[d], here[d]);
    }
}

Resources Timeline::least_free(Time from, Time until) const {
    std::array<std::int64_t, kDimensionsMax> cells;  // NOLINT(*-member-init): set up to stride_.
    least_free(from, until, std::span(cells).first(stride_));
    return resources_of(std::span(cells).first(stride_));
}

bool Timeline::goes_below_zero(Time from, Time until) const {
    std::size_t i = step_at(from);
    for (; i < size() && (i == 0 || start(i) < until); ++i) {
        if (std::ranges::any_of(free(i), [](std::int64_t amount) { return amount < 0; })) {
            return true;
        }
    }
    return false;
}

}  // namespace berth
