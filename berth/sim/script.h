// ScriptPlan: what the script of a simulated job does. It travels as the script's text, so the
// world knows what runs only from what was really launched.
#pragma once

#include <optional>
#include <vector>

#include "berth/base/codec.h"
#include "berth/base/time.h"

namespace berth::sim {

struct StepPlan {
    Duration after{};  // From the script's start.
    Duration runs_for{};
    std::int16_t exit_code = 0;
    std::uint32_t nodes = 1;
    BERTH_FIELDS(StepPlan, after, runs_for, exit_code, nodes)
};

struct ScriptPlan {
    Duration runs_for{};
    std::int16_t exit_code = 0;
    bool ignores_term = false;
    bool out_of_memory = false;
    bool fails_first_launch = false;
    std::uint32_t leftovers = 0;  // Processes that outlive the script.
    Duration leftovers_for{};     // For this long, unless they are ended.
    Duration survives_kill{};     // In uninterruptible sleep.
    std::vector<StepPlan> steps;
    // It saves a checkpoint when it is warned, which takes so long, and does not end of that.
    std::optional<Duration> saves_for;
    BERTH_FIELDS(ScriptPlan, runs_for, exit_code, ignores_term, out_of_memory, fails_first_launch,
                 leftovers, leftovers_for, survives_kill, steps, saves_for)
};

}  // namespace berth::sim
