#include "berth/engine/derived/next_cycle.h"

#include <gtest/gtest.h>

#include "berth/engine/derived/move_limit.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

constexpr Duration kSubmissionWait = 2s;

TEST(NextCycle, IsDueAtOnceUntilACycleIsComplete) {
    NextCycle next;
    EXPECT_TRUE(next.is_due(Time(1s), kSubmissionWait));
    next.end_cycle(false, Time(1s), {});
    EXPECT_TRUE(next.is_due(Time(1s), kSubmissionWait));
    next.end_cycle(true, {}, {});
    EXPECT_FALSE(next.is_due(Time(99h), kSubmissionWait));
    next.note_change();
    EXPECT_TRUE(next.is_due(Time(1s), kSubmissionWait));
}

TEST(NextCycle, WakesAtTheTimeThatTheLastCycleSaid) {
    NextCycle next;
    next.end_cycle(true, Time(10s), {});
    EXPECT_FALSE(next.is_due(Time(9s), kSubmissionWait));
    EXPECT_TRUE(next.is_due(Time(10s), kSubmissionWait));
}

TEST(NextCycle, LetsSubmissionsWaitForEachOtherButNotLongerThanTheFirst) {
    NextCycle next;
    next.end_cycle(true, Time(10s), {});
    next.note_submission(Time(5s));
    next.note_submission(Time(6s));
    EXPECT_FALSE(next.is_due(Time(6s), kSubmissionWait));
    EXPECT_EQ(next.wake_at(kSubmissionWait), Time(7s));
    EXPECT_TRUE(next.is_due(Time(7s), kSubmissionWait));
    next.end_cycle(true, Time(10s), {});
    EXPECT_EQ(next.wake_at(kSubmissionWait), Time(10s));
    next.note_submission(Time(9s));
    EXPECT_EQ(next.wake_at(kSubmissionWait), Time(10s));  // The cycle that is due anyway serves it.
}

TEST(NextCycle, ForgetsThePauseWhenAllHasChanged) {
    NextCycle next;
    next.end_cycle(true, {}, Time(30s));
    EXPECT_EQ(next.paused_until(), Time(30s));
    next.reset();
    EXPECT_FALSE(next.paused_until().has_value());
    EXPECT_TRUE(next.is_due(Time(1s), kSubmissionWait));
}

TEST(MoveLimit, IsSharedByTheCyclesOfOneMoment) {
    MoveLimit moves;
    EXPECT_TRUE(moves.may_move());  // No limit.
    moves.limit(2);
    moves.begin(Time(1s));
    moves.spend();
    moves.begin(Time(1s));
    EXPECT_TRUE(moves.may_move());
    moves.spend();
    EXPECT_FALSE(moves.may_move());
    moves.begin(Time(2s));
    EXPECT_TRUE(moves.may_move());
}

TEST(MoveLimit, KnowsThatAllHasStartedUntilSomethingIsReleased) {
    MoveLimit moves;
    moves.note_started_all(Time(1s), 7);
    EXPECT_TRUE(moves.has_started_all(Time(1s), 7));
    EXPECT_FALSE(moves.has_started_all(Time(1s), 8));
    EXPECT_FALSE(moves.has_started_all(Time(2s), 7));
    moves.limit(3);
    moves.reset();
    EXPECT_FALSE(moves.has_started_all(Time(1s), 7));
    EXPECT_EQ(moves.most(), 3U);
}

}  // namespace
}  // namespace berth
