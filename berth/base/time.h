// Time as the pure modules know it: an argument, never something they read.
#pragma once

#include <chrono>
#include <cstdint>

namespace berth {

// A clock without now(): the daemon hands the time into every step, the simulator makes it up.
struct EngineClock {
    using duration = std::chrono::milliseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<EngineClock>;
};

using Time = EngineClock::time_point;  // Since 1970-01-01T00:00:00Z where it is wall time.
using Duration = EngineClock::duration;

inline constexpr Time kNever = Time::max();  // Later than all that will ever happen.

// Whole seconds, rounded down, and back.
constexpr std::int64_t seconds(Duration length) {
    return std::chrono::floor<std::chrono::seconds>(length).count();
}
constexpr std::int64_t seconds(Time at) { return seconds(at.time_since_epoch()); }
constexpr Time from_seconds(std::int64_t since_epoch) {
    return Time(std::chrono::seconds(since_epoch));
}

}  // namespace berth
