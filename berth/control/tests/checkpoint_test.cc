// A run that is preempted with mode `checkpoint`: its warning, word of its checkpoint, and its end.
#include "berth/control/core/decision_check.h"
#include "berth/control/tests/control_rig.h"
#include "berth/model/preempted_by.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t kUser1 = 10, kKill = 9, kTerm = 15;

JobSpec saving_job(std::uint32_t nodes) {
    JobSpec spec = testing::make_job({.nodes = nodes, .cpus = 64, .limit = 10h});
    spec.command.edit().checkpoint = "model.pt";
    return spec;
}

class Checkpointed : public ::testing::Test {
protected:
    Checkpointed() : rig(cluster()) { rig.connect_all(); }

    static ClusterSpec cluster() {
        ClusterSpec spec = testing::make_cluster(2);
        spec.partitions.push_back(
            {.name = "high", .nodes = {NodeId(0), NodeId(1)}, .priority_tier = 9});
        spec.scheduling.preemption.by = PreemptBy::partition;
        spec.scheduling.preemption.mode = PreemptMode::checkpoint;
        return spec;
    }
    void run(const JobSpec& spec) {
        low = rig.submit(spec);
        for (const NodeId node : rig.job(low).nodes) rig.started(node.value(), low);
    }
    // What the job that needs the nodes of the other has sent to them.
    std::vector<std::pair<std::uint32_t, SignalAttempt>> preempt() {
        JobSpec spec = testing::make_job({.nodes = 2, .cpus = 64});
        spec.partition = "high";
        rig.now += 1s;
        high = rig.submit(spec);
        EXPECT_TRUE(rig.job(low).must_save());
        return rig.orders<SignalAttempt>();
    }
    void found(std::uint32_t node = 0) {
        rig.report(node, AttemptCheckpointed{JobId(low), Attempt(1)});
    }

    ControlRig rig;
    std::uint32_t low = 0, high = 0;
};

TEST_F(Checkpointed, EachNodeIsWarnedAndTheScriptIsWhereNoStepRuns) {
    run(saving_job(2));
    const auto orders = preempt();
    ASSERT_EQ(orders.size(), 2U);
    for (const auto& [node, order] : orders) {
        EXPECT_EQ(order.job, JobId(low));
        EXPECT_EQ(order.signal, kTerm);
        EXPECT_TRUE(order.checkpoint);
        EXPECT_EQ(order.step, std::nullopt);
        EXPECT_EQ(order.whole_job, node == 0) << "The script is on the first node.";
    }
    rig.wait(10s);
    EXPECT_TRUE(rig.orders<SignalAttempt>().empty()) << "Once.";
    EXPECT_TRUE(rig.orders<EndAttempt>().empty());
}

TEST_F(Checkpointed, StepsAreWarnedWithoutTheirScript) {
    run(saving_job(2));
    CreateStep step{.job = {JobId(low), {}}};
    step.launch.arguments = {"train"};
    rig.ask(kAnn, step);
    for (const auto& [node, order] : preempt()) EXPECT_FALSE(order.whole_job);
}

TEST_F(Checkpointed, ItsOwnSignalIsSentInstead) {
    JobSpec spec = saving_job(2);
    spec.command.edit().warning = WarningSignal{.signal = kUser1, .before = 60s, .batch = true};
    run(spec);
    const auto orders = preempt();
    ASSERT_EQ(orders.size(), 1U) << "The script alone.";
    EXPECT_EQ(orders[0].first, 0U);
    EXPECT_EQ(orders[0].second.signal, kUser1);
    EXPECT_EQ(orders[0].second.step, kBatchStep);
    EXPECT_TRUE(orders[0].second.checkpoint);
}

TEST_F(Checkpointed, ItEndsOnceItHasSaved) {
    run(saving_job(2));
    preempt();
    rig.wait(5s);
    found(1);
    EXPECT_TRUE(rig.facts<CheckpointSeen>().empty()) << "Its script is on the other node.";
    found();
    ASSERT_EQ(rig.facts<CheckpointSeen>().size(), 1U);
    EXPECT_EQ(rig.job(low).outcome, JobState::pending);
    const auto ends = rig.orders<EndAttempt>();
    ASSERT_EQ(ends.size(), 2U);
    for (const auto& [node, order] : ends) {
        EXPECT_EQ(order.signal, kTerm);
        EXPECT_EQ(order.reason, EndReason::preempted);
    }
    found();
    EXPECT_TRUE(rig.facts<CheckpointSeen>().empty());
    for (const std::uint32_t node : {0U, 1U}) rig.report(node, end_report(low, 1, std::nullopt));
    EXPECT_EQ(rig.job(low).state, JobState::pending);
    EXPECT_EQ(rig.job(high).state, JobState::running);
}

TEST_F(Checkpointed, ItIsKilledOnceItsTimeIsOver) {
    run(saving_job(2));
    preempt();
    rig.wait(29s);
    EXPECT_EQ(rig.job(low).state, JobState::running);
    rig.wait(1s);
    EXPECT_EQ(rig.job(low).outcome, JobState::pending);
    EXPECT_EQ(rig.job(low).state_reason, checkpoint_timeout_text(JobId(high)));
    const auto ends = rig.orders<EndAttempt>();
    ASSERT_EQ(ends.size(), 2U);
    EXPECT_EQ(ends[0].second.signal, kKill);
    EXPECT_EQ(ends[0].second.reason, EndReason::preempted);
}

TEST_F(Checkpointed, AScriptThatEndsOfTheWarningIsPreempted) {
    run(saving_job(1));
    preempt();
    rig.report(rig.node_of(low), end_report(low, 1, ExitStatus{.code = 0, .signal = kTerm}));
    EXPECT_EQ(rig.job(low).state, JobState::pending);
    EXPECT_EQ(rig.job(low).state_reason, preempted_by_text(JobId(high)));
}

// Many programs save and end with 0. Where nothing was saved since the warning, 0 means that the
// job is done.
TEST_F(Checkpointed, AScriptThatSavesAndEndsIsPutBack) {
    run(saving_job(1));
    preempt();
    AttemptReport end = end_report(low, 1, ExitStatus{});
    end.checkpointed = true;
    rig.report(rig.node_of(low), end);
    EXPECT_EQ(rig.job(low).state, JobState::pending);
    EXPECT_EQ(rig.job(low).state_reason, preempted_by_text(JobId(high)));
    EXPECT_EQ(rig.facts<CheckpointSeen>().size(), 1U);
}

TEST_F(Checkpointed, AScriptThatEndsWellWithoutSavingIsDone) {
    run(saving_job(1));
    preempt();
    rig.report(rig.node_of(low), end_report(low, 1, ExitStatus{}));
    EXPECT_EQ(rig.job(low).state, JobState::completed);
}

// In one turn the node says that it has saved, and that its script has ended.
TEST_F(Checkpointed, AReplayKnowsThatTheScriptHasEndedItself) {
    run(saving_job(1));
    preempt();
    const std::uint32_t node = rig.node_of(low);
    rig.turn({rig.report_of(node, AttemptCheckpointed{JobId(low), Attempt(1)}),
              rig.report_of(node, end_report(low, 1, ExitStatus{.code = 0, .signal = kTerm}))});
    EXPECT_EQ(rig.job(low).state, JobState::pending);
    DecisionCheck check{ClusterState()};
    for (const Record& record : rig.records) {
        const auto difference = check.take(record);
        ASSERT_FALSE(difference) << difference->recorded << "; here: " << difference->ours;
    }
    EXPECT_EQ(check.state().hash(), rig.state().hash());
}

TEST_F(Checkpointed, AnotherSessionAndAnotherControllerWarnAgain) {
    run(saving_job(2));
    preempt();
    rig.connect(1, {live_report(low)});
    ASSERT_EQ(rig.orders<SignalAttempt>().size(), 1U);
    EXPECT_EQ(rig.orders<SignalAttempt>()[0].first, 1U);
    rig.restart();
    EXPECT_TRUE(rig.job(low).must_save());
    rig.connect(0, {live_report(low)});
    EXPECT_EQ(rig.orders<SignalAttempt>().size(), 1U);
}

TEST_F(Checkpointed, ACheckpointThatAnInventoryTellsOfCounts) {
    run(saving_job(2));
    preempt();
    rig.restart();
    AttemptReport report = live_report(low);
    report.checkpointed = true;
    rig.connect(1, {live_report(low)});
    rig.connect(0, {report});
    EXPECT_EQ(rig.facts<CheckpointSeen>().size(), 1U);
    EXPECT_TRUE(rig.orders<SignalAttempt>().empty());
    EXPECT_EQ(rig.job(low).outcome, JobState::pending);
    rig.restart();  // It is a fact.
    EXPECT_EQ(rig.job(low).outcome, JobState::pending);
    EXPECT_EQ(rig.job(low).state_reason, preempted_by_text(JobId(high)));
}

TEST_F(Checkpointed, AJobMaySaySoItself) {
    run(saving_job(2));
    const auto say = [&](const Principal& who) {
        return rig.ask(who, CheckpointJob{{JobId(low), {}}});
    };
    EXPECT_EQ(why(say(kBob)), Refusal::not_allowed);
    rig.now += 1min;
    EXPECT_TRUE(is_done(say(kAnn)));
    EXPECT_EQ(rig.facts<CheckpointSeen>().size(), 1U);
    EXPECT_EQ(rig.job(low).allocation->checkpoint->at, rig.now);
    EXPECT_TRUE(is_done(say(kAnn)));
    EXPECT_TRUE(rig.facts<CheckpointSeen>().empty()) << "Once is enough.";
    EXPECT_EQ(rig.job(low).state, JobState::running);
    preempt();
    EXPECT_TRUE(is_done(say(kAnn)));
    EXPECT_EQ(rig.job(low).outcome, JobState::pending);
    EXPECT_EQ(rig.job(low).state_reason, preempted_by_text(JobId(high)));
    EXPECT_EQ(why(say(kAnn)), Refusal::job_finished);
}

TEST_F(Checkpointed, AJobThatNamesNoFileHasNothingToSay) {
    const std::uint32_t id = rig.run({.cpus = 1});
    EXPECT_EQ(why(rig.ask(kAnn, CheckpointJob{{JobId(id), {}}})), Refusal::invalid_request);
    JobSpec held = saving_job(1);
    held.hold = true;
    const std::uint32_t waiting = rig.submit(held);
    EXPECT_EQ(why(rig.ask(kAnn, CheckpointJob{{JobId(waiting), {}}})), Refusal::job_pending);
}

TEST_F(Checkpointed, OnlyABatchJobOfOneComponentNamesAFile) {
    const auto refused_for = [&](SubmitJob command) {
        return why(rig.ask(kAnn, std::move(command)));
    };
    JobSpec spec = saving_job(1);
    spec.command.edit().interactive = true;
    EXPECT_EQ(refused_for({spec, {}, {}}), Refusal::not_supported);
    for (const char* path : {"models/", "a\nb"}) {
        spec = saving_job(1);
        spec.command.edit().checkpoint = path;
        EXPECT_EQ(refused_for({spec, {"#!/bin/sh\n", {}}, {}}), Refusal::invalid_request) << path;
    }
    spec = testing::make_job({});
    for (const Duration cost : {Duration(-1), Duration(10'000h)}) {
        spec.command.edit().restart_cost = cost;
        EXPECT_EQ(refused_for({spec, {"#!/bin/sh\n", {}}, {}}), Refusal::invalid_request);
    }
}

TEST_F(Checkpointed, WhatNobodyAskedForIsNoFact) {
    run(saving_job(2));
    found();
    EXPECT_TRUE(rig.facts<CheckpointSeen>().empty());
}

}  // namespace
}  // namespace berth
