#include "berth/server/views/time_buckets.h"

#include <algorithm>

#include "berth/base/assert.h"

namespace berth {
namespace {

constexpr std::int64_t kHour = 3600;

}  // namespace

TimeBuckets::TimeBuckets(Time from, Time until)
    : from_(seconds(from)), length_(seconds(until) - from_) {
    BERTH_ASSERT(length_ > 0);
    width_ = std::max(kHour, (length_ + kMost - 1) / kMost);
    const std::int64_t buckets = (length_ + width_ - 1) / width_;
    part_.resize(static_cast<std::size_t>(buckets));
    change_.resize(static_cast<std::size_t>(buckets));
}

void TimeBuckets::add(Time begin, Time end, const TresVector& rate) {
    const std::int64_t b = std::max<std::int64_t>(seconds(begin) - from_, 0);
    const std::int64_t e = std::min(seconds(end) - from_, length_);
    if (e <= b) return;
    const std::int64_t first = b / width_, last = (e - 1) / width_;
    const auto at = [](std::vector<TresVector>& all, std::int64_t bucket) -> TresVector& {
        return all[static_cast<std::size_t>(bucket)];
    };
    if (first == last) {
        at(part_, first).add_times(rate, e - b);
        return;
    }
    at(part_, first).add_times(rate, (first + 1) * width_ - b);
    at(part_, last).add_times(rate, e - last * width_);
    if (last == first + 1) return;
    at(change_, first + 1) += rate;
    at(change_, last) -= rate;
}

std::vector<TresVector> TimeBuckets::totals() const {
    std::vector<TresVector> all = part_;
    TresVector rate;
    for (std::size_t i = 0; i < all.size(); ++i) {
        rate += change_[i];
        all[i].add_times(rate, width_);
    }
    return all;
}

Time TimeBuckets::begin_of(std::size_t bucket) const {
    return from_seconds(from_ + static_cast<std::int64_t>(bucket) * width_);
}

std::int64_t overlap(Time begin, Time end, Time from, Time until) {
    return std::max<std::int64_t>(seconds(std::min(end, until)) - seconds(std::max(begin, from)),
                                  0);
}

}  // namespace berth
