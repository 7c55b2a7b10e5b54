// CountTimeline: how many of one thing are free over time: seats of a license, or what a limit
// leaves.
#pragma once

#include <cstdint>

#include "berth/engine/plan/sum_timeline.h"

namespace berth {

class CountTimeline {
public:
    explicit CountTimeline(std::int64_t total) : total_(total), free_({total}) {}

    std::int64_t total() const { return total_; }
    void set_total(std::int64_t total);  // What is booked stays so.

    // In [start, end). It may fall below zero, as Timeline.
    void book(Time start, Time end, std::int64_t count) { free_.add(start, end, {-count}); }
    void give_back(Time start, Time end, std::int64_t count) { free_.add(start, end, {count}); }

    std::int64_t free_at(Time at) const { return free_.at(at).least[0]; }
    bool goes_below_zero(Time start, Time end) const;

    // The first start, from `earliest` on, at which so many are free for `length`, but no longer
    // than until `until`. kNever: there is none.
    Time first_free(std::int64_t count, Time earliest, Duration length, Time until = kNever) const;

private:
    std::int64_t total_;
    SumTimeline<1, KeptBounds::least> free_;
};

}  // namespace berth
