// Runs that take turns: a run is launched at its first turn, and one goes on when the nodes have
// proved that the other stands still.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

ClusterSpec two_on_each_core() {
    ClusterSpec spec = testing::make_cluster(1, {.sockets = 1, .cores_per_socket = 4});
    spec.scheduling.preemption.gang = true;
    spec.partitions.front().oversubscribe = "FORCE:2";
    return spec;
}

class TakingTurns : public ::testing::Test {
protected:
    TakingTurns() {
        rig.connect_all();
        first = rig.submit({.cpus = 4});
        rig.started(0, first);
        rig.wait(1s);
        second = rig.submit({.cpus = 4});
    }
    void to_next_slice() { rig.wait(30s - (rig.now - Time{}) % 30s); }
    void froze(std::uint32_t id, std::uint32_t change) {
        rig.report(0, AttemptFrozen{JobId(id), Attempt(1), change, true});
    }
    static JobRef ref(std::uint32_t id) { return {JobId(id), {}}; }

    ControlRig rig{two_on_each_core()};
    std::uint32_t first = 0, second = 0;
};

TEST_F(TakingTurns, ARunIsLaunchedAtItsFirstTurn) {
    ASSERT_EQ(rig.job(second).state, JobState::running);
    EXPECT_TRUE(rig.job(second).awaits_turn());
    EXPECT_TRUE(rig.orders<LaunchAttempt>().empty());
    to_next_slice();
    EXPECT_TRUE(rig.orders<LaunchAttempt>().empty());
    auto orders = rig.orders<FreezeAttempt>();
    ASSERT_EQ(orders.size(), 1U);
    EXPECT_EQ(orders[0].second, (FreezeAttempt{JobId(first), Attempt(1), true, 1}));
    froze(first, 1);
    const auto launches = rig.orders<LaunchAttempt>();
    ASSERT_EQ(launches.size(), 1U);
    EXPECT_EQ(launches[0].second.job, JobId(second));
    EXPECT_FALSE(rig.job(second).is_suspended());
    rig.started(0, second);
    to_next_slice();
    orders = rig.orders<FreezeAttempt>();
    ASSERT_FALSE(orders.empty());
    EXPECT_EQ(orders.back().second, (FreezeAttempt{JobId(second), Attempt(1), true, 3}));
    froze(second, 3);
    EXPECT_FALSE(rig.job(first).is_suspended());
    orders = rig.orders<FreezeAttempt>();
    ASSERT_FALSE(orders.empty());
    EXPECT_EQ(orders.back().second, (FreezeAttempt{JobId(first), Attempt(1), false, 2}));
}

TEST_F(TakingTurns, ARunThatHasHadNoTurnIsNotAskedForItsLaunch) {
    rig.wait(10s);
    EXPECT_TRUE(rig.orders<LaunchAttempt>().empty());
    rig.restart();
    rig.connect(0, {live_report(first)});
    EXPECT_TRUE(rig.job(second).awaits_turn());
    EXPECT_TRUE(rig.orders<LaunchAttempt>().empty());
    rig.report(0, end_report(first, 1, ExitStatus{}));
    ASSERT_EQ(rig.orders<LaunchAttempt>().size(), 1U) << "Nobody else has its cores.";
}

TEST_F(TakingTurns, WhatIsCancelledAtRestIsKilledWhereItStands) {
    to_next_slice();
    froze(first, 1);
    rig.started(0, second);
    rig.ask(kOperator, CancelJob{ref(first)});
    auto ends = rig.orders<EndAttempt>();
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(ends[0].second.signal, 9);
    EXPECT_FALSE(rig.job(second).is_suspended());
    rig.ask(kOperator, CancelJob{ref(second)});
    ends = rig.orders<EndAttempt>();
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(ends[0].second.signal, 15) << "It has its turn.";
}

// It would have to go on to hear SIGTERM, beside the run that has its turn.
TEST_F(TakingTurns, AnOrphanIsKilledBesideOtherRuns) {
    to_next_slice();
    froze(first, 1);
    rig.started(0, second);
    rig.connect(0, {live_report(first), live_report(second), live_report(77)});
    const auto ends = rig.orders<EndAttempt>();
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(ends[0].second.job, JobId(77));
    EXPECT_EQ(ends[0].second.signal, 9);
}

TEST_F(TakingTurns, EitherIsHeldIfAnOperatorSuspendedItAndItIsRequeued) {
    for (const std::uint32_t id : {first, second}) {
        ASSERT_TRUE(is_done(rig.ask(kOperator, SuspendJob{ref(id)})));
        ASSERT_TRUE(is_done(rig.ask(kOperator, RequeueJob{ref(id)})));
        rig.report(0, end_report(id, 1, ExitStatus{}));
        EXPECT_EQ(rig.job(id).hold, Hold::admin) << id;
    }
}

// srun asks again until then.
TEST_F(TakingTurns, AStepIsCreatedInItsTurn) {
    CreateStep step{.job = ref(second)};
    step.request.tasks = 1;
    step.launch.arguments = {"true"};
    EXPECT_EQ(why(rig.ask(kAnn, step)), Refusal::step_resources_busy);
    to_next_slice();
    froze(first, 1);
    rig.started(0, second);
    EXPECT_TRUE(std::holds_alternative<StepPlaced>(rig.ask(kAnn, step)));
}

TEST_F(TakingTurns, OperatorsHoldOneBackAndGiveNoTurns) {
    EXPECT_EQ(why(rig.ask(kOperator, SuspendJob{ref(second), true})), Refusal::invalid_request);
    EXPECT_TRUE(is_done(rig.ask(kOperator, SuspendJob{ref(second)})));
    EXPECT_FALSE(rig.job(second).awaits_turn());
    to_next_slice();
    EXPECT_FALSE(rig.job(first).is_suspended());
    EXPECT_TRUE(is_done(rig.ask(kOperator, SuspendJob{ref(second), true})));
    EXPECT_TRUE(rig.job(second).awaits_turn());
    to_next_slice();
    EXPECT_TRUE(rig.job(first).awaits_turn());
}

}  // namespace
}  // namespace berth
