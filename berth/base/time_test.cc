#include "berth/base/time.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

template <class Clock>
concept HasNow = requires { Clock::now(); };
static_assert(!HasNow<EngineClock>, "a pure module could read the time");

TEST(Time, SecondsRoundDownEvenBeforeTheEpoch) {
    EXPECT_EQ(seconds(Time(Duration(1999))), 1);
    EXPECT_EQ(seconds(Time(Duration(-1))), -1);
    EXPECT_EQ(seconds(Duration(61'000)), 61);
    EXPECT_EQ(from_seconds(61), Time(Duration(61'000)));
}

TEST(Time, NeverIsLaterThanAnyDate) {
    EXPECT_GT(kNever, from_seconds(std::int64_t{4'000'000'000}));
}

}  // namespace
}  // namespace berth
