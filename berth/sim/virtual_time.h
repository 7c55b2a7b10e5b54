// VirtualTime: the time of a simulated world and its events. Events with the same time happen in
// the order of insertion.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "berth/base/assert.h"
#include "berth/base/time.h"

namespace berth::sim {

class VirtualTime {
public:
    explicit VirtualTime(Time start) : now_(start) {}

    Time now() const { return now_; }
    void at(Time when, std::function<void()> what) {
        due_.emplace(std::pair(std::max(when, now_), next_++), std::move(what));
    }
    void in(Duration wait, std::function<void()> what) { at(now_ + wait, std::move(what)); }

    // Runs the next event; false if there is none before `end`.
    bool step(Time end) {
        if (due_.empty() || due_.begin()->first.first > end) return false;
        auto next = due_.extract(due_.begin());
        now_ = next.key().first;
        ++steps_;
        next.mapped()();
        return true;
    }
    std::uint64_t steps() const { return steps_; }

private:
    Time now_;
    std::uint64_t next_ = 0, steps_ = 0;
    std::map<std::pair<Time, std::uint64_t>, std::function<void()>> due_;
};

}  // namespace berth::sim
