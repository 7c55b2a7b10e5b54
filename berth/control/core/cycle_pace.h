// CyclePace: when scheduling cycles run. A short cycle runs in the turn that made it due. When
// cycles take long (a long queue), each runs in a turn of its own: pending answers leave first, and
// after each cycle the controller pauses scheduling for a while to serve requests and reports. The
// caller measures how long cycles take. Decisions are in the journal, so a replay needs no clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "berth/base/time.h"

namespace berth {

// Placement attempts in one cycle, and cycles in one turn. The rest follows in the next turn, so
// that no client waits long for an answer.
inline constexpr std::uint32_t kCycleBudget = 20'000;
inline constexpr int kCyclesPerTurn = 4;

class CyclePace {
public:
    static constexpr Duration kShort = std::chrono::milliseconds(2);
    // The pause after a long cycle: this multiple of its duration, up to the limit below.
    static constexpr int kPause = 4;
    static constexpr Duration kLongestPause = std::chrono::milliseconds(100);

    // Whether a due cycle runs in this turn. `asked`: clients wait for answers of this turn.
    bool may_run(Time now, bool asked) {
        if (now < paused_until_) return false;
        if (!is_long() || !asked || answered_first_) return true;
        answered_first_ = true;
        return false;
    }
    void ran(Time ended, Duration took) {
        took_ = took;
        answered_first_ = false;
        if (is_long()) paused_until_ = ended + std::min(took * kPause, kLongestPause);
    }
    bool is_long() const { return took_ >= kShort; }
    Time next(Time now) const { return std::max(now, paused_until_); }

private:
    Duration took_{};
    Time paused_until_ = Time::min();
    bool answered_first_ = false;  // The last turn skipped its cycle; the next one must not.
};

}  // namespace berth
