// The result of a cycle, and how much work it was.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/model/event.h"

namespace berth {

// How much work a cycle was, for monitoring.
struct CycleWork {
    bool ran = false;         // False: nothing had happened, or it is not time yet.
    std::uint32_t queue = 0;  // Eligible jobs when it began.
    std::uint32_t depth = 0;  // Jobs tried, counting repetitions.
    std::uint32_t tries = 0;  // Searches for a placement.
    std::uint32_t starts = 0;
    std::uint32_t passed = 0;   // Starts ahead of a job that comes earlier in the order.
    std::uint32_t planned = 0;  // Jobs with a planned start when it ended.
    enum class End : std::uint8_t { of_queue, most_starts, out_of_budget } end = End::of_queue;
};

struct Cycle {
    std::vector<Fact> decisions;  // Already applied, in this order.
    // False: the budget ran out. Call again with the same `now` or a later one.
    bool complete = true;
    // When to call again even if nothing happens: a limit, a begin time or a planned start is due.
    std::optional<Time> wake_at;
    CycleWork work = {};
};

}  // namespace berth
