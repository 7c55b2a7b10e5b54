// Series: a quantity over time, in a fixed number of equal buckets, which grow wider as time goes
// on. Integers only; readers compute the mean of a bucket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "berth/base/quantity.h"
#include "berth/base/time.h"

namespace berth::sim {

class Series {
public:
    static constexpr std::size_t kBuckets = 1024;

    explicit Series(Time begin, Duration width = std::chrono::seconds(1))
        : begin_(begin), width_(width) {}

    // The quantity was `value` from `from` until `to`. REQUIRES: intervals come in order.
    void add(Time from, Time to, std::int64_t value) {
        if (to <= from) return;
        while (to - begin_ > width_ * static_cast<Duration::rep>(kBuckets)) widen();
        highest_ = std::max(highest_, value);
        sum_ += Wide{value} * (to - from).count();
        end_ = to;
        while (from < to) {
            const auto bucket = static_cast<std::size_t>((from - begin_) / width_);
            const Time edge = begin_ + width_ * static_cast<Duration::rep>(bucket + 1);
            const Time until = std::min(edge, to);
            if (buckets_.size() <= bucket) buckets_.resize(bucket + 1);
            buckets_[bucket] += Wide{value} * (until - from).count();
            from = until;
        }
    }

    Time begin() const { return begin_; }
    Time end() const { return end_; }
    Duration width() const { return width_; }
    std::int64_t highest() const { return highest_; }
    Wide sum() const { return sum_; }                              // Value × milliseconds.
    const std::vector<Wide>& buckets() const { return buckets_; }  // The same for each bucket.

private:
    void widen() {
        width_ *= 2;
        for (std::size_t i = 0; i < buckets_.size(); i += 2) {
            buckets_[i / 2] = buckets_[i] + (i + 1 < buckets_.size() ? buckets_[i + 1] : 0);
        }
        buckets_.resize((buckets_.size() + 1) / 2);
    }

    Time begin_, end_ = begin_;
    Duration width_;
    std::int64_t highest_ = 0;
    Wide sum_ = 0;
    std::vector<Wide> buckets_;
};

}  // namespace berth::sim
