// The signals that the agent sends, and the keys of runs that are not steps: the run that stands
// for a whole attempt, and those of prolog and epilog.
#pragma once

#include "berth/agent/memory.h"

namespace berth {

inline constexpr std::int32_t kKill = 9;
inline constexpr std::int32_t kTerm = 15;
inline constexpr std::int32_t kContinue = 18;

// Stands for the attempt's own cgroup, the parent of all others of the attempt.
inline RunKey extern_run(AttemptKey key) { return {key.job, key.attempt, kExternStep}; }

inline bool is_hook(StepId step) { return step == kPrologStep || step == kEpilogStep; }
inline RunKey hook_run(AttemptKey key, Hook hook) {
    return {key.job, key.attempt, hook == Hook::epilog ? kEpilogStep : kPrologStep};
}

}  // namespace berth
