// NextCycle: whether a cycle is due: something has changed since the last one, or it asked to be
// woken by now; and whether it may place jobs yet.
#pragma once

#include <optional>

#include "berth/base/time.h"

namespace berth {

class NextCycle {
public:
    void note_change() { changed_ = true; }
    // A submission that waits for others, so that one cycle serves them all.
    void note_submission(Time now) {
        if (!submitted_at_) submitted_at_ = now;
    }
    // Everything has changed.
    void reset() {
        changed_ = true;
        submitted_at_.reset();
        paused_until_.reset();
    }

    // When it is due though nothing changes. `wait`: how long submissions wait for others.
    std::optional<Time> wake_at(Duration wait) const {
        if (!submitted_at_) return wake_at_;
        const Time due = *submitted_at_ + wait;
        return wake_at_ && *wake_at_ <= due ? wake_at_ : due;
    }
    bool is_due(Time now, Duration wait) const {
        const std::optional<Time> at = wake_at(wait);
        return changed_ || (at && *at <= now);
    }
    // Nothing is placed before this time.
    std::optional<Time> paused_until() const { return paused_until_; }

    void end_cycle(bool complete, std::optional<Time> wake_at, std::optional<Time> paused_until) {
        changed_ = !complete;
        submitted_at_.reset();
        wake_at_ = wake_at;
        paused_until_ = paused_until;
    }

private:
    bool changed_ = true;          // Since the last complete cycle.
    std::optional<Time> wake_at_;  // As the last cycle returned it.
    std::optional<Time> submitted_at_;
    std::optional<Time> paused_until_;
};

}  // namespace berth
