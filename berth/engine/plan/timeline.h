// Timeline: what is free on one node over time, as a step function. Kept dense, since the plan of a
// large cluster is a million steps: only the dimensions that the cluster has.
#pragma once

#include <span>
#include <vector>

#include "berth/base/time.h"
#include "berth/model/resources.h"

namespace berth {

// `length` after `start`, but never past the end of time.
constexpr Time after(Time start, Duration length) {
    return length >= kNever - start ? kNever : start + length;
}

class Timeline {
public:
    explicit Timeline(const Resources& capacity, std::size_t dimensions = kDimensionsMax);

    // Books or gives back an amount from `start` until `end`. Free may fall below zero: who books
    // has looked before, or knows better.
    void book(Time start, Time end, const Resources& amount) { change(start, end, amount, -1); }
    void give_back(Time start, Time end, const Resources& amount) { change(start, end, amount, 1); }

    // The same in its parts, for who looks at the steps before and after: those that make up this
    // span are made, each gets `times` the amount, those are joined that have become alike.
    struct Steps {
        std::size_t first = 0, last = 0;  // From the one to before the other.
        bool empty() const { return first == last; }
    };
    Steps cut(Time start, Time end);
    void add(const Steps& steps, const Resources& amount, std::int64_t times);
    void join(const Steps& steps);

    // Forgets what was free before `now`.
    void forget_before(Time now);

    // The steps, by time; the last one never ends.
    std::size_t size() const { return starts_.size(); }
    Time start(std::size_t step) const { return Time(Duration(starts_[step])); }
    Time end(std::size_t step) const { return step + 1 < size() ? start(step + 1) : kNever; }
    // What is free during a step, by dimension.
    std::span<const std::int64_t> free(std::size_t step) const {
        return {cells_.data() + step * stride_, stride_};
    }
    bool has_room(std::size_t step, const Resources& need) const;
    // All the time from `start` until `end`.
    bool has_room(Time start, Time end, const Resources& need) const;

    std::size_t step_at(Time at) const;  // The step that `at` falls into.
    Resources free_at(Time at) const { return least_free(at, at); }

    // What is free all the time from `start` until `end`.
    Resources least_free(Time start, Time end) const;
    bool goes_below_zero(Time start, Time end) const;

    // It is about to be looked at.
    void prefetch() const { __builtin_prefetch(starts_.data()); }

private:
    void change(Time start, Time end, const Resources& amount, std::int64_t times);
    std::size_t split(Time at);  // The step that begins there, made if need be.

    std::size_t stride_;
    std::vector<std::int64_t> starts_;  // When each step begins.
    std::vector<std::int64_t> cells_;   // What is free in each.
};

}  // namespace berth
