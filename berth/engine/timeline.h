// Timeline: what is free on one node over time, as a step function.
#pragma once

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
    struct Step {
        Time from;
        Resources free;  // Until the next step.
    };

    explicit Timeline(const Resources& capacity) : steps_{{Time::min(), capacity}} {}

    // Books or gives back an amount from `start` until `end`. Free may fall below zero: who books
    // has looked before, or knows better.
    void book(Time start, Time end, const Resources& amount) { change(start, end, amount, false); }
    void give_back(Time start, Time end, const Resources& amount) {
        change(start, end, amount, true);
    }

    // Forgets what was free before `now`.
    void forget_before(Time now);

    const std::vector<Step>& steps() const { return steps_; }
    std::size_t step_at(Time at) const;  // The step that `at` falls into.
    const Resources& free_at(Time at) const { return steps_[step_at(at)].free; }

    // What is free all the time from `start` until `end`.
    Resources least_free(Time start, Time end) const;
    bool goes_below_zero(Time start, Time end) const;

private:
    void change(Time start, Time end, const Resources& amount, bool more);
    std::size_t split(Time at);  // The step that begins there, made if need be.

    std::vector<Step> steps_;  // By time; the last one never ends.
};

}  // namespace berth
