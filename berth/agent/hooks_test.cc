// The site's prolog and epilog around an attempt.
#include "berth/agent/agent_rig.h"
#include "berth/agent/signals.h"

namespace berth {
namespace {

constexpr AttemptKey kSeven{JobId{7}, Attempt{1}};
const RunKey kProlog = hook_run(kSeven, Hook::prolog), kEpilog = hook_run(kSeven, Hook::epilog);

LaunchAttempt launch_between(std::vector<std::string> prolog, std::vector<std::string> epilog) {
    LaunchAttempt launch = launch_of(7, 1);
    launch.hooks.prolog = std::move(prolog);
    launch.hooks.epilog = std::move(epilog);
    launch.hooks.timeout = std::chrono::seconds(60);
    return launch;
}
LaunchAttempt launch_with_both() { return launch_between({"/prolog"}, {"/epilog"}); }

EndAttempt end_of_seven() { return {JobId{7}, Attempt{1}, std::chrono::seconds(30), 15}; }

std::vector<RunKey> hooks_begun(const AgentRig& rig) {
    std::vector<RunKey> runs;
    for (const StartHook& start : rig.acted<StartHook>()) runs.push_back(start.run);
    return runs;
}

TEST(Hooks, TheJobBeginsAfterTheProlog) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_with_both());
    EXPECT_EQ(hooks_begun(rig), std::vector{kProlog});
    EXPECT_TRUE(rig.acted<StartAttempt>().empty());
    rig.feed({RunStarted{kProlog}, RunExited{kProlog, {}}});
    ASSERT_EQ(rig.acted<StartAttempt>().size(), 1U);
    EXPECT_FALSE(rig.acted<StartAttempt>()[0].launch.payload.script.empty());
    EXPECT_TRUE(rig.reported<AttemptStarted>().empty());
    rig.feed({RunStarted{batch_of(7)}});
    EXPECT_EQ(rig.reported<AttemptStarted>().size(), 1U);
}

TEST(Hooks, TheJobIsOverAfterTheEpilog) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_between({}, {"/epilog"}));
    rig.feed({RunExited{batch_of(7), {3, 0}}, RunEmpty{all_of(7)}});
    EXPECT_EQ(hooks_begun(rig), std::vector{kEpilog});
    EXPECT_TRUE(rig.reported<AttemptReport>().empty());
    EXPECT_TRUE(rig.acted<RemoveAttempt>().empty());
    rig.feed({RunExited{kEpilog, {}}});
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
    EXPECT_EQ(rig.reported<AttemptReport>()[0].batch_exit, (ExitStatus{3, 0}));
    EXPECT_EQ(rig.reported<AttemptReport>()[0].failed_hook, Hook::none);
    EXPECT_EQ(rig.acted<RemoveAttempt>().size(), 1U);
}

// The site's program has not failed: it has not started.
TEST(Hooks, APrologThatTheNodeCannotBeginIsARefusedLaunch) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_with_both());
    rig.feed({RunFailedToStart{kProlog, "did not start: no space left", NotBegun::for_node}});
    EXPECT_EQ(hooks_begun(rig), std::vector{kProlog}) << "no epilog";
    EXPECT_EQ(rig.acted<RemoveAttempt>().size(), 1U);
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
    const AttemptReport report = rig.reported<AttemptReport>()[0];
    EXPECT_EQ(report.failed_hook, Hook::none);
    EXPECT_EQ(report.not_begun, NotBegun::for_node);
    EXPECT_EQ(report.failure, "the prolog did not start: no space left");
}

TEST(Hooks, AJobWhosePrologFailsNeverBegins) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_with_both());
    rig.feed({RunExited{kProlog, {2, 0}}});
    EXPECT_TRUE(rig.acted<StartAttempt>().empty());
    EXPECT_EQ(hooks_begun(rig), (std::vector{kProlog, kEpilog}));
    rig.feed({RunExited{kEpilog, {}}});
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
    const AttemptReport report = rig.reported<AttemptReport>()[0];
    EXPECT_EQ(report.failed_hook, Hook::prolog);
    EXPECT_EQ(report.hook_failure, "prolog ended with exit code 2");
    EXPECT_EQ(report.failure, "the prolog ended with exit code 2");
}

TEST(Hooks, AFailedEpilogIsTold) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_between({}, {"/epilog"}));
    rig.feed({RunExited{batch_of(7), {}}, RunEmpty{all_of(7)}});
    rig.feed({RunFailedToStart{kEpilog, "did not start: no such folder"}});
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
    EXPECT_EQ(rig.reported<AttemptReport>()[0].failed_hook, Hook::epilog);
    EXPECT_EQ(rig.reported<AttemptReport>()[0].hook_failure,
              "epilog did not start: no such folder");
    EXPECT_EQ(rig.reported<AttemptReport>()[0].failure, "");
}

TEST(Hooks, AJobEndedDuringItsPrologNeverBegins) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_with_both());
    rig.order(end_of_seven());
    EXPECT_TRUE(rig.signals().empty()) << "The prolog is let finish.";
    rig.feed({RunExited{kProlog, {}}});
    EXPECT_TRUE(rig.acted<StartAttempt>().empty());
    EXPECT_EQ(hooks_begun(rig), (std::vector{kProlog, kEpilog}));
    rig.order(end_of_seven());
    rig.feed({RunExited{kEpilog, {}}});
    EXPECT_EQ(rig.reported<AttemptReport>().size(), 1U);
}

TEST(Hooks, AreKilledWhenTheirTimeIsUp) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_with_both());
    rig.wait(std::chrono::seconds(59));
    EXPECT_TRUE(rig.signals().empty());
    rig.wait(std::chrono::seconds(1));
    ASSERT_EQ(rig.acted<SignalRun>().size(), 1U);
    EXPECT_EQ(rig.acted<SignalRun>()[0].run, kProlog);
    EXPECT_EQ(rig.acted<SignalRun>()[0].signal, kKill);
    rig.feed({RunExited{kProlog, {0, 9}}, RunEmpty{kProlog}, RunExited{kEpilog, {}}});
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
    EXPECT_EQ(rig.reported<AttemptReport>()[0].hook_failure, "prolog was ended by signal 9");
}

// Its shepherd was killed, without a report.
TEST(Hooks, AHookThatIsGoneWithoutAWordHasFailed) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_with_both());
    rig.feed({RunStarted{kProlog}, RunEmpty{kProlog}});
    EXPECT_TRUE(rig.acted<StartAttempt>().empty());
    EXPECT_EQ(hooks_begun(rig), (std::vector{kProlog, kEpilog}));
    rig.feed({RunEmpty{kEpilog}});
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
    EXPECT_EQ(rig.reported<AttemptReport>()[0].failed_hook, Hook::prolog);
    EXPECT_EQ(rig.reported<AttemptReport>()[0].hook_failure,
              "prolog is gone and left no exit status");
}

TEST(Hooks, AStepWaitsForTheProlog) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_with_both());
    rig.order(LaunchStep{.job = JobId{7}, .attempt = Attempt{1}, .step = StepId{0}});
    EXPECT_TRUE(rig.acted<StartStep>().empty());
    rig.feed({RunExited{kProlog, {}}, RunStarted{batch_of(7)}});
    EXPECT_EQ(rig.acted<StartStep>().size(), 1U);
}

// ---- After a restart of the agent.

TEST(Hooks, ALivingPrologIsAdopted) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_with_both());
    rig.forget_past();
    rig.start("boot-1", {kProlog});
    EXPECT_EQ(rig.actions.size(), 1U) << "it lists what it knows, and does nothing else";
    rig.welcome();
    rig.feed({RunExited{kProlog, {}}});
    ASSERT_EQ(rig.acted<StartAttempt>().size(), 1U);
    EXPECT_FALSE(rig.acted<StartAttempt>()[0].launch.payload.script.empty());
}

TEST(Hooks, APrologThatEndedMeanwhileIsNotRunAgain) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_with_both());
    rig.forget_past();
    rig.start("boot-1", {}, {RunExited{kProlog, {}}});
    EXPECT_TRUE(hooks_begun(rig).empty());
    EXPECT_EQ(rig.acted<StartAttempt>().size(), 1U);
}

TEST(Hooks, AHookThatLeftNoWordIsRunAgain) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_between({}, {"/epilog"}));
    rig.feed({RunExited{batch_of(7), {}}, RunEmpty{all_of(7)}});
    rig.forget_past();
    rig.start("boot-1");
    EXPECT_EQ(hooks_begun(rig), std::vector{kEpilog});
    rig.welcome();
    rig.feed({RunExited{kEpilog, {}}});
    EXPECT_EQ(rig.reported<AttemptReport>().size(), 1U);
    EXPECT_FALSE(rig.remembers("attempt"));
}

TEST(Hooks, APrologThatEndedBeforeTheRebootBeginsNothingAfterIt) {
    AgentRig rig;
    rig.welcome();
    rig.launch(launch_with_both());
    rig.actions.clear();
    rig.start("boot-2", {}, {RunExited{kProlog, {}}});
    EXPECT_TRUE(rig.acted<StartAttempt>().empty());
    EXPECT_EQ(hooks_begun(rig), std::vector{kEpilog});
}

TEST(Hooks, AfterARebootTheEpilogCleansUp) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_between({}, {"/epilog"}));
    rig.forget_past();
    rig.start("boot-2");
    EXPECT_EQ(hooks_begun(rig), std::vector{kEpilog});
    rig.welcome();
    EXPECT_TRUE(rig.reported<AttemptReport>().empty());
    rig.feed({RunExited{kEpilog, {}}});
    ASSERT_EQ(rig.reported<AttemptReport>().size(), 1U);
    EXPECT_EQ(rig.reported<AttemptReport>()[0].failure,
              "lost: the node was started again while it ran");
}

// Its script is over, so no output of a running script could have the line.
TEST(Hooks, AnEndOrderedDuringTheEpilogIsToldToNobody) {
    AgentRig rig;
    rig.welcome();
    LaunchAttempt job = launch_between({}, {"/epilog"});
    job.node_names = {"n0"};
    rig.run(job);
    rig.start("boot-2");
    rig.welcome();
    rig.order(end_of_seven());
    EXPECT_EQ(hooks_begun(rig), std::vector{kEpilog});
    EXPECT_TRUE(rig.acted<NotifyRun>().empty());
}

}  // namespace
}  // namespace berth
