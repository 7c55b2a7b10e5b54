// The three signals that end things, and the runs that are no steps: the one that stands for a
// whole attempt, and those of the site's programs.
#pragma once

#include "berth/agent/memory.h"

namespace berth {

inline constexpr std::int32_t kKill = 9;
inline constexpr std::int32_t kTerm = 15;
inline constexpr std::int32_t kContinue = 18;

// The cgroup that all others of the attempt lie beneath.
inline RunKey extern_run(AttemptKey key) { return {key.job, key.attempt, kExternStep}; }

inline bool is_hook(StepId step) { return step == kPrologStep || step == kEpilogStep; }
inline RunKey hook_run(AttemptKey key, Hook hook) {
    return {key.job, key.attempt, hook == Hook::epilog ? kEpilogStep : kPrologStep};
}

}  // namespace berth
