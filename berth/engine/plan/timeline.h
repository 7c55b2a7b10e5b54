// Timeline: what is free on one node over time, as a step function. Steps are dense, since the plan
// of a large cluster has a million of them: they hold only the cluster's dimensions.
#pragma once

#include <span>
#include <vector>

#include "berth/base/time.h"
#include "berth/model/resources.h"

namespace berth {

// `length` after `start`, at most kNever.
constexpr Time after(Time start, Duration length) {
    return length >= kNever - start ? kNever : start + length;
}

// By dimension, from the first one on.
Resources resources_of(std::span<const std::int64_t> cells);

class Timeline {
public:
    explicit Timeline(const Resources& capacity, std::size_t dimensions = kDimensionsMax);

    // Books or gives back an amount in [start, end). Free amounts may fall below zero: the caller
    // has checked, or overbooks on purpose.
    void book(Time start, Time end, const Resources& amount) { change(start, end, amount, -1); }
    void give_back(Time start, Time end, const Resources& amount) { change(start, end, amount, 1); }

    // book() in its parts, for callers that compare the steps before and after. cut() splits the
    // steps at the span's borders, add() adds `times` the amount to each step, join() merges steps
    // that became equal.
    struct Steps {
        std::size_t first = 0, last = 0;  // [first, last).
        bool empty() const { return first == last; }
    };
    Steps cut(Time start, Time end);
    void add(const Steps& steps, const Resources& amount, std::int64_t times);
    void join(const Steps& steps);

    // Forgets everything before `now`.
    void forget_before(Time now);

    // The steps, by time. The last one never ends.
    std::size_t size() const { return starts_.size(); }
    Time start(std::size_t step) const { return Time(Duration(starts_[step])); }
    Time end(std::size_t step) const { return step + 1 < size() ? start(step + 1) : kNever; }
    // What is free during a step, by dimension.
    std::span<const std::int64_t> free(std::size_t step) const {
        return {cells_.data() + step * stride_, stride_};
    }
    bool has_room(std::size_t step, const Resources& need) const;
    // Throughout [start, end).
    bool has_room(Time start, Time end, const Resources& need) const;

    std::size_t step_at(Time at) const;  // The step that contains `at`.
    Resources free_at(Time at) const { return least_free(at, at); }

    // The minimum of each dimension over [start, end).
    Resources least_free(Time start, Time end) const;
    // The same, written to `least`, which has room for each dimension of the timeline.
    void least_free(Time start, Time end, std::span<std::int64_t> least) const;
    std::size_t dimensions() const { return stride_; }
    bool goes_below_zero(Time start, Time end) const;

    // Prefetches the memory of a timeline that is read next.
    void prefetch() const { __builtin_prefetch(starts_.data()); }

private:
    void change(Time start, Time end, const Resources& amount, std::int64_t times);
    std::size_t split(Time at);  // The step that begins at `at`; made if necessary.

    std::size_t stride_;
    std::vector<std::int64_t> starts_;  // When each step begins.
    std::vector<std::int64_t> cells_;   // What is free in each step.
};

}  // namespace berth
