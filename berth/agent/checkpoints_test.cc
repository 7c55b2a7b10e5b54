// How an agent warns a run that must save a checkpoint, and tells of the checkpoint.
#include <algorithm>
#include <utility>

#include "berth/agent/agent_rig.h"

namespace berth {
namespace {

class Checkpointing : public ::testing::Test {
protected:
    Checkpointing() {
        rig.welcome();
        rig.run(launch_of(7, 1));
        rig.forget_past();
    }
    static SignalAttempt warning(std::uint32_t job = 7) {
        return {.job = JobId(job),
                .attempt = Attempt(1),
                .whole_job = true,
                .signal = 15,
                .checkpoint = true};
    }
    static CheckpointFound found(std::uint32_t job = 7) {
        return {{JobId(job), Attempt(1), kBatchStep}};
    }
    std::size_t watches() const { return rig.acted<WatchCheckpoint>().size(); }
    std::size_t told() const { return rig.reported<AttemptCheckpointed>().size(); }

    AgentRig rig;
    const std::vector<std::string> kOneTerm = {"15 all of batch"};
};

TEST_F(Checkpointing, TheNodeWatchesBeforeTheSignalIsSent) {
    rig.order(warning());
    ASSERT_EQ(rig.actions.size(), 2U);
    const auto* const watch = std::get_if<WatchCheckpoint>(&rig.actions.front());
    ASSERT_NE(watch, nullptr);
    EXPECT_EQ(watch->run, found().run);
    EXPECT_EQ(rig.signals(), kOneTerm);
}

TEST_F(Checkpointing, AWarningThatComesAgainIsNotSentAgain) {
    rig.order(warning());
    rig.order(warning());
    rig.link_up();
    rig.welcome();
    rig.order(warning());
    EXPECT_EQ(watches(), 1U);
    EXPECT_EQ(rig.signals(), kOneTerm);
}

TEST_F(Checkpointing, ANewAgentWarnsAgain) {
    rig.order(warning());
    rig.forget_past();
    rig.start("boot-1", {found().run});
    rig.welcome();
    rig.order(warning());
    EXPECT_EQ(watches(), 1U);
    EXPECT_EQ(rig.signals(), kOneTerm);
}

TEST_F(Checkpointing, OtherSignalsAreNoWarnings) {
    SignalAttempt plain = warning();
    plain.checkpoint = false;
    rig.order(plain);
    rig.order(plain);
    EXPECT_EQ(watches(), 0U);
    EXPECT_EQ(rig.signals().size(), 2U);
}

TEST_F(Checkpointing, ARunThatStartsIsWarnedOnceItHas) {
    rig.launch(launch_of(8, 1, 1));
    rig.order(warning(8));
    EXPECT_EQ(watches(), 0U);
    rig.feed({RunStarted{found(8).run}});
    EXPECT_EQ(watches(), 1U);
    EXPECT_EQ(rig.signals(), kOneTerm);
}

TEST_F(Checkpointing, OnlyTheHostOfTheScriptWatches) {
    rig.run(launch_of(8, 1, 1, false));
    rig.order(warning(8));
    EXPECT_EQ(watches(), 0U);
    EXPECT_FALSE(rig.signals().empty());
}

TEST_F(Checkpointing, ACheckpointIsToldAtOnceAndInEachInventory) {
    rig.order(warning());
    EXPECT_EQ(told(), 0U);
    rig.feed({found()});
    EXPECT_EQ(told(), 1U);
    rig.link_up();
    ASSERT_EQ(rig.registration.attempts.size(), 1U);
    EXPECT_TRUE(rig.registration.attempts[0].checkpointed);
    // A new agent has it from the node.
    rig.start("boot-1", {found().run}, {found()});
    rig.link_up();
    ASSERT_EQ(rig.registration.attempts.size(), 1U);
    EXPECT_TRUE(rig.registration.attempts[0].checkpointed);
}

TEST_F(Checkpointing, TheReportOfTheEndTellsOfItToo) {
    rig.order(warning());
    rig.feed({found(), RunExited{found().run, ExitStatus{}}});
    rig.feed({RunEmpty{all_of(7)}});
    const auto ends = rig.reported<AttemptReport>();
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_TRUE(ends[0].checkpointed);
    // So does that of an agent that has learned of both at once.
    rig.run(launch_of(8, 1, 1));
    rig.order(warning(8));
    rig.start("boot-1", {}, {found(8), RunExited{found(8).run, ExitStatus{}}});
    rig.feed({RunEmpty{all_of(8)}});
    rig.link_up();
    const auto own = std::ranges::find(rig.registration.attempts, JobId(8), &AttemptReport::job);
    ASSERT_NE(own, rig.registration.attempts.end());
    EXPECT_TRUE(own->checkpointed);
    EXPECT_FALSE(own->live);
}

TEST_F(Checkpointing, WhatEndsIsNeitherWarnedNorTold) {
    rig.order(EndAttempt{.job = JobId(7), .attempt = Attempt(1)});
    rig.forget_past();
    rig.order(warning());
    EXPECT_EQ(watches(), 0U);
    rig.feed({found(), found(99)});
    EXPECT_EQ(told(), 0U);
}

}  // namespace
}  // namespace berth
