#include "berth/agent/agent_rig.h"

namespace berth {
namespace {

using Words = std::vector<std::string>;

EndAttempt end_attempt(std::uint32_t job, std::uint32_t attempt = 1) {
    return {JobId{job}, Attempt{attempt}, std::chrono::seconds(30)};
}
void finish(AgentRig& rig, std::uint32_t job, std::uint32_t attempt = 1) {
    rig.feed({RunExited{batch_of(job, attempt)}, RunEmpty{batch_of(job, attempt)},
              RunEmpty{all_of(job, attempt)}});
}
void acknowledge(AgentRig& rig, std::uint32_t job, std::uint32_t attempt = 1) {
    rig.order(AcknowledgeEnd{JobId{job}, Attempt{attempt}, std::nullopt});
}

TEST(Launch, IsOnDiskBeforeItIsActedUpon) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_of(7, 1));
    EXPECT_TRUE(rig.remembers("attempt.7.1"));
    EXPECT_TRUE(rig.remembers("tombstone.7"));
    ASSERT_EQ(rig.acted<StartAttempt>().size(), 1U);
    EXPECT_EQ(rig.acted<StartAttempt>()[0].launch.payload.script, "#!/bin/sh\n");
    EXPECT_TRUE(rig.reported<AttemptStarted>().empty());
    rig.feed({RunStarted{batch_of(7)}});
    EXPECT_EQ(rig.reported<AttemptStarted>().size(), 1U);
}

TEST(Launch, ComesTwiceAndRunsOnce) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_of(7, 1));
    rig.launch(launch_of(7, 1));
    EXPECT_TRUE(rig.reported<AttemptStarted>().empty()) << "It has not started yet.";
    rig.feed({RunStarted{batch_of(7)}});
    rig.launch(launch_of(7, 1));
    EXPECT_EQ(rig.acted<StartAttempt>().size(), 1U);
    EXPECT_EQ(rig.reported<AttemptStarted>().size(), 2U);
}

TEST(Launch, OfAnEndedAttemptIsAnsweredWithItsEnd) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    finish(rig, 7);
    rig.launch(launch_of(7, 1));
    EXPECT_EQ(rig.acted<StartAttempt>().size(), 1U);
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 2U);
    EXPECT_EQ(rig.reported<AttemptReport>()[0], rig.reported<AttemptReport>()[1]);
}

// The protections `attempts` and `tombstones`: after an attempt has ended and was acknowledged,
// only the number remembers it.
TEST(Launch, OfAnAcknowledgedAttemptIsRefusedByItsTombstone) {
    for (const bool attempts : {true, false}) {
        for (const bool tombstones : {true, false}) {
            AgentRig rig(AgentProtections{.attempts = attempts, .tombstones = tombstones});
            rig.welcome();
            rig.run(launch_of(7, 1));
            finish(rig, 7);
            acknowledge(rig, 7);
            rig.forget_past();
            rig.launch(launch_of(7, 1));
            const bool refused = rig.acted<StartAttempt>().empty();
            EXPECT_EQ(refused, attempts && tombstones) << attempts << tombstones;
            if (refused) {
                EXPECT_TRUE(rig.reported<AttemptReport>().at(0).never_ran);
            }
        }
    }
}

TEST(Launch, OfAnOlderAttemptThanTheLastIsRefused) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 3));
    finish(rig, 7, 3);
    acknowledge(rig, 7, 3);
    rig.forget_past();
    rig.launch(launch_of(7, 2));
    EXPECT_TRUE(rig.acted<StartAttempt>().empty());
    rig.launch(launch_of(7, 4));
    EXPECT_EQ(rig.acted<StartAttempt>().size(), 1U);
}

TEST(Launch, AfterAnEndThatOvertookItIsRefused) {
    AgentRig rig;
    rig.welcome();
    rig.order(end_attempt(7));
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
    EXPECT_TRUE(rig.reported<AttemptReport>()[0].never_ran);
    EXPECT_TRUE(rig.remembers("end.7.1")) << "Repeated until acknowledged.";
    acknowledge(rig, 7);
    rig.launch(launch_of(7, 1));
    EXPECT_TRUE(rig.acted<StartAttempt>().empty());
}

TEST(Launch, TombstonesOutliveTheProcessAndTheBoot) {
    for (const char* boot : {"boot-1", "boot-2"}) {
        AgentRig rig;
        rig.welcome();
        rig.order(end_attempt(7));
        acknowledge(rig, 7);
        rig.start(boot);
        rig.welcome();
        rig.launch(launch_of(7, 1));
        EXPECT_TRUE(rig.acted<StartAttempt>().empty());
    }
}

TEST(Launch, TombstonesOfOldJobsGoWithTheWelcome) {
    AgentRig rig;
    rig.welcome();
    for (const std::uint32_t job : {5U, 6U, 9U}) rig.order(end_attempt(job));
    acknowledge(rig, 5);
    acknowledge(rig, 9);
    rig.link_up();
    rig.welcome(JobId{8});
    EXPECT_FALSE(rig.remembers("tombstone.5"));
    EXPECT_TRUE(rig.remembers("tombstone.6")) << "Its end is not acknowledged yet.";
    EXPECT_TRUE(rig.remembers("tombstone.9"));
}

struct OverlapCase {
    const char* what;
    LaunchAttempt second;
    bool refused;
};

// The protection `overlap`: the controller never allocates a GPU twice, so only this test exercises
// it.
TEST(Launch, IsRefusedWhereALiveAttemptHoldsWhatItWants) {
    LaunchAttempt core = launch_of(8, 1, 1);
    core.share.cores.set(0);
    LaunchAttempt wider_mask = launch_of(8, 1, 1);
    wider_mask.share.cores = BitSet(128);
    wider_mask.share.cores.set(0);
    LaunchAttempt nothing = launch_of(8, 1);
    nothing.share = {};
    const std::vector<OverlapCase> cases = {
        {"the same GPU", launch_of(8, 1, 0), true},
        {"another GPU", launch_of(8, 1, 1), false},
        {"another GPU, the same core", core, true},
        {"the same core in a wider mask", wider_mask, true},
        {"no devices at all", nothing, false},
        {"the next attempt of the same job", launch_of(7, 2, 1), true},
    };
    for (const OverlapCase& one : cases) {
        AgentRig rig;
        rig.welcome();
        rig.run(launch_of(7, 1, 0));
        rig.forget_past();
        rig.launch(one.second);
        EXPECT_EQ(rig.acted<StartAttempt>().empty(), one.refused) << one.what;
        if (!one.refused) continue;
        ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U) << one.what;
        EXPECT_NE(rig.reported<AttemptReport>()[0].failure, "") << one.what;
        EXPECT_TRUE(rig.reported<AttemptReport>()[0].never_ran) << one.what;
        EXPECT_EQ(rig.reported<AttemptReport>()[0].not_begun, NotBegun::for_node) << one.what;
        EXPECT_TRUE(rig.remembers("end." + to_string(one.second.job))) << one.what;
        AgentRig open(AgentProtections{.overlap = false});
        open.welcome();
        open.run(launch_of(7, 1, 0));
        open.launch(one.second);
        EXPECT_EQ(open.acted<StartAttempt>().size(), 2U) << one.what;
    }
}

TEST(Launch, OnAFreedGpuIsGood) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1, 0));
    finish(rig, 7);
    rig.launch(launch_of(8, 1, 0));
    EXPECT_EQ(rig.acted<StartAttempt>().size(), 2U);
}

// The report says whether the job or the node is at fault, even after a restart of the agent.
TEST(Launch, ThatFailsSaysWhoseFaultItIs) {
    for (const NotBegun fault : {NotBegun::unknown, NotBegun::for_job, NotBegun::for_node}) {
        AgentRig rig;
        rig.welcome();
        rig.launch(launch_of(7, 1));
        rig.feed({RunFailedToStart{batch_of(7), "no space left on device", fault}});
        ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
        EXPECT_EQ(rig.reported<AttemptReport>()[0].not_begun, fault);
        rig.start("boot-1");
        rig.link_up();
        ASSERT_EQ(rig.registration.attempts.size(), 1U);
        EXPECT_EQ(rig.registration.attempts[0].not_begun, fault);
    }
}

TEST(Launch, ThatFailsIsCleanedUpAndReported) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_of(7, 1));
    rig.feed({RunFailedToStart{batch_of(7), "no such directory: /home/ada"}});
    EXPECT_EQ(rig.acted<RemoveAttempt>().size(), 1U);
    const auto ends = rig.reported<AttemptReport>();
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_FALSE(ends[0].live);
    EXPECT_EQ(ends[0].failure, "no such directory: /home/ada");
    EXPECT_TRUE(rig.remembers("end.7.1"));
    EXPECT_FALSE(rig.remembers("attempt.7.1"));
}

}  // namespace
}  // namespace berth
