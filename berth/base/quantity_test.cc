#include "berth/base/quantity.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace berth {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) { a + b; };
static_assert(Addable<Bytes, Bytes>);
static_assert(!Addable<Bytes, Millicpu>);
static_assert(!Addable<Bytes, int>);
static_assert(!std::is_convertible_v<std::int64_t, Bytes>);

TEST(Quantity, CountsInItsUnit) {
    EXPECT_EQ(cores(2) + Millicpu(500), Millicpu(2500));
    EXPECT_EQ(gib(1) - mib(24), mib(1000));
    EXPECT_EQ(3 * gpus(2), gpus(6));
    EXPECT_EQ(-gib(1), gib(-1));
    EXPECT_EQ(gib(9) / 2, mib(4608));
    EXPECT_EQ(gib(9) / gib(2), 4);
    EXPECT_EQ(Bytes(), kib(0));
}

TEST(Quantity, HasASmallerAndALarger) {
    EXPECT_EQ(min(gib(2), gib(1)), gib(1));
    EXPECT_EQ(max(gib(2), gib(1)), gib(2));
    EXPECT_LT(mib(1023), gib(1));
}

TEST(Ratio, RoundsDownAndStaysWithinOne) {
    struct Case {
        std::int64_t part;
        std::int64_t whole;
        Ppm fraction;
    };
    // clang-format off
    const Case cases[] = {
        {1,                         3, Ppm(333'333)},
        {3,                         3, kPpmOne},
        {4,                         3, kPpmOne},
        {0,                         3, Ppm(0)},
        {-1,                        3, Ppm(0)},
        {1,                         0, Ppm(0)},
        {gib(1 << 30).count(), gib(1 << 30).count() * 2, Ppm(500'000)},
    };
    // clang-format on
    for (const Case& c : cases) EXPECT_EQ(ratio(c.part, c.whole), c.fraction) << c.part;
    EXPECT_EQ(ratio(gib(1), gib(4)), Ppm(250'000));
}

TEST(Ratio, AndBackAgain) {
    EXPECT_EQ(share_of(1000, Ppm(333'333)), 333);
    EXPECT_EQ(share_of(gib(1 << 30).count(), Ppm(500'000)), gib(1 << 29).count());
}

}  // namespace
}  // namespace berth
