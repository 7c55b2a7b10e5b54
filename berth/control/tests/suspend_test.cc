// suspend and resume: permissions, effects, and orders that are repeated until each node has
// carried them out.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

class Suspending : public ::testing::Test {
protected:
    Suspending() { rig.connect_all(); }

    static JobRef ref(std::uint32_t id) { return {JobId(id), {}}; }
    Answer suspend(std::uint32_t id) { return rig.ask(kOperator, SuspendJob{ref(id)}); }
    Answer resume(std::uint32_t id) { return rig.ask(kOperator, SuspendJob{ref(id), true}); }
    AttemptFrozen frozen(std::uint32_t id, std::uint32_t change) {
        return {JobId(id), Attempt(1), change};
    }

    ControlRig rig{2};
};

TEST_F(Suspending, StopsTheRunOnAllItsNodesAndLetsItGoOn) {
    const std::uint32_t id = rig.run({.nodes = 2, .gpus = 1});
    EXPECT_TRUE(is_done(suspend(id)));
    auto orders = rig.orders<FreezeAttempt>();
    ASSERT_EQ(orders.size(), 2U);
    EXPECT_EQ(orders[0].second, (FreezeAttempt{JobId(id), Attempt(1), true, 1}));
    EXPECT_TRUE(rig.job(id).is_suspended());
    rig.report(0, frozen(id, 1));
    rig.report(1, frozen(id, 1));
    rig.wait(2min);
    EXPECT_TRUE(rig.orders<FreezeAttempt>().empty()) << "It is done.";
    EXPECT_TRUE(is_done(resume(id)));
    orders = rig.orders<FreezeAttempt>();
    ASSERT_EQ(orders.size(), 2U);
    EXPECT_EQ(orders[1].second, (FreezeAttempt{JobId(id), Attempt(1), false, 2}));
    EXPECT_FALSE(rig.job(id).is_suspended());
}

TEST_F(Suspending, IsAskedForUntilTheAgentHasDoneIt) {
    const std::uint32_t id = rig.run({.gpus = 1});
    const std::uint32_t node = rig.job(id).nodes.front().value();
    suspend(id);
    rig.now += 10s;
    rig.report(node, Heartbeat{});
    EXPECT_EQ(rig.orders<FreezeAttempt>().size(), 1U);
    rig.connect(node, {live_report(id)});  // Its link was lost.
    rig.wait(1min);
    EXPECT_EQ(rig.orders<FreezeAttempt>().size(), 1U);
    rig.report(node, frozen(id, 1));
    rig.wait(1min);
    EXPECT_TRUE(rig.orders<FreezeAttempt>().empty());
}

TEST_F(Suspending, ANewControllerAsksAgain) {
    const std::uint32_t id = rig.run({.gpus = 1});
    const std::uint32_t node = rig.job(id).nodes.front().value();
    suspend(id);
    rig.report(node, frozen(id, 1));
    rig.restart();
    EXPECT_TRUE(rig.job(id).is_suspended());
    rig.connect(node, {live_report(id)});
    EXPECT_EQ(rig.orders<FreezeAttempt>().size(), 1U);
}

TEST_F(Suspending, WaitsForTheLaunchToHaveHappened) {
    const std::uint32_t id = rig.submit({.gpus = 1});
    suspend(id);
    EXPECT_TRUE(rig.orders<FreezeAttempt>().empty());
    rig.started(rig.job(id).nodes.front().value(), id);
    EXPECT_EQ(rig.orders<FreezeAttempt>().size(), 1U);
}

TEST_F(Suspending, MovesTheEndByItsLimit) {
    const std::uint32_t id = rig.run({.gpus = 1, .limit = 10min});
    const std::uint32_t node = rig.job(id).nodes.front().value();
    const auto pass = [&](Duration time) {
        for (const Time until = rig.now + time; rig.now < until;) {
            rig.now += 30s;
            rig.report(node, Heartbeat{});
        }
    };
    pass(5min);
    suspend(id);
    pass(30min);
    EXPECT_EQ(rig.job(id).state, JobState::running);
    resume(id);
    pass(4min);
    EXPECT_EQ(rig.job(id).state, JobState::running);
    pass(2min);
    EXPECT_EQ(rig.job(id).outcome, JobState::timeout);
}

TEST_F(Suspending, IsForOperatorsAndRunningJobs) {
    const std::uint32_t id = rig.run({.gpus = 1});
    EXPECT_EQ(why(rig.ask(kAnn, SuspendJob{ref(id)})), Refusal::not_allowed);
    EXPECT_EQ(why(resume(id)), Refusal::job_not_suspended);
    EXPECT_TRUE(is_done(suspend(id)));
    EXPECT_TRUE(is_done(suspend(id)));
    EXPECT_EQ(rig.job(id).suspension->changes, 1U);
    EXPECT_EQ(why(rig.ask(kAnn, SuspendJob{ref(id), true})), Refusal::not_allowed);
    JobSpec held = testing::make_job({.gpus = 1});
    held.hold = true;
    EXPECT_EQ(why(suspend(rig.submit(held))), Refusal::job_pending);
    rig.ask(kAnn, CancelJob{ref(id)});
    EXPECT_EQ(why(suspend(id)), Refusal::job_finished);
    EXPECT_EQ(why(suspend(999)), Refusal::unknown_job);
}

TEST_F(Suspending, TakesNoStepsAndIsHeldWhenRequeued) {
    const std::uint32_t id = rig.run({.gpus = 1});
    suspend(id);
    CreateStep step{.job = ref(id)};
    step.launch.arguments = {"hostname"};
    EXPECT_EQ(why(rig.ask(kAnn, step)), Refusal::job_suspended);
    EXPECT_TRUE(is_done(rig.ask(kOperator, RequeueJob{ref(id)})));
    const std::uint32_t node = rig.job(id).nodes.front().value();
    rig.report(node, end_report(id, 1, std::nullopt));
    EXPECT_EQ(rig.job(id).state, JobState::pending);
    EXPECT_EQ(rig.job(id).hold, Hold::admin);
}

// ---- notify

TEST_F(Suspending, ANoticeGoesToTheBatchHostOnce) {
    const std::uint32_t id = rig.run({.nodes = 2, .gpus = 1});
    EXPECT_TRUE(is_done(rig.ask(kAnn, NotifyJob{ref(id), "save now"})));
    const auto orders = rig.orders<NotifyAttempt>();
    ASSERT_EQ(orders.size(), 1U);
    EXPECT_EQ(orders[0].first, rig.job(id).nodes.front().value());
    EXPECT_EQ(orders[0].second.text, "save now");
    EXPECT_EQ(why(rig.ask(kBob, NotifyJob{ref(id), "boo"})), Refusal::not_allowed);
    EXPECT_EQ(why(rig.ask(kAnn, NotifyJob{ref(id), "two\nlines"})), Refusal::invalid_request);
    EXPECT_EQ(why(rig.ask(kAnn, NotifyJob{ref(id), ""})), Refusal::invalid_request);
    EXPECT_EQ(why(rig.ask(kAnn, NotifyJob{ref(id), std::string(5000, 'x')})),
              Refusal::invalid_request);
}

// ---- Suspended for another job.

class SuspendedForAnother : public ::testing::Test {
protected:
    SuspendedForAnother() : rig(cluster()) {
        rig.connect_all();
        low = rig.run({.cpus = 64, .limit = 10h});
        JobSpec spec = testing::make_job({.cpus = 64});
        spec.partition = "high";
        rig.now += 1s;
        high = rig.submit(spec);
    }
    static ClusterSpec cluster() {
        ClusterSpec spec = testing::make_cluster(1);
        spec.partitions.push_back({.name = "high", .nodes = {NodeId(0)}, .priority_tier = 9});
        spec.scheduling.preemption.by = PreemptBy::partition;
        spec.scheduling.preemption.mode = PreemptMode::suspend;
        return spec;
    }
    void prove(std::uint32_t change) {
        rig.report(0, AttemptFrozen{JobId(low), Attempt(1), change, true});
    }
    static JobRef ref(std::uint32_t id) { return {JobId(id), {}}; }

    ControlRig rig;
    std::uint32_t low = 0, high = 0;
};

TEST_F(SuspendedForAnother, ItsCoresAreGivenAwayOnlyOnceItsNodesHaveProvedIt) {
    const auto orders = rig.orders<FreezeAttempt>();
    ASSERT_EQ(orders.size(), 1U);
    EXPECT_EQ(orders[0].second, (FreezeAttempt{JobId(low), Attempt(1), true, 1}));
    EXPECT_TRUE(rig.job(low).is_suspended());
    EXPECT_EQ(rig.job(high).state, JobState::pending);
    prove(0);  // Of an earlier order.
    EXPECT_EQ(rig.job(high).state, JobState::pending);
    prove(1);
    EXPECT_TRUE(rig.job(low).suspension->proved);
    EXPECT_EQ(rig.job(high).state, JobState::running);
    rig.started(0, high);
    rig.report(0, end_report(high, 1, ExitStatus{}));
    EXPECT_FALSE(rig.job(low).is_suspended());
    const auto again = rig.orders<FreezeAttempt>();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].second, (FreezeAttempt{JobId(low), Attempt(1), false, 2}));
}

// An agent of an earlier version reports the order as soon as it has passed it on.
TEST_F(SuspendedForAnother, WhatAnOlderAgentReportsIsNoProof) {
    rig.report(0, AttemptFrozen{JobId(low), Attempt(1), 1, false});
    EXPECT_FALSE(rig.job(low).suspension->proved);
    EXPECT_EQ(rig.job(high).state, JobState::pending);
    prove(1);
    EXPECT_EQ(rig.job(high).state, JobState::running);
}

TEST_F(SuspendedForAnother, ANewControllerKnowsTheProof) {
    prove(1);
    rig.restart();
    EXPECT_TRUE(rig.job(low).suspension->proved);
    EXPECT_EQ(rig.job(high).state, JobState::running);
}

// The next order that its node answers shows that it may be asked again.
TEST_F(SuspendedForAnother, AnAnswerAfterARunHadToGoOnIsRecorded) {
    EXPECT_TRUE(is_done(rig.ask(kAnn, CancelJob{.job = ref(high)})));
    ASSERT_FALSE(rig.job(low).is_suspended());
    EXPECT_TRUE(rig.job(low).suspension->unproved);
    prove(1);
    EXPECT_TRUE(rig.job(low).suspension->unproved) << "An answer to the order before.";
    prove(2);
    EXPECT_FALSE(rig.job(low).suspension->unproved);
    EXPECT_EQ(rig.facts<JobFrozen>().size(), 1U);
    prove(2);
    EXPECT_TRUE(rig.facts<JobFrozen>().empty());
}

TEST_F(SuspendedForAnother, ARunWhoseCoresAreInUseIsKilledWhereItStands) {
    prove(1);
    rig.started(0, high);
    EXPECT_TRUE(is_done(rig.ask(kAnn, CancelJob{.job = ref(low)})));
    const auto ends = rig.orders<EndAttempt>();
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(ends[0].second.signal, 9);
}

TEST_F(SuspendedForAnother, ARunWhoseCoresNobodyHasYetHearsSigterm) {
    EXPECT_TRUE(is_done(rig.ask(kAnn, CancelJob{.job = ref(low)})));
    const auto ends = rig.orders<EndAttempt>();
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(ends[0].second.signal, 15);
}

TEST_F(SuspendedForAnother, OperatorsCannotResumeIt) {
    EXPECT_EQ(why(rig.ask(kOperator, SuspendJob{ref(low), true})), Refusal::invalid_request);
    EXPECT_EQ(why(rig.ask(kOperator, SuspendJob{ref(low)})), Refusal::invalid_request);
    EXPECT_TRUE(rig.job(low).is_suspended());
    EXPECT_TRUE(is_done(rig.ask(kOperator, RequeueJob{.job = ref(low)})));
    EXPECT_EQ(rig.job(low).hold, Hold::none) << "Nobody has asked to hold it.";
}

}  // namespace
}  // namespace berth
