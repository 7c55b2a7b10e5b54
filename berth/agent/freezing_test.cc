// How an agent freezes and thaws a run, also across its own restart.
#include <utility>

#include "berth/agent/agent_rig.h"

namespace berth {
namespace {

class Freezing : public ::testing::Test {
protected:
    Freezing() {
        rig.welcome();
        rig.run(launch_of(7, 1));
        rig.forget_past();
    }
    void order(bool frozen, std::uint32_t change, std::uint32_t job = 7) {
        rig.order(FreezeAttempt{JobId(job), Attempt(1), frozen, change});
    }
    // The node has carried it out.
    void node_says(bool frozen, std::uint32_t change, std::uint32_t job = 7) {
        rig.feed({RunFrozen{all_of(job), frozen, change}});
    }
    std::size_t reports() const { return rig.reported<AttemptFrozen>().size(); }
    // "frozen 7, thawed 7"
    std::string done() const {
        std::string words;
        for (const FreezeRun& one : rig.acted<FreezeRun>()) {
            EXPECT_EQ(one.run.step, kExternStep);
            words += (words.empty() ? "" : ", ") + std::string(one.frozen ? "frozen " : "thawed ") +
                     to_string(one.run.job);
        }
        return words;
    }

    AgentRig rig;
};

TEST_F(Freezing, IsReportedOnceItIsDone) {
    order(true, 1);
    EXPECT_EQ(done(), "frozen 7");
    EXPECT_EQ(rig.acted<FreezeRun>()[0].change, 1U);
    EXPECT_EQ(reports(), 0U) << "Some process may still run.";
    node_says(true, 1);
    ASSERT_EQ(reports(), 1U);
    EXPECT_EQ(rig.reported<AttemptFrozen>()[0].change, 1U);
    EXPECT_TRUE(rig.reported<AttemptFrozen>()[0].proved);
    order(false, 2);
    EXPECT_EQ(done(), "frozen 7, thawed 7");
    node_says(false, 2);
    EXPECT_EQ(reports(), 2U);
}

TEST_F(Freezing, TheAnswerToAnEarlierOrderProvesNothing) {
    order(true, 1);
    order(false, 2);
    order(true, 3);
    node_says(true, 1);
    node_says(false, 2);
    EXPECT_EQ(reports(), 0U);
    node_says(true, 3);
    ASSERT_EQ(reports(), 1U);
    EXPECT_EQ(rig.reported<AttemptFrozen>()[0].change, 3U);
}

TEST_F(Freezing, AnOrderThatCameLateDoesNotUndoALaterOne) {
    order(true, 1);
    order(false, 2);
    order(true, 1);
    EXPECT_EQ(done(), "frozen 7, thawed 7");
    node_says(false, 2);
    order(false, 2);  // Repeated: the report may have been lost.
    node_says(false, 2);
    EXPECT_EQ(reports(), 2U);
}

TEST_F(Freezing, WhatIsNotHereOrHasNotStartedIsAskedForAgain) {
    order(true, 1, 9);
    rig.launch(launch_of(8, 1, 1));
    order(true, 1, 8);
    node_says(true, 1, 9);
    EXPECT_EQ(done(), "");
    EXPECT_EQ(reports(), 0U);
    rig.feed({RunStarted{batch_of(8)}});
    order(true, 1, 8);
    EXPECT_EQ(done(), "frozen 8");
}

TEST_F(Freezing, WhatEndsGoesOnFirstSoThatItHearsTheSignal) {
    order(true, 1);
    rig.forget_past();
    rig.order(EndAttempt{JobId(7), Attempt(1), std::chrono::seconds(30)});
    ASSERT_GE(rig.actions.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<FreezeRun>(rig.actions[0]));
    EXPECT_EQ(done(), "thawed 7");
    EXPECT_EQ(rig.signals(), (std::vector<std::string>{"18 all of extern", "15 all of extern"}));
    node_says(false, 1);
    EXPECT_EQ(reports(), 0U) << "Nobody has ordered it to go on.";
    order(true, 3);
    EXPECT_EQ(done(), "thawed 7") << "It is being ended.";
}

TEST_F(Freezing, WhatIsKilledIsKilledBeforeItGoesOn) {
    order(true, 1);
    rig.forget_past();
    rig.order(EndAttempt{JobId(7), Attempt(1), std::chrono::seconds(30), 9});
    ASSERT_EQ(rig.actions.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<SignalRun>(rig.actions[0]));
    EXPECT_TRUE(std::holds_alternative<FreezeRun>(rig.actions[1]));
    EXPECT_EQ(rig.signals(), std::vector<std::string>{"9 all of extern"});
}

// Somebody has killed the script alone: what is left of the run is killed where it stands.
TEST_F(Freezing, WhatIsLeftOfAFrozenRunDoesNotGoOn) {
    order(true, 1);
    node_says(true, 1);
    rig.forget_past();
    rig.feed({RunExited{batch_of(7), {0, 9}}});
    ASSERT_EQ(rig.actions.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<SignalRun>(rig.actions[0]));
    EXPECT_TRUE(std::holds_alternative<FreezeRun>(rig.actions[1]));
    EXPECT_EQ(rig.signals(), std::vector<std::string>{"9 all of extern"});
}

TEST_F(Freezing, TheNextAgentKnowsIt) {
    order(true, 1);
    rig.forget_past();
    rig.start("boot-1", {batch_of(7), all_of(7)});
    EXPECT_EQ(done(), "frozen 7") << "The order may not have reached the node.";
    rig.welcome();
    rig.forget_past();
    order(true, 0);
    EXPECT_EQ(done(), "");
    rig.order(EndAttempt{JobId(7), Attempt(1), std::chrono::seconds(30)});
    EXPECT_EQ(done(), "thawed 7");
}

LaunchStep step_zero() {
    LaunchStep step;
    step.job = JobId(7);
    step.attempt = Attempt(1);
    return step;
}

TEST_F(Freezing, AStepThatComesMeanwhileStartsWhenItsRunGoesOn) {
    order(true, 1);
    node_says(true, 1);
    rig.order(step_zero());
    EXPECT_TRUE(rig.acted<StartStep>().empty());
    rig.start("boot-1", {batch_of(7), all_of(7)});
    rig.welcome();
    rig.order(step_zero());
    EXPECT_TRUE(rig.acted<StartStep>().empty()) << "Another agent knows it, too.";
    rig.forget_past();
    order(false, 2);
    ASSERT_EQ(rig.actions.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<FreezeRun>(rig.actions[0]));
    EXPECT_TRUE(std::holds_alternative<StartStep>(rig.actions[1]));
}

TEST_F(Freezing, ProvesNothingWhileAStepIsStarting) {
    rig.order(step_zero());
    order(true, 1);
    node_says(true, 1);
    EXPECT_EQ(reports(), 0U) << "The step may begin outside of what was frozen.";
    rig.forget_past();
    rig.feed({RunStarted{step_of(7, 0)}});
    EXPECT_EQ(done(), "frozen 7") << "The node is asked once more.";
    node_says(true, 1);
    EXPECT_EQ(reports(), 1U);
}

TEST_F(Freezing, AStepThatCannotStartIsNoReasonToWait) {
    rig.order(step_zero());
    order(true, 1);
    rig.forget_past();
    rig.feed({RunFailedToStart{step_of(7, 0), "no such program"}});
    EXPECT_EQ(done(), "frozen 7");
    node_says(true, 1);
    EXPECT_EQ(reports(), 1U);
}

// Cores are given away only with proof, GPUs never.
TEST_F(Freezing, ItsCoresMayBeUsedOnceItStandsStill) {
    LaunchAttempt other = launch_of(8, 1);
    const DeviceMask gpu = std::exchange(other.share.devices, 0);
    const auto refusal = [&](std::uint32_t job) -> std::string {
        rig.forget_past();
        other.job = JobId(job);
        rig.launch(other);
        const auto ends = rig.reported<AttemptReport>();
        return ends.empty() ? "" : ends[0].failure;
    };
    order(true, 1);
    EXPECT_EQ(refusal(8), "attempt 1 of job 7 holds some of the cores 0 of this node");
    node_says(true, 1);
    rig.start("boot-1", {batch_of(7), all_of(7)});  // Another agent knows it, too.
    rig.welcome();
    EXPECT_EQ(refusal(9), "");
    EXPECT_EQ(rig.acted<StartAttempt>().size(), 1U);
    other.share.devices = gpu;
    other.share.cores = BitSet(8);
    EXPECT_EQ(refusal(10), "attempt 1 of job 7 holds devices 0 of this node");
}

// Until its epilog is over: another job may have begun on its cores long before.
TEST_F(Freezing, WhatIsKilledWhereItStandsHoldsNoCoresAgainstOthers) {
    LaunchAttempt with_epilog = launch_of(6, 1, 3);
    with_epilog.hooks.epilog = {"/epilog"};
    rig.run(with_epilog);
    order(true, 1, 6);
    node_says(true, 1, 6);
    rig.order(EndAttempt{JobId(6), Attempt(1), std::chrono::seconds(30), 9});
    const auto starts = [&](std::uint32_t job) {
        rig.forget_past();
        LaunchAttempt other = launch_of(job, 1, 3);
        other.share.devices = 0;
        rig.launch(other);
        const bool started = rig.acted<StartAttempt>().size() == 1;
        rig.order(EndAttempt{JobId(job), Attempt(1), std::chrono::seconds(30), 9});
        rig.feed({RunFailedToStart{batch_of(job), "it is ended"}});
        return started;
    };
    EXPECT_TRUE(starts(20)) << "It is being killed.";
    rig.feed({RunEmpty{all_of(6)}});
    ASSERT_EQ(rig.acted<StartHook>().size(), 1U);
    EXPECT_TRUE(starts(21)) << "Its epilog runs.";
    order(true, 1);
    rig.order(EndAttempt{JobId(7), Attempt(1), std::chrono::seconds(30), 9});
    rig.forget_past();
    LaunchAttempt other = launch_of(22, 1);
    other.share.devices = 0;
    rig.launch(other);
    EXPECT_TRUE(rig.acted<StartAttempt>().empty()) << "Nothing proves that it stood still.";
}

// The one before may have died before it sent the signal.
TEST_F(Freezing, TheNextAgentKillsWhatWasKilledWhereItStood) {
    order(true, 1);
    node_says(true, 1);
    rig.order(EndAttempt{JobId(7), Attempt(1), std::chrono::seconds(30), 9});
    rig.forget_past();
    rig.start("boot-1", {batch_of(7), all_of(7)});
    EXPECT_EQ(rig.signals(), std::vector<std::string>{"9 all of extern"});
    EXPECT_EQ(done(), "thawed 7");
    rig.welcome();
    rig.forget_past();
    rig.order(EndAttempt{JobId(7), Attempt(1), std::chrono::seconds(30)});
    EXPECT_EQ(rig.signals(), std::vector<std::string>{"9 all of extern"}) << "It hears no TERM.";
}

TEST_F(Freezing, ANoticeThatComesBeforeTheStartWaitsForIt) {
    rig.launch(launch_of(8, 1, 1));
    rig.order(NotifyAttempt{JobId(8), Attempt(1), "early"});
    EXPECT_TRUE(rig.acted<NotifyRun>().empty());
    rig.feed({RunStarted{batch_of(8)}});
    ASSERT_EQ(rig.acted<NotifyRun>().size(), 1U);
    EXPECT_EQ(rig.acted<NotifyRun>()[0].text, "early");
}

TEST_F(Freezing, ANoticeGoesToTheScriptOrToTheSteps) {
    rig.order(NotifyAttempt{JobId(7), Attempt(1), "save now"});
    auto lines = rig.acted<NotifyRun>();
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].run, batch_of(7));
    EXPECT_EQ(lines[0].text, "save now");
    rig.run(launch_of(8, 1, 1, false));
    rig.forget_past();
    rig.order(NotifyAttempt{JobId(8), Attempt(1), "to nobody"});
    EXPECT_TRUE(rig.acted<NotifyRun>().empty());
    LaunchStep step;
    step.job = JobId(8);
    step.attempt = Attempt(1);
    rig.order(step);
    rig.feed({RunStarted{step_of(8, 0)}});
    rig.order(NotifyAttempt{JobId(8), Attempt(1), "to srun"});
    lines = rig.acted<NotifyRun>();
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].run, step_of(8, 0));
}

}  // namespace
}  // namespace berth
