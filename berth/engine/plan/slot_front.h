// SlotFront: of many free slots, those that no other one contains. The earliest start of a run of
// any length lies in one of these, and there are few.
#pragma once

#include <optional>
#include <vector>

#include "berth/engine/plan/free_slot_tree.h"

namespace berth {

class SlotFront {
public:
    void add(Time start, Time end);
    void remove(Time start, Time end);
    void clear();

    // The earliest start from `earliest` on; kNever: there is none. `slots`: all that were added
    // and not removed. It is fast for many questions of one `earliest` between changes.
    Time first_start(const FreeSlotTree& slots, Duration length, Time earliest);

private:
    struct Slot {
        Time start{}, end{};
        friend bool operator==(const Slot&, const Slot&) = default;
    };
    // Each lasts longer than all that start earlier.
    struct Longest {
        Time start{};
        Duration length{};
    };

    void refill(const FreeSlotTree& slots);
    void list_longest(Time earliest);

    std::vector<Slot> slots_;  // Both starts and ends grow.
    // What was removed contained others: some that start in this span may be missing.
    Time stale_from_ = Time::max(), stale_until_ = Time::min();
    std::vector<Longest> longest_;    // From listed_for_ on.
    std::optional<Time> listed_for_;  // nullopt: it is to be listed anew.
};

}  // namespace berth
