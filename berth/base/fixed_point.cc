#include "berth/base/fixed_point.h"

#include <array>
#include <bit>

#include "berth/base/assert.h"

namespace berth {
namespace {

// 2^-(2^-k) for k = 1, 2 …, in units of 2^-62.
constexpr std::array<std::int64_t, 62> kHalvings = {
    0x2d413cccfe779921, 0x35d13f32b5a75abd, 0x3ab031b9f7490e4c, 0x3d495f454921b30b,
    0x3ea0ecb6dc8a80cf, 0x3f4f83033d21b05d, 0x3fa784571ee3e213, 0x3fd3b2d65447b229,
    0x3fe9d59487236bb4, 0x3ff4e9d4703df843, 0x3ffa74acbdf6c9d5, 0x3ffd3a46ffc6e30f,
    0x3ffe9d1fa8010199, 0x3fff4e8ede053ad5, 0x3fffa747318376ac, 0x3fffd3a38961e6ff,
    0x3fffe9d1c0d8fd14, 0x3ffff4e8df7680c5, 0x3ffffa746f7dc0ec, 0x3ffffd3a37af8098,
    0x3ffffe9d1bd3e854, 0x3fffff4e8de8fe2c, 0x3fffffa746f44197, 0x3fffffd3a37a116b,
    0x3fffffe9d1bd04de, 0x3ffffff4e8de8179, 0x3ffffffa746f407f, 0x3ffffffd3a37a030,
    0x3ffffffe9d1bd014, 0x3fffffff4e8de809, 0x3fffffffa746f404, 0x3fffffffd3a37a02,
    0x3fffffffe9d1bd01, 0x3ffffffff4e8de81, 0x3ffffffffa746f40, 0x3ffffffffd3a37a0,
    0x3ffffffffe9d1bd0, 0x3fffffffff4e8de8, 0x3fffffffffa746f4, 0x3fffffffffd3a37a,
    0x3fffffffffe9d1bd, 0x3ffffffffff4e8df, 0x3ffffffffffa746f, 0x3ffffffffffd3a38,
    0x3ffffffffffe9d1c, 0x3fffffffffff4e8e, 0x3fffffffffffa747, 0x3fffffffffffd3a3,
    0x3fffffffffffe9d2, 0x3ffffffffffff4e9, 0x3ffffffffffffa74, 0x3ffffffffffffd3a,
    0x3ffffffffffffe9d, 0x3fffffffffffff4f, 0x3fffffffffffffa7, 0x3fffffffffffffd4,
    0x3fffffffffffffea, 0x3ffffffffffffff5, 0x3ffffffffffffffa, 0x3ffffffffffffffd,
    0x3fffffffffffffff, 0x3fffffffffffffff,
};

constexpr Wide kInverseLn2 = 1586259972792;  // 1 / ln 2 in units of 2^-40.

}  // namespace

std::int64_t exp2_of_minus(Wide x) {
    BERTH_ASSERT(x >= 0);
    const Wide whole = x >> 62;
    if (whole >= 62) return 0;
    Wide product = kOne62;
    constexpr int kBits = 64;
    auto digits = static_cast<std::uint64_t>(x) << (kBits - 62);  // Behind the point, from the top.
    while (digits != 0) {
        const int k = std::countl_zero(digits);
        product = (product * kHalvings[static_cast<std::size_t>(k)]) >> 62;
        digits &= ~(std::uint64_t{1} << (kBits - 1 - k));
    }
    return static_cast<std::int64_t>(product >> whole);
}

// Digit by digit: the square of x has twice its logarithm.
Wide log2_of(Wide x) {
    BERTH_ASSERT(x > 0);
    Wide result = 0;
    constexpr Wide kOne56 = Wide{1} << 56;
    while (x >= Wide{kOne62} * 2) x >>= 1, result += kOne56;
    while (x < kOne62) x <<= 1, result -= kOne56;
    for (Wide digit = kOne56 >> 1; digit > 0; digit >>= 1) {
        x = (x * x) >> 62;
        if (x < Wide{kOne62} * 2) continue;
        x >>= 1;
        result += digit;
    }
    return result;
}

std::int64_t left_after(Duration elapsed, Duration half_life) {
    BERTH_ASSERT(elapsed.count() >= 0);
    if (half_life.count() <= 0) return kOne62;
    return exp2_of_minus(ratio62(elapsed.count(), half_life.count()));
}

// The integral of 2^(-t/H) from 0 to the length: (1 - 2^(-length/H)) × H / ln 2.
Wide decayed_seconds(Duration length, Duration half_life) {
    if (half_life.count() <= 0) return (Wide{length.count()} << 40) / 1000;
    const Wide gone = kOne62 - left_after(length, half_life);
    const Wide milliseconds = (gone * half_life.count()) >> 22;
    return ((milliseconds * kInverseLn2) >> 40) / 1000;
}

}  // namespace berth
