// Exit statuses from the numbers that systems and users give.
#pragma once

#include <algorithm>

#include "berth/model/exit_status.h"

namespace berth {

constexpr std::int16_t exit_number(std::int64_t number) {
    return static_cast<std::int16_t>(std::clamp<std::int64_t>(number, INT16_MIN, INT16_MAX));
}
constexpr ExitStatus exit_by_code(std::int64_t code) { return {exit_number(code), 0}; }
constexpr ExitStatus exit_by_signal(std::int64_t signal) { return {0, exit_number(signal)}; }

}  // namespace berth
