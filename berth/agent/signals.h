// The three signals that end things, and the run that stands for a whole attempt.
#pragma once

#include "berth/agent/memory.h"

namespace berth {

inline constexpr std::int32_t kKill = 9;
inline constexpr std::int32_t kTerm = 15;
inline constexpr std::int32_t kContinue = 18;
inline constexpr std::int32_t kSignalMax = 64;

// The cgroup that all others of the attempt lie beneath.
inline RunKey extern_run(AttemptKey key) { return {key.job, key.attempt, kExternStep}; }

}  // namespace berth
