// Rounds: passes over the whole order, in which each job starts, is planned, or moves to an earlier
// start if there is one, until a round finds none. A round may take several cycles.
//
// Where moves are limited (Engine::limit_moves), every job that could start at once still starts,
// and every new job gets a planned start; the others move, from the head of the order on, until the
// limit is reached. The next cycle begins at the head again.
#pragma once

#include "berth/engine/cycle/start_passes.h"

namespace berth {

class Rounds {
public:
    Rounds(OpenCycle& cycle, StartBounds& bounds, JobPlacer& placer, StartPasses& passes)
        : cycle_(cycle), bounds_(bounds), placer_(placer), passes_(passes) {}

    void run();

private:
    bool run_round();
    bool end_round();
    void look_in_lower_tiers();
    void run_limited();
    void run_in_strict_order();
    bool starts_in_lower_tier(const std::vector<Time>& floors);
    void block_others(const PendingJob& job, std::vector<Time>& floors) const;
    void look_at_new();
    bool tail_is_settled(std::size_t planned_starts_seen);
    bool unplanned_may_start();
    bool is_strict() const;

    OpenCycle& cycle_;
    StartBounds& bounds_;
    JobPlacer& placer_;
    StartPasses& passes_;
};

}  // namespace berth
