// A new agent process, on the same boot or another: what becomes of the runs.
#include "berth/agent/agent_rig.h"

namespace berth {
namespace {

AgentRig running() {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1, 0));
    rig.order(LaunchStep{.job = JobId{7}, .attempt = Attempt{1}, .step = StepId{0}});
    rig.feed({RunStarted{step_of(7, 0)}});
    rig.forget_past();
    return rig;
}

TEST(Restart, AdoptsWhatIsAlive) {
    AgentRig rig = running();
    rig.start("boot-1", {batch_of(7), step_of(7, 0)});
    rig.link_up();
    EXPECT_EQ(rig.actions.size(), 1U) << "it lists what it knows, and does nothing else";
    ASSERT_EQ(rig.registration.attempts.size(), 1U);
    EXPECT_TRUE(rig.registration.attempts[0].live);
    EXPECT_EQ(rig.registration.attempts[0].live_steps, (std::vector<StepId>{StepId{0}}));
    rig.welcome();
    rig.launch(launch_of(8, 1, 0));
    EXPECT_TRUE(rig.acted<StartAttempt>().empty()) << "Its GPU is still held.";
    rig.feed({RunExited{batch_of(7), {5, 0}}});
    rig.feed({RunExited{step_of(7, 0)}, RunEmpty{step_of(7, 0)}, RunEmpty{all_of(7)}});
    EXPECT_EQ(rig.reported<AttemptReport>().back().batch_exit, (ExitStatus{5, 0}));
}

TEST(Restart, TakesTheExitRecordOfAScriptThatEndedMeanwhile) {
    AgentRig rig = running();
    rig.start("boot-1", {}, {RunExited{batch_of(7), {5, 0}}, RunExited{step_of(7, 0), {6, 0}}});
    EXPECT_FALSE(rig.signals().empty()) << "Leftovers go, and the empty cgroup is asked for.";
    rig.feed({RunEmpty{step_of(7, 0)}, RunEmpty{all_of(7)}});
    rig.link_up();
    ASSERT_EQ(rig.registration.attempts.size(), 1U);
    EXPECT_EQ(rig.registration.attempts[0].batch_exit, (ExitStatus{5, 0}));
    EXPECT_EQ(rig.registration.attempts[0].failure, "");
    ASSERT_EQ(rig.registration.ended_steps.size(), 1U);
    EXPECT_EQ(rig.registration.ended_steps[0].exit, (ExitStatus{6, 0}));
}

TEST(Restart, CountsAsLostWhatIsNeitherAliveNorRecorded) {
    AgentRig rig = running();
    rig.start("boot-1");
    EXPECT_EQ(rig.signals(), (std::vector<std::string>{"9 all of extern"}));
    rig.link_up();
    EXPECT_TRUE(rig.registration.attempts.at(0).live) << "Not before its cgroup is empty.";
    rig.feed({RunEmpty{all_of(7)}});
    rig.welcome();
    const auto ends = rig.reported<AttemptReport>();
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(ends[0].failure, "lost: its script is gone and left no exit record");
    EXPECT_FALSE(ends[0].batch_exit);
}

TEST(Restart, KeepsAnAttemptThatHasNoProcessesOfItsOwn) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1, 0, false));
    rig.start("boot-1");
    rig.link_up();
    EXPECT_TRUE(rig.registration.attempts.at(0).live);
    EXPECT_TRUE(rig.acted<SignalRun>().empty());
    const auto kept = rig.acted<KeepAttempt>();  // Otherwise the node would drop it after a while.
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept[0].job, JobId{7});
    EXPECT_EQ(kept[0].attempt, Attempt{1});
    rig.welcome();
    rig.order(LaunchStep{.job = JobId{7}, .attempt = Attempt{1}, .step = StepId{0}});
    EXPECT_EQ(rig.acted<StartStep>().size(), 1U);
}

// An end was acknowledged, but the removal was lost with the launcher: the node removes attempts
// that are not in the list, and their devices are free.
TEST(Restart, ListsWhatItKnowsAndNotWhatWasAcknowledged) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1, 0));
    rig.run(launch_of(8, 1, 1));
    rig.run(launch_of(9, 1, 2));
    for (const std::uint32_t job : {7U, 9U}) {
        rig.feed({RunExited{batch_of(job)}, RunEmpty{all_of(job)}});
    }
    rig.order(AcknowledgeEnd{JobId{7}, Attempt{1}, std::nullopt});
    rig.forget_past();
    rig.start("boot-1", {batch_of(8)});
    const auto lists = rig.acted<ListAttempts>();
    ASSERT_EQ(lists.size(), 1U);
    EXPECT_EQ(lists[0].known, std::vector<RunKey>{all_of(8)});
    EXPECT_EQ(rig.acted<RemoveAttempt>().size(), 1U) << "of 9, whose end is not acknowledged";
    rig.feed({});
    EXPECT_EQ(rig.acted<ListAttempts>().size(), 1U) << "once";
}

TEST(Restart, KeepsNoAttemptThatEnds) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1, 0, false));
    rig.order(EndAttempt{JobId{7}, Attempt{1}, std::chrono::seconds(30)});
    rig.start("boot-1");
    EXPECT_TRUE(rig.acted<KeepAttempt>().empty());
}

// What the earlier process recorded but did not carry out is carried out now. The node ensures that
// a script that did begin is not started twice: it sees what the earlier process left.
TEST(Restart, StartsWhatHadNotStarted) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_of(7, 1, 0, false));
    rig.launch(launch_of(8, 1, 1, true));
    rig.forget_past();
    rig.start("boot-1");
    ASSERT_EQ(rig.acted<StartAttempt>().size(), 2U);
    EXPECT_EQ(rig.acted<StartAttempt>()[1].launch.payload.script,
              launch_of(8, 1, 1).payload.script);
    rig.feed({RunStarted{batch_of(8)}});
    rig.link_up();
    EXPECT_EQ(rig.registration.attempts.size(), 2U);
    EXPECT_FALSE(rig.remembers("end.8.1"));
}

TEST(Restart, TakesTheNodesWordThatItHadBegun) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_of(8, 1, 1, true));
    rig.start("boot-1");
    rig.feed({RunFailedToStart{batch_of(8), "it was started on this node before"}});
    EXPECT_TRUE(rig.remembers("end.8.1"));
}

TEST(Restart, DoesNotStartWhatHasAnExitRecord) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_of(8, 1, 1, true));
    rig.forget_past();
    rig.start("boot-1", {}, {RunExited{batch_of(8), {5, 0}}});
    EXPECT_TRUE(rig.acted<StartAttempt>().empty());
    rig.feed({RunEmpty{all_of(8)}});
    EXPECT_TRUE(rig.remembers("end.8.1"));
}

TEST(Restart, DoesNotStartWhatWasToEnd) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_of(8, 1, 1, true));
    rig.order(EndAttempt{JobId{8}, Attempt{1}, std::chrono::seconds(30)});
    rig.forget_past();
    rig.start("boot-1");
    EXPECT_TRUE(rig.acted<StartAttempt>().empty());
    rig.feed({RunEmpty{all_of(8)}});
    EXPECT_TRUE(rig.remembers("end.8.1"));
}

TEST(Restart, GoesOnEndingWhatWasEnding) {
    AgentRig rig = running();
    rig.order(EndAttempt{JobId{7}, Attempt{1}, std::chrono::seconds(30)});
    rig.forget_past();
    rig.start("boot-1", {batch_of(7)});
    EXPECT_EQ(rig.signals(), (std::vector<std::string>{"18 all of extern", "15 all of extern"}));
    rig.wait(std::chrono::seconds(30));
    EXPECT_EQ(rig.signals().back(), "9 all of extern");
}

// The launcher died before it had the step, or before it could report the start.
TEST(Restart, StartsAStepThatHadNotStarted) {
    AgentRig rig = running();
    rig.order(LaunchStep{
        .job = JobId{7}, .attempt = Attempt{1}, .step = StepId{1}, .arguments = {"hostname"}});
    rig.forget_past();
    rig.start("boot-1", {batch_of(7), step_of(7, 0)});
    ASSERT_EQ(rig.acted<StartStep>().size(), 1U);
    EXPECT_EQ(rig.acted<StartStep>()[0].launch.arguments, std::vector<std::string>{"hostname"});
    rig.link_up();
    EXPECT_EQ(rig.registration.attempts.at(0).live_steps.size(), 2U);
    EXPECT_TRUE(rig.registration.ended_steps.empty());
    rig.feed({RunFailedToStart{step_of(7, 1), "it was started on this node before"}});
    EXPECT_TRUE(rig.remembers("end.7.1.1"));
}

TEST(Restart, StartsAStepAfterItsAttempt) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_of(7, 1));
    rig.order(LaunchStep{.job = JobId{7}, .attempt = Attempt{1}, .step = StepId{0}});
    rig.forget_past();
    rig.start("boot-1");
    EXPECT_EQ(rig.acted<StartAttempt>().size(), 1U);
    EXPECT_TRUE(rig.acted<StartStep>().empty());
    rig.feed({RunStarted{batch_of(7)}});
    EXPECT_EQ(rig.acted<StartStep>().size(), 1U);
}

TEST(Restart, StartsAStepAfterThePrologThatRan) {
    AgentRig rig;
    rig.welcome();
    LaunchAttempt launch = launch_of(7, 1);
    launch.hooks.prolog = {"/prolog"};
    rig.launch(launch);
    rig.order(LaunchStep{.job = JobId{7}, .attempt = Attempt{1}, .step = StepId{0}});
    const RunKey prolog{JobId{7}, Attempt{1}, kPrologStep};
    rig.forget_past();
    rig.start("boot-1", {prolog});
    rig.feed({RunExited{prolog, {}}});
    rig.feed({RunStarted{batch_of(7)}});
    EXPECT_EQ(rig.acted<StartStep>().size(), 1U);
}

TEST(Restart, DoesNotStartAStepThatWasToEnd) {
    AgentRig rig = running();
    rig.order(LaunchStep{.job = JobId{7}, .attempt = Attempt{1}, .step = StepId{1}});
    rig.order(EndStep{JobId{7}, Attempt{1}, StepId{1}, std::chrono::seconds(30)});
    rig.forget_past();
    rig.start("boot-1", {batch_of(7), step_of(7, 0)});
    EXPECT_TRUE(rig.acted<StartStep>().empty());
    EXPECT_TRUE(rig.remembers("end.7.1.1"));
}

TEST(Restart, FindsTheScriptsEndThatItKnewOfStillKnown) {
    AgentRig rig = running();
    rig.feed({RunExited{batch_of(7), {5, 0}, true}});
    rig.start("boot-1", {step_of(7, 0)});
    rig.feed({RunEmpty{step_of(7, 0)}, RunEmpty{all_of(7)}});
    rig.link_up();
    ASSERT_EQ(rig.registration.attempts.size(), 1U);
    EXPECT_EQ(rig.registration.attempts[0].batch_exit, (ExitStatus{5, 0}));
    EXPECT_TRUE(rig.registration.attempts[0].out_of_memory);
}

TEST(Restart, EndsProcessesThatNothingIsKnownOf) {
    AgentRig rig;
    rig.start("boot-1", {batch_of(66)});
    EXPECT_EQ(rig.signals(), (std::vector<std::string>{"9 all of extern"}));
    rig.welcome();
    rig.launch(launch_of(7, 1, 5));
    EXPECT_TRUE(rig.acted<StartAttempt>().empty()) << "It may hold any GPU.";
    rig.feed({RunEmpty{all_of(66)}});
    rig.launch(launch_of(8, 1, 5));
    EXPECT_EQ(rig.acted<StartAttempt>().size(), 1U);
}

TEST(Restart, RemovesAgainWhatHadEndedBeforeItSpeaksOfIt) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    rig.feed({RunExited{batch_of(7)}, RunEmpty{all_of(7)}});
    rig.forget_past();  // It died after its disk write and before the action.
    rig.start("boot-1");
    ASSERT_EQ(rig.acted<RemoveAttempt>().size(), 1U);
    EXPECT_EQ(rig.acted<RemoveAttempt>()[0].job, JobId{7});
}

TEST(Reboot, EndsEverythingThatRanAndSaysSoAtOnce) {
    AgentRig rig = running();
    rig.run(launch_of(8, 1, 1, false));
    rig.run(launch_of(9, 1, 2));
    // Its cgroup was not empty when the node went down.
    rig.feed({RunExited{batch_of(9), {4, 0}}});
    rig.start("boot-2");
    rig.link_up();
    ASSERT_EQ(rig.registration.attempts.size(), 3U);
    for (const AttemptReport& end : rig.registration.attempts) {
        EXPECT_FALSE(end.live);
        EXPECT_EQ(end.failure.empty(), end.job == JobId{9});
    }
    EXPECT_EQ(rig.registration.attempts[2].batch_exit, (ExitStatus{4, 0}));
    EXPECT_EQ(rig.registration.ended_steps.size(), 1U);
    EXPECT_FALSE(rig.remembers("attempt."));
    EXPECT_FALSE(rig.remembers("step."));
    rig.welcome();
    rig.launch(launch_of(20, 1, 0));
    EXPECT_EQ(rig.acted<StartAttempt>().back().launch.job, JobId{20});
}

TEST(Reboot, TakesTheExitRecordThatWasStillWritten) {
    AgentRig rig = running();
    rig.start("boot-2", {}, {RunExited{batch_of(7), {5, 0}}});
    rig.link_up();
    EXPECT_EQ(rig.registration.attempts.at(0).batch_exit, (ExitStatus{5, 0}));
    EXPECT_FALSE(rig.registration.attempts.at(0).live);
}

TEST(Damage, OfADiskIsTakenForTheSafeThing) {
    AgentRig rig = running();
    rig.run(launch_of(8, 1, 1));
    rig.feed({RunExited{batch_of(8)}, RunEmpty{all_of(8)}});
    for (auto& [key, value] : rig.disk) {
        if (key != "boot") value = "\xff garbage";
    }
    rig.disk["attempt"] = rig.disk["end.x.y"] = rig.disk["step."] = "nonsense";
    rig.forget_past();
    rig.start("boot-1", {batch_of(7)});
    EXPECT_EQ(rig.signals(), (std::vector<std::string>{"9 all of extern"}));
    rig.feed({RunEmpty{all_of(7)}});
    rig.link_up();
    ASSERT_EQ(rig.registration.attempts.size(), 2U);
    for (const AttemptReport& end : rig.registration.attempts) EXPECT_NE(end.failure, "");
}

}  // namespace
}  // namespace berth
