// What a cycle decided, and what it did for that.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/model/event.h"

namespace berth {

// What a cycle did, for those who watch over it.
struct CycleWork {
    bool ran = false;         // False: nothing had happened, or it is not time yet.
    std::uint32_t queue = 0;  // Jobs that no gate held back, as it began.
    std::uint32_t depth = 0;  // Looks at a job.
    std::uint32_t tries = 0;  // Searches for a place.
    std::uint32_t starts = 0;
    std::uint32_t passed = 0;   // Starts before a job that comes earlier in the order.
    std::uint32_t planned = 0;  // Jobs that have a planned start, as it ended.
    enum class End : std::uint8_t { of_queue, most_starts, out_of_budget } end = End::of_queue;
};

struct Cycle {
    std::vector<Fact> decisions;  // Already applied, in this order.
    bool complete =
        true;  // False: the budget ran out; call again with the same `now` or a later one.
    std::optional<Time>
        wake_at;  // When something is due though nothing happens: a limit, a begin, a plan.
    CycleWork work = {};
};

}  // namespace berth
