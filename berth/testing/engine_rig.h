// For the engine's tests: moments, the work that one cycle may do, and a second engine.
#pragma once

#include <gtest/gtest.h>

#include "berth/engine/cycle/engine.h"
#include "berth/engine/state/snapshot.h"

namespace berth {

constexpr Time at(std::int64_t seconds) { return from_seconds(seconds); }
constexpr Time at_ms(std::int64_t ms) { return Time(Duration(ms)); }

inline constexpr Time kNow = from_seconds(1'000'000);
inline constexpr std::uint32_t kBudget = 100'000;  // More than any cycle of a test needs.

// With the same state, and an outlook made anew from it.
inline Engine copy_of(const Engine& engine) {
    return Engine(state_from(slices_of(engine.state(), 1 << 20)).value());
}

}  // namespace berth
