// LimitCounters: what each limit that any job was ever counted in leaves over time. A counter is
// found by what it counts, and has its number from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "berth/engine/limits/limit_terms.h"
#include "berth/engine/plan/count_timeline.h"

namespace berth {

class LimitCounters {
public:
    using Number = std::uint32_t;

    // A counter that is new has this much left at all times.
    Number number_of(const LimitCounter& what, std::int64_t most);
    std::size_t size() const { return counters_.size(); }
    void clear();

    CountTimeline& operator[](Number counter) { return counters_[counter].left; }
    const CountTimeline& operator[](Number counter) const { return counters_[counter].left; }

private:
    struct Counter {
        LimitCounter what;
        CountTimeline left;
    };
    std::size_t place_of(const LimitCounter& what) const;
    void grow();

    std::deque<Counter> counters_;  // Unlike a vector, it has little room to spare.
    // By hash of what they count, or in the next place that is free: their numbers and 1; 0: free.
    // A power of two, of which at most three quarters are taken.
    std::vector<Number> places_;
};

}  // namespace berth
