// How attempts and steps end on a node.
#include "berth/agent/agent_rig.h"
#include "berth/agent/memory.h"

namespace berth {
namespace {

using Words = std::vector<std::string>;

EndAttempt end_of(std::uint32_t job, int kill_wait = 30, std::int32_t signal = 15) {
    return {JobId{job}, Attempt{1}, std::chrono::seconds(kill_wait), signal};
}
LaunchStep step_order(std::uint32_t job, std::uint32_t step) {
    return {.job = JobId{job}, .attempt = Attempt{1}, .step = StepId{step}};
}

TEST(End, TermsThenKillsThenReportsWhenEmpty) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    rig.order(end_of(7));
    EXPECT_EQ(rig.signals(), (Words{"18 all of extern", "15 all of extern"}));
    rig.wait(std::chrono::seconds(29));
    EXPECT_EQ(rig.signals().size(), 2U);
    rig.wait(std::chrono::seconds(1));
    EXPECT_EQ(rig.signals().back(), "9 all of extern");
    rig.wait(std::chrono::seconds(5));
    EXPECT_EQ(rig.signals().size(), 4U) << "An unkillable process is tried again.";
    EXPECT_TRUE(rig.reported<AttemptReport>().empty());
    rig.feed({RunExited{batch_of(7), {0, 9}}, RunEmpty{all_of(7)}});
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
    EXPECT_EQ(rig.reported<AttemptReport>()[0].batch_exit, (ExitStatus{0, 9}));
    EXPECT_EQ(rig.acted<RemoveAttempt>().size(), 1U);
}

TEST(End, ReportsWhatLivesOnThoughItWasKilled) {
    AgentRig rig;
    rig.welcome();
    LaunchAttempt launch = launch_of(7, 1);
    launch.unkillable_wait = std::chrono::seconds(60);
    rig.run(launch);
    rig.order(end_of(7));
    rig.wait(std::chrono::seconds(30));  // SIGKILL.
    for (int i = 0; i < 59; ++i) rig.wait(std::chrono::seconds(1));
    EXPECT_TRUE(rig.reported<AttemptUnkillable>().empty());
    EXPECT_LE(rig.wake_at, rig.now + std::chrono::seconds(1));
    rig.wait(std::chrono::seconds(1));
    ASSERT_EQ(rig.reported<AttemptUnkillable>().size(), 1U);
    EXPECT_EQ(rig.reported<AttemptUnkillable>()[0].job, JobId(7));
    for (int i = 0; i < 60; ++i) rig.wait(std::chrono::seconds(1));
    EXPECT_EQ(rig.reported<AttemptUnkillable>().size(), 2U) << "Said again, as it may be lost.";
    rig.feed({RunExited{batch_of(7), {0, 9}}, RunEmpty{all_of(7)}});
    for (int i = 0; i < 120; ++i) rig.wait(std::chrono::seconds(1));
    EXPECT_EQ(rig.reported<AttemptUnkillable>().size(), 2U);
}

TEST(End, ReportsAStepThatLivesOn) {
    AgentRig rig;
    rig.welcome();
    LaunchAttempt launch = launch_of(7, 1);
    launch.unkillable_wait = std::chrono::seconds(4);
    rig.run(launch);
    LaunchStep step;
    step.job = JobId(7);
    step.attempt = Attempt(1);
    rig.order(step);
    rig.feed({RunStarted{step_of(7, 0)}});
    rig.order(EndStep{JobId(7), Attempt(1), StepId(0), std::chrono::seconds(1)});
    rig.wait(std::chrono::seconds(1));
    rig.wait(std::chrono::seconds(4));
    EXPECT_EQ(rig.reported<AttemptUnkillable>().size(), 1U);
    rig.feed({RunExited{step_of(7, 0), {0, 9}}, RunEmpty{step_of(7, 0)}});
    rig.wait(std::chrono::seconds(60));
    EXPECT_EQ(rig.reported<AttemptUnkillable>().size(), 1U) << "Its job goes on.";
}

LaunchAttempt named_launch(Words nodes) {
    LaunchAttempt launch = launch_of(7, 1);
    launch.node_names = std::move(nodes);
    return launch;
}

// "*** JOB 7 ON n0 CANCELLED AT | ***" to "batch"
Words notices(const AgentRig& rig) {
    Words lines;
    for (const NotifyRun& one : rig.acted<NotifyRun>()) {
        EXPECT_EQ(one.time, rig.now);
        lines.push_back(one.text + "|" + one.rest);
        EXPECT_EQ(one.run.step == kBatchStep, one.text.starts_with("*** JOB"));
    }
    return lines;
}

TEST(End, IsToldAStepThatIsStillStartingOnceItHasStarted) {
    AgentRig rig;
    rig.welcome();
    rig.run(named_launch({"n0"}));
    LaunchStep step = step_order(7, 0);
    step.node_names = {"n0"};
    rig.order(step);
    rig.order(EndStep{JobId(7), Attempt(1), StepId(0), std::chrono::seconds(30)});
    EXPECT_TRUE(notices(rig).empty()) << "nobody would hear of it yet";
    rig.forget_past();
    rig.feed({RunStarted{step_of(7, 0)}});
    EXPECT_EQ(notices(rig), Words{"*** STEP 7.0 ON n0 CANCELLED AT | ***"});
    ASSERT_FALSE(rig.actions.empty());
    EXPECT_TRUE(std::holds_alternative<NotifyRun>(rig.actions[0])) << "before the signal";
}

TEST(End, IsToldInTheOutputsBeforeTheSignals) {
    AgentRig rig;
    rig.welcome();
    rig.run(named_launch({"n0", "n1"}));
    LaunchStep first = step_order(7, 0), other = step_order(7, 1), over = step_order(7, 2),
               late = step_order(7, 3);
    for (LaunchStep* const step : {&first, &other, &over, &late}) step->node_names = {"n0", "n1"};
    other.node_index = 1;
    for (const LaunchStep& step : {first, other, over, late}) {
        rig.order(step);
        rig.feed({RunStarted{step_of(7, step.step.value())}});
    }
    rig.order(EndStep{JobId(7), Attempt(1), StepId(2), std::chrono::seconds(30)});
    EXPECT_EQ(notices(rig), Words{"*** STEP 7.2 ON n0 CANCELLED AT | ***"});
    rig.forget_past();
    rig.order(EndStep{JobId(7), Attempt(1), StepId(3), {}, EndReason::time_limit});
    EXPECT_EQ(notices(rig), Words{"*** STEP 7.3 ON n0 CANCELLED AT | DUE TO TIME LIMIT ***"});
    rig.forget_past();
    EndAttempt end = end_of(7);
    end.reason = EndReason::time_limit;
    rig.order(end);
    EXPECT_EQ(notices(rig), (Words{"*** STEP 7.0 ON n0 CANCELLED AT | DUE TO TIME LIMIT ***",
                                   "*** JOB 7 ON n0 CANCELLED AT | DUE TO TIME LIMIT ***"}))
        << "step 1 says so on its first node, and step 2 has said why it ends";
    ASSERT_FALSE(rig.actions.empty());
    EXPECT_TRUE(std::holds_alternative<NotifyRun>(rig.actions[0]));
    EXPECT_TRUE(std::holds_alternative<SignalRun>(rig.actions[2]));
    rig.forget_past();
    rig.order(end);
    EXPECT_TRUE(notices(rig).empty()) << "the order came again";
}

TEST(End, OfAScriptIsToldToNobody) {
    AgentRig rig;
    rig.welcome();
    rig.run(named_launch({"n0"}));
    for (const std::uint32_t id : {0U, 1U}) {
        LaunchStep step = step_order(7, id);
        step.node_names = {"n0"};
        rig.order(step);
        rig.feed({RunStarted{step_of(7, id)}});
    }
    rig.feed({RunExited{step_of(7, 0), {}}, RunExited{batch_of(7), {}}});
    EXPECT_TRUE(notices(rig).empty()) << "as Slurm, which ends the step that still runs, too";
    rig.order(end_of(7));
    EXPECT_TRUE(notices(rig).empty());
}

TEST(End, WhileItStartsIsToldOnceItHasStarted) {
    AgentRig rig;
    rig.welcome();
    rig.launch(named_launch({"n0"}));
    EndAttempt end = end_of(7);
    end.reason = EndReason::preempted;
    rig.order(end);
    EXPECT_TRUE(notices(rig).empty());
    rig.feed({RunStarted{batch_of(7)}});
    EXPECT_EQ(notices(rig), Words{"*** JOB 7 ON n0 CANCELLED AT | DUE TO PREEMPTION ***"});
}

TEST(End, HasSlurmsWordsForEachReason) {
    const std::vector<std::pair<EndReason, std::string>> reasons = {
        {EndReason::cancelled, ""},
        {EndReason::requeued, " DUE TO JOB REQUEUE"},
        {EndReason::node_failed, " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"}};
    for (const auto& [reason, text] : reasons) {
        AgentRig rig;
        rig.welcome();
        rig.run(named_launch({"n0"}));
        EndAttempt end = end_of(7);
        end.reason = reason;
        rig.order(end);
        EXPECT_EQ(notices(rig), Words{"*** JOB 7 ON n0 CANCELLED AT |" + text + " ***"});
    }
}

TEST(End, OfAScriptWhoseFilesCouldNotBeOpenedSaysWhich) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    RunExited exited{batch_of(7), kNoFilesExit};
    exited.failure = "Could not open stdout file /x: Permission denied";
    rig.feed({exited, RunEmpty{all_of(7)}});
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
    EXPECT_EQ(rig.reported<AttemptReport>()[0].batch_exit, kNoFilesExit);
    EXPECT_EQ(rig.reported<AttemptReport>()[0].failure, exited.failure);
}

TEST(End, WhatIgnoresTermAfterItsScriptsEndIsKilledWithinKillWait) {
    AgentRig rig;
    rig.welcome();
    LaunchAttempt launch = launch_of(7, 1);
    launch.kill_wait = std::chrono::seconds(4);
    rig.run(launch);
    rig.feed({RunExited{batch_of(7), {0, 0}}});
    EXPECT_EQ(rig.signals(), (Words{"18 all of extern", "15 all of extern"}));
    rig.wait(std::chrono::seconds(3));
    EXPECT_EQ(rig.signals().size(), 2U);
    rig.wait(std::chrono::seconds(1));
    EXPECT_EQ(rig.signals().back(), "9 all of extern");
}

TEST(End, WithSignalNineKillsAtOnce) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    rig.order(end_of(7, 30, 9));
    EXPECT_EQ(rig.signals(), (Words{"9 all of extern"}));
    rig.wait(std::chrono::seconds(5));
    EXPECT_EQ(rig.signals().size(), 2U);
}

TEST(End, ASecondOrderDoesNotGiveMoreTime) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    rig.order(end_of(7));
    rig.wait(std::chrono::seconds(20));
    rig.order(end_of(7));
    EXPECT_EQ(rig.signals().size(), 2U);
    rig.wait(std::chrono::seconds(10));
    EXPECT_EQ(rig.signals().back(), "9 all of extern");
}

TEST(End, WhileItStartsReachesItOnceItRuns) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_of(7, 1));
    rig.order(end_of(7));
    rig.feed({RunEmpty{all_of(7)}});
    EXPECT_TRUE(rig.reported<AttemptReport>().empty()) << "It is still being started.";
    rig.forget_past();
    rig.feed({RunStarted{batch_of(7)}});
    EXPECT_EQ(rig.signals(), (Words{"15 all of extern"}));
    rig.feed({RunExited{batch_of(7), {0, 15}}, RunEmpty{all_of(7)}});
    EXPECT_EQ(rig.reported<AttemptReport>().size(), 1U);
}

// Only an end that came before the order to end counts as the script's own.
TEST(End, TellsWhenTheScriptEndedIfItWasNotToldTo) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    const Time began = rig.now;
    // The agent was suspended; both events are there when it wakes up.
    rig.now += std::chrono::hours(1);
    rig.order(end_of(7));
    RunExited exited{batch_of(7)};
    exited.ended_at = began + std::chrono::minutes(5);
    rig.feed({exited, RunEmpty{all_of(7)}});
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
    EXPECT_EQ(rig.reported<AttemptReport>()[0].ended_at, exited.ended_at);

    AgentRig told;
    told.welcome();
    told.run(launch_of(7, 1));
    told.order(end_of(7));
    exited.ended_at = told.now + std::chrono::milliseconds(10);
    told.now += std::chrono::seconds(1);
    told.feed({exited, RunEmpty{all_of(7)}});
    ASSERT_EQ(told.reported<AttemptReport>().size(), 1U);
    EXPECT_EQ(told.reported<AttemptReport>()[0].ended_at, std::nullopt);
}

// The protection `wait_for_empty`.
TEST(End, IsReportedOnlyWhenTheCgroupIsEmpty) {
    for (const bool wait : {true, false}) {
        AgentRig rig(AgentProtections{.wait_for_empty = wait});
        rig.welcome();
        rig.run(launch_of(7, 1));
        rig.feed({RunExited{batch_of(7)}});
        EXPECT_EQ(rig.reported<AttemptReport>().empty(), wait);
        EXPECT_EQ(rig.acted<RemoveAttempt>().empty(), wait);
    }
}

TEST(End, OfTheScriptEndsWhateverElseRuns) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    rig.order(step_order(7, 0));
    rig.feed({RunStarted{step_of(7, 0)}});
    rig.feed({RunExited{batch_of(7), {3, 0}}, RunEmpty{batch_of(7)}});
    EXPECT_EQ(rig.signals(), (Words{"18 all of extern", "15 all of extern"}));
    EXPECT_TRUE(rig.remembers("attempt.7.1"));
    rig.wait(std::chrono::seconds(30));
    EXPECT_EQ(rig.signals().back(), "9 all of extern");
    rig.feed({RunExited{step_of(7, 0), {0, 9}}, RunEmpty{step_of(7, 0)}, RunEmpty{all_of(7)}});
    ASSERT_EQ(rig.reported<StepReport>().size(), 1U);
    EXPECT_EQ(rig.reported<StepReport>()[0].exit, (ExitStatus{0, 9}));
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
    EXPECT_EQ(rig.reported<AttemptReport>()[0].batch_exit, (ExitStatus{3, 0}));
}

TEST(End, WaitsForAStepThatIsJustStarting) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    rig.order(step_order(7, 0));
    rig.feed({RunExited{batch_of(7)}, RunEmpty{all_of(7)}});
    EXPECT_TRUE(rig.reported<AttemptReport>().empty());
    rig.forget_past();
    rig.feed({RunStarted{step_of(7, 0)}});
    EXPECT_EQ(rig.signals(), (Words{"15 all of extern"}));
    rig.feed({RunEmpty{all_of(7)}});
    EXPECT_EQ(rig.reported<AttemptReport>().size(), 1U);
    EXPECT_EQ(rig.reported<StepReport>().at(0).failure, "ended with its job");
}

TEST(End, OfAnEmptyCgroupBetweenStepsIsNone) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1, 0, false));  // Not the batch host: nothing runs there between steps.
    rig.feed({RunEmpty{all_of(7)}});
    EXPECT_TRUE(rig.reported<AttemptReport>().empty());
    rig.order(end_of(7));
    rig.feed({RunEmpty{all_of(7)}});
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
    EXPECT_FALSE(rig.reported<AttemptReport>()[0].batch_exit);
    EXPECT_EQ(rig.reported<AttemptReport>()[0].failure, "");
}

TEST(End, WithoutAnExitStatusIsAFailure) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    rig.feed({RunEmpty{batch_of(7)}});
    rig.feed({RunEmpty{all_of(7)}});
    EXPECT_EQ(rig.reported<AttemptReport>().at(0).failure,
              "its script is gone and left no exit status");
}

TEST(Steps, RunOnlyInALiveAttempt) {
    AgentRig rig;
    rig.welcome();
    rig.order(step_order(7, 0));
    EXPECT_TRUE(rig.acted<StartStep>().empty());
    EXPECT_EQ(rig.reported<StepReport>().at(0).failure,
              "attempt 1 of job 7 does not run on this node");
}

TEST(Steps, WaitForTheirAttemptToStart) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_of(7, 1));
    rig.order(step_order(7, 0));
    EXPECT_TRUE(rig.acted<StartStep>().empty());
    rig.feed({RunStarted{batch_of(7)}});
    ASSERT_EQ(rig.acted<StartStep>().size(), 1U);
    EXPECT_TRUE(rig.acted<StartStep>()[0].attempt.payload.script.empty());
    rig.order(step_order(7, 0));
    EXPECT_EQ(rig.acted<StartStep>().size(), 1U) << "It came twice.";
}

TEST(Steps, ThatEndedDoNotRunAgain) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    rig.order(step_order(7, 0));
    rig.feed({RunStarted{step_of(7, 0)}, RunExited{step_of(7, 0)}});
    EXPECT_TRUE(rig.reported<StepReport>().empty()) << "Its cgroup is not empty yet.";
    rig.feed({RunEmpty{step_of(7, 0)}});
    EXPECT_EQ(rig.reported<StepReport>().size(), 1U);
    EXPECT_TRUE(rig.remembers("end.7.1.0"));
    rig.order(AcknowledgeEnd{JobId{7}, Attempt{1}, StepId{0}});
    EXPECT_FALSE(rig.remembers("end.7.1.0"));
    rig.order(step_order(7, 0));
    rig.order(EndStep{JobId{7}, Attempt{1}, StepId{0}, {}});
    EXPECT_EQ(rig.acted<StartStep>().size(), 1U);
    EXPECT_EQ(rig.reported<StepReport>().size(), 1U);
}

TEST(Steps, EndWithTermThenKill) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    rig.order(step_order(7, 0));
    rig.feed({RunStarted{step_of(7, 0)}});
    rig.order(EndStep{JobId{7}, Attempt{1}, StepId{0}, std::chrono::seconds(2)});
    EXPECT_EQ(rig.signals(), (Words{"18 all of 0", "15 all of 0"}));
    rig.wait(std::chrono::seconds(2));
    EXPECT_EQ(rig.signals().back(), "9 all of 0");
}

TEST(Steps, EndedBeforeTheyCameAreRefused) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    rig.order(EndStep{JobId{7}, Attempt{1}, StepId{0}, {}});
    rig.order(step_order(7, 0));
    EXPECT_TRUE(rig.acted<StartStep>().empty());
    EXPECT_EQ(rig.reported<StepReport>().size(), 2U);
}

TEST(Memory, OfWhichTheEpochOrTheSessionCannotBeReadIsRefused) {
    AgentRig rig;
    rig.welcome();
    std::vector<MemoryWrite> stored;
    stored.reserve(rig.disk.size());
    for (const auto& [key, value] : rig.disk) stored.push_back({key, value});
    EXPECT_TRUE(check_memory(stored).ok());
    EXPECT_TRUE(check_memory({}).ok()) << "of a new node";
    for (const char* key : {"epoch", "session"}) {
        for (const char* damage : {"", "\xff"}) {
            std::vector<MemoryWrite> damaged = stored;
            bool any = false;
            for (MemoryWrite& one : damaged) {
                if (one.key != key) continue;
                one.value = damage;
                any = true;
            }
            ASSERT_TRUE(any) << key;
            ASSERT_FALSE(check_memory(damaged).ok()) << key;
            EXPECT_NE(check_memory(damaged).error().message.find(key), std::string::npos);
        }
    }
}

TEST(Signals, GoWhereScancelSays) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    for (const std::uint32_t step : {0U, 1U}) {
        rig.order(step_order(7, step));
        rig.feed({RunStarted{step_of(7, step)}});
    }
    const auto send = [&](std::optional<StepId> step, bool whole_job, std::int32_t signal = 10) {
        rig.forget_past();
        rig.order(SignalAttempt{JobId{7}, Attempt{1}, step, whole_job, signal});
        return rig.signals();
    };
    EXPECT_EQ(send({}, false), (Words{"10 all of 0", "10 all of 1"}));
    EXPECT_EQ(send(StepId{1}, false), (Words{"10 all of 1"}));
    EXPECT_EQ(send(kBatchStep, false), (Words{"10 batch"}));
    EXPECT_EQ(send({}, true), (Words{"10 all of 0", "10 all of 1", "10 all of batch"}));
    EXPECT_EQ(send({}, true, 0), Words{});
    EXPECT_EQ(send({}, true, 65), Words{});
}

TEST(Signals, ToWhatIsStartingAreSentOnceItRuns) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_of(7, 1));
    rig.order(step_order(7, 0));
    rig.order(SignalAttempt{JobId{7}, Attempt{1}, kBatchStep, false, 10});
    rig.order(SignalAttempt{JobId{7}, Attempt{1}, StepId{0}, false, 12});
    EXPECT_EQ(rig.signals(), Words{});
    rig.feed({RunStarted{batch_of(7)}});
    EXPECT_EQ(rig.signals(), (Words{"10 batch"}));
    rig.order(SignalAttempt{JobId{7}, Attempt{1}, StepId{0}, false, 14});
    rig.feed({RunStarted{step_of(7, 0)}});
    EXPECT_EQ(rig.signals(), (Words{"10 batch", "12 all of 0", "14 all of 0"}));
    rig.feed({RunStarted{batch_of(7)}, RunStarted{step_of(7, 0)}});
    EXPECT_EQ(rig.signals().size(), 3U) << "Each is sent once.";
}

TEST(Signals, ToWhatIsToldToEndWhileItStartsAreNotSent) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_of(7, 1));
    rig.order(SignalAttempt{JobId{7}, Attempt{1}, kBatchStep, false, 10});
    rig.order(end_of(7));
    rig.forget_past();
    rig.feed({RunStarted{batch_of(7)}});
    EXPECT_EQ(rig.signals(), (Words{"15 all of extern"}));
}

}  // namespace
}  // namespace berth
