// MoveLimit: how many searches for an earlier start the cycles of one moment may make for jobs that
// have a planned start (Engine::limit_moves), and what was seen when they last looked for immediate
// starts.
#pragma once

#include <cstdint>

#include "berth/base/assert.h"
#include "berth/base/time.h"
#include "berth/engine/plan/plan_book.h"

namespace berth {

class MoveLimit {
public:
    void limit(std::uint32_t most) { most_ = most; }  // 0: no limit.
    std::uint32_t most() const { return most_; }
    bool applies() const { return most_ > 0; }
    bool may_move() const { return !applies() || left_ > 0; }

    // All cycles of one moment share one quota.
    void begin(Time now) {
        if (at_ == now) return;
        at_ = now;
        left_ = most_;
    }
    void spend() {
        BERTH_ASSERT(left_ > 0);
        --left_;
    }

    // Nothing was seen, and no moment has begun.
    void reset() {
        at_ = started_at_ = Time::min();
        left_ = 0;
        started_after_ = 0;
    }
    // Whether all that could start now was started, and nothing was released since.
    bool has_started_all(Time now, ReleaseNumber last_release) const {
        return started_at_ == now && started_after_ == last_release;
    }
    void note_started_all(Time now, ReleaseNumber last_release) {
        started_at_ = now;
        started_after_ = last_release;
    }

private:
    std::uint32_t most_ = 0;
    std::uint32_t left_ = 0;
    Time at_ = Time::min();
    Time started_at_ = Time::min();
    ReleaseNumber started_after_ = 0;
};

}  // namespace berth
