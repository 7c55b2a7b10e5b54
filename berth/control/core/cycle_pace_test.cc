#include "berth/control/core/cycle_pace.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using std::chrono::milliseconds;

constexpr Time kNow = from_seconds(1000);

TEST(CyclePace, RunsShortCyclesWithTheTurnThatMadeThemDue) {
    CyclePace pace;
    EXPECT_TRUE(pace.may_run(kNow, true));
    pace.ran(kNow, milliseconds(1));
    EXPECT_TRUE(pace.may_run(kNow, true));
    EXPECT_EQ(pace.next(kNow), kNow);
}

TEST(CyclePace, LetsAnswersGoBeforeALongCycleButOnlyOnce) {
    CyclePace pace;
    pace.ran(kNow, milliseconds(20));
    const Time later = kNow + milliseconds(500);
    EXPECT_FALSE(pace.may_run(later, true));
    EXPECT_TRUE(pace.may_run(later, true)) << "or those who ask all the time would keep it off";
    EXPECT_TRUE(pace.may_run(later, false));
}

TEST(CyclePace, PausesAfterALongCycleForAsLongAsItIsWorth) {
    const struct {
        milliseconds took, pause;
    } cases[] = {{milliseconds(1), milliseconds(0)},
                 {milliseconds(2), milliseconds(8)},
                 {milliseconds(20), milliseconds(80)},
                 {milliseconds(900), milliseconds(100)}};
    for (const auto& [took, pause] : cases) {
        CyclePace pace_of;
        pace_of.ran(kNow, took);
        EXPECT_EQ(pace_of.next(kNow) - kNow, pause) << took.count();
        EXPECT_EQ(pace_of.may_run(kNow, false), pause == milliseconds(0)) << took.count();
        EXPECT_TRUE(pace_of.may_run(kNow + pause, false)) << took.count();
    }
}

TEST(CyclePace, ForgetsALongCycleAfterAShortOne) {
    CyclePace pace;
    pace.ran(kNow, milliseconds(30));
    const Time later = kNow + milliseconds(100);
    pace.ran(later, milliseconds(0));
    EXPECT_TRUE(pace.may_run(later, true));
}

}  // namespace
}  // namespace berth
