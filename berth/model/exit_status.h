// ExitStatus: how a script, a task or a step ended.
#pragma once

#include <algorithm>
#include <cstdint>

#include "berth/base/fields.h"

namespace berth {

struct ExitStatus {
    std::int16_t code = 0;
    std::int16_t signal = 0;  // That ended it; 0: none.

    BERTH_FIELDS(ExitStatus, code, signal)
};

// Slurm's "0:53": a batch script's input or output could not be opened.
inline constexpr ExitStatus kNoFilesExit{.code = 0, .signal = 53};
// Slurm's pseudo signal for a run that exceeded its memory: "0:125".
inline constexpr ExitStatus kOutOfMemoryExit{.code = 0, .signal = 125};

inline constexpr std::int32_t kSignalMax = 64;  // Linux' highest.

// From the numbers that systems and users give.
constexpr std::int16_t exit_number(std::int64_t number) {
    return static_cast<std::int16_t>(std::clamp<std::int64_t>(number, INT16_MIN, INT16_MAX));
}
constexpr ExitStatus exit_by_code(std::int64_t code) { return {exit_number(code), 0}; }
constexpr ExitStatus exit_by_signal(std::int64_t signal) { return {0, exit_number(signal)}; }

}  // namespace berth
