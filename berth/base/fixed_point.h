// Fixed point: fractions in whole numbers, for what decays. The same on every machine, which the
// libraries' exp2() and pow() are not.
#pragma once

#include <cstdint>

#include "berth/base/quantity.h"
#include "berth/base/time.h"

namespace berth {

// A number in units of 2^-62. 1 is kOne62.
inline constexpr std::int64_t kOne62 = std::int64_t{1} << 62;

// part / whole, rounded down. REQUIRES: 0 <= part, 0 < whole, part < 2^65.
constexpr Wide ratio62(Wide part, Wide whole) { return (part << 62) / whole; }

// 2^-x of an x in units of 2^-62, off by less than 2^-55. REQUIRES: x >= 0.
std::int64_t exp2_of_minus(Wide x);

// log2(x) of an x in units of 2^-62, in units of 2^-56, off by less than 2^-48. REQUIRES: x > 0.
Wide log2_of(Wide x);

// What is left of 1 after that time. A half life of 0: all of it. REQUIRES: not negative.
std::int64_t left_after(Duration elapsed, Duration half_life);

// How many seconds, in units of 2^-40, a steady use of that length still weighs when it ends: its
// early part has decayed by then. Without decay it is the length itself.
Wide decayed_seconds(Duration length, Duration half_life);

}  // namespace berth
