#include "berth/base/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

long double value62(Wide q) {
    return static_cast<long double>(q) / static_cast<long double>(kOne62);
}

TEST(FixedPoint, HalvesExactlyAtEachHalfLife) {
    EXPECT_EQ(left_after(0s, 14h), kOne62);
    EXPECT_EQ(left_after(14h, 14h), kOne62 / 2);
    EXPECT_EQ(left_after(28h, 14h), kOne62 / 4);
    EXPECT_EQ(left_after(100h, Duration{}), kOne62);  // No decay.
    EXPECT_EQ(left_after(24h * 1000, 1h), 0);
}

TEST(FixedPoint, IsAsExactAsItSays) {
    testing::for_each_seed(2000, [](Rng& rng) {
        const Wide x = Wide{rng.between(0, kOne62)} * rng.between(0, 20);
        const long double exact = std::exp2(-value62(x));
        EXPECT_NEAR(static_cast<double>(value62(exp2_of_minus(x)) - exact), 0.0, 0x1p-55);
        const Wide y = rng.between(1, kOne62);
        const long double log = std::log2(value62(y));
        EXPECT_NEAR(static_cast<double>(static_cast<long double>(log2_of(y)) * 0x1p-56L - log), 0.0,
                    0x1p-48);
    });
    EXPECT_EQ(log2_of(kOne62), 0);
    EXPECT_EQ(log2_of(Wide{kOne62} * 8), Wide{3} << 56);
}

TEST(FixedPoint, WeighsASteadyUseByItsAge) {
    EXPECT_EQ(decayed_seconds(1500ms, Duration{}), Wide{3} << 39);
    const long double seconds =
        static_cast<long double>(decayed_seconds(14h, 14h)) / static_cast<long double>(1LL << 40);
    EXPECT_NEAR(static_cast<double>(seconds), 14 * 3600 * 0.5 / std::log(2.0), 1e-6);
    // Short beside the half life, it is nearly its length.
    const long double short_one = static_cast<long double>(decayed_seconds(10s, 24h * 7)) /
                                  static_cast<long double>(1LL << 40);
    EXPECT_NEAR(static_cast<double>(short_one), 10.0, 1e-4);
}

}  // namespace
}  // namespace berth
