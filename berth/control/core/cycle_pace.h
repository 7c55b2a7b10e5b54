// CyclePace: when the scheduler's cycles run. A short one comes with the turn that made it due.
// Long ones, of a long queue, come in turns of their own: answers leave before them, and after each
// the controller is free for a while for whoever asks and reports. How long they take is measured
// outside; the decisions are in the journal, so a replay asks no clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "berth/base/time.h"

namespace berth {

// Placement attempts of one cycle, and cycles of one turn: what is left goes on in the next turn,
// so that nobody waits long for an answer.
inline constexpr std::uint32_t kCycleBudget = 20'000;
inline constexpr int kCyclesPerTurn = 4;

class CyclePace {
public:
    static constexpr Duration kShort = std::chrono::milliseconds(2);
    // The pause after a long one: so many times what it took, up to this.
    static constexpr int kPause = 4;
    static constexpr Duration kLongestPause = std::chrono::milliseconds(100);

    // Whether one that is due runs in this turn. `asked`: someone waits for this turn's answers.
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
    bool answered_first_ = false;  // One turn was without its cycle; the next one is not.
};

}  // namespace berth
