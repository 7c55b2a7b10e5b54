// Prologs and epilogs on real processes.
#include <signal.h>

#include "berth/agent/signals.h"
#include "berth/host/node/linux_node_rig.h"

namespace berth {
namespace {

class LinuxNodeHook : public ::testing::Test {
protected:
    void SetUp() override { rig.open(); }

    // A program of the site's.
    std::string program(const std::string& name, const std::string& shell) {
        const std::string path = rig.folder + "/" + name;
        std::ofstream(path) << "#!/bin/sh\n" << shell << "\n";
        chmod(path.c_str(), 0755);
        return path;
    }
    LaunchAttempt job_with(std::vector<std::string> prolog) {
        LaunchAttempt launch = rig.job(1, "true");
        launch.hooks.prolog = std::move(prolog);
        return launch;
    }
    ExitStatus run_prolog(const LaunchAttempt& launch) {
        rig.node->act(StartHook{kProlog, launch});
        return rig.wait<RunExited>(kProlog).exit;
    }

    static constexpr AttemptKey kOne{JobId{1}, Attempt{1}};
    const RunKey kProlog = hook_run(kOne, Hook::prolog), kEpilog = hook_run(kOne, Hook::epilog);
    LinuxNodeRig rig;
};

TEST_F(LinuxNodeHook, RunsOneAfterTheOtherAsTheAgentsUser) {
    const std::string log = rig.folder + "/log";
    mkdir((rig.folder + "/d").c_str(), 0755);
    program("d/1", "echo \"first $(id -u) $SLURM_JOB_ID $SLURM_SCRIPT_CONTEXT\" >>" + log);
    program("d/2", "echo \"second $SLURM_JOB_USER $SLURMD_NODENAME\" >>" + log);
    const std::string third = program("third", "echo third >>" + log);
    const ExitStatus exit =
        run_prolog(job_with({rig.folder + "/d/*", rig.folder + "/none/*", third}));
    EXPECT_EQ(exit, ExitStatus{});
    EXPECT_EQ(rig.lines(log),
              (std::vector<std::string>{"first " + std::to_string(geteuid()) + " 1 prolog_slurmd",
                                        "second " + rig.user + " gpu1", "third"}));
}

TEST_F(LinuxNodeHook, FindsNoControlCharactersInUsersTexts) {
    const std::string log = rig.folder + "/log";
    LaunchAttempt launch =
        job_with({program("tell", "env | grep -E '^(SLURM_JOB_NAME|X)=' >>" + log)});
    launch.spec.name = "train\nX=root\033[2J";
    EXPECT_EQ(run_prolog(launch), ExitStatus{});
    EXPECT_EQ(rig.lines(log),
              (std::vector<std::string>{"SLURM_JOB_NAME=train\\012X=root\\033[2J"}));
}

TEST_F(LinuxNodeHook, StopsAtTheFirstThatFails) {
    const std::string log = rig.folder + "/log";
    const std::string bad = program("bad", "exit 7");
    const std::string good = program("good", "echo good >>" + log);
    EXPECT_EQ(run_prolog(job_with({bad, good})), (ExitStatus{7, 0}));
    EXPECT_FALSE(std::filesystem::exists(log));
}

TEST_F(LinuxNodeHook, OneThatIsNotThereFails) {
    EXPECT_EQ(run_prolog(job_with({rig.folder + "/nowhere"})), (ExitStatus{127, 0}));
}

TEST_F(LinuxNodeHook, TheEndOfTheJobLeavesItAlone) {
    const std::string mark = rig.folder + "/done";
    const LaunchAttempt launch = job_with({program("slow", "sleep 0.4; touch " + mark)});
    rig.node->act(StartHook{kProlog, launch});
    rig.wait<RunStarted>(kProlog);
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(1));
    EXPECT_EQ(rig.wait<RunExited>(kProlog).exit, ExitStatus{});
    EXPECT_TRUE(std::filesystem::exists(mark));
}

TEST_F(LinuxNodeHook, IsKilledByItself) {
    rig.node->act(StartHook{kProlog, job_with({program("stuck", "sleep 1000.5")})});
    rig.wait<RunStarted>(kProlog);
    rig.signal(kProlog, SIGKILL);
    EXPECT_EQ(rig.wait<RunExited>(kProlog).exit, (ExitStatus{0, SIGKILL}));
}

TEST_F(LinuxNodeHook, ComesBeforeTheJobAndAfterIt) {
    const std::string log = rig.work + "/log";
    LaunchAttempt launch =
        job_with({program("before", "echo before >" + log + "; chmod 666 " + log)});
    launch.hooks.epilog = {program("after", "echo after >>" + log)};
    launch.payload.script = "#!/bin/sh\necho job >>" + log + "\n";
    EXPECT_EQ(run_prolog(launch), ExitStatus{});
    rig.start(launch);
    rig.wait<RunExited>(rig.batch(1));
    rig.signal(rig.whole(1), SIGTERM);
    rig.wait<RunEmpty>(rig.whole(1));
    rig.node->act(StartHook{kEpilog, launch});
    rig.wait<RunExited>(kEpilog);
    EXPECT_EQ(rig.lines(log), (std::vector<std::string>{"before", "job", "after"}));
}

TEST_F(LinuxNodeHook, IsFoundByAnotherAgent) {
    rig.node->act(StartHook{kProlog, job_with({program("slow", "sleep 0.5; exit 4")})});
    rig.wait<RunStarted>(kProlog);
    rig.reopen();
    EXPECT_EQ(rig.node->alive(), std::vector{kProlog});
    EXPECT_EQ(rig.wait<RunExited>(kProlog).exit, (ExitStatus{4, 0}));
}

TEST_F(LinuxNodeHook, MayBeAskedForAgain) {
    const std::string log = rig.folder + "/log";
    const LaunchAttempt launch = job_with({program("twice", "echo once >>" + log)});
    EXPECT_EQ(run_prolog(launch), ExitStatus{});
    rig.reopen();
    rig.pump(10);  // Word of the first one's end.
    rig.seen.clear();
    EXPECT_EQ(run_prolog(launch), ExitStatus{});
    EXPECT_EQ(rig.lines(log).size(), 2U);
}

TEST_F(LinuxNodeHook, IsNotBegunWhileItRuns) {
    const std::string log = rig.folder + "/log";
    const LaunchAttempt launch =
        job_with({program("slow", "echo once >>" + log + "; sleep 0.6; exit 4")});
    rig.node->act(StartHook{kProlog, launch});
    ASSERT_TRUE(rig.wait_for_file(log));
    rig.node->act(StartHook{kProlog, launch});
    EXPECT_EQ(rig.wait<RunFailedToStart>(kProlog).why,
              "did not start: it runs on this node already");
    EXPECT_EQ(rig.wait<RunExited>(kProlog).exit, (ExitStatus{4, 0}));
    EXPECT_EQ(rig.lines(log).size(), 1U);
}

// ---- Around each task of a step.

TEST_F(LinuxNodeHook, ATaskPrologSetsTheTasksEnvironment) {
    LaunchAttempt launch = rig.job(1, "sleep 1000.6");
    launch.hooks.task_prolog = program("task",
                                       "echo export SCRATCH=/tmp/$SLURM_PROCID\n"
                                       "echo unset GONE\necho print prepared\necho noise");
    rig.start(launch);
    rig.wait<RunStarted>(rig.batch(1));
    LaunchStep step = rig.step(launch, 0, 2, "echo task $SCRATCH ${GONE-is gone}");
    step.environment.emplace_back("GONE=here");
    step.std_out = "step.%t";
    rig.node->act(StartStep{step, launch});
    rig.wait<RunExited>(rig.step_key(1, 0));
    EXPECT_EQ(rig.text("step.0"), "prepared\ntask /tmp/0 is gone\n");
    EXPECT_EQ(rig.text("step.1"), "prepared\ntask /tmp/1 is gone\n");
}

TEST_F(LinuxNodeHook, ProgramsOfTheStepRunWithinThoseOfTheSite) {
    LaunchAttempt launch = rig.job(1, "sleep 1000.8");
    const std::string log = rig.work + "/order";
    launch.hooks.task_prolog = program("site1", "echo export A=site\necho site before >>" + log);
    launch.hooks.task_epilog = program("site2", "echo site after >>" + log);
    rig.start(launch);
    rig.wait<RunStarted>(rig.batch(1));
    LaunchStep step = rig.step(launch, 0, 1, "echo task $A $B >>" + log + "; exit 3");
    step.task_prolog = program("own1", "echo export B=$A-own\necho own before >>" + log);
    step.task_epilog = program("own2", "echo own after >>" + log);
    rig.node->act(StartStep{step, launch});
    EXPECT_EQ(rig.wait<RunExited>(rig.step_key(1, 0)).exit, (ExitStatus{3, 0}));
    EXPECT_EQ(rig.text("order"),
              "site before\nown before\ntask site site-own\nown after\nsite after\n");
}

TEST_F(LinuxNodeHook, ATaskEpilogRunsInTheTasksPlace) {
    LaunchAttempt launch = rig.job(1, "sleep 1000.7");
    launch.hooks.task_epilog =
        program("after", "echo after $SLURM_PROCID $(id -u) >" + rig.work + "/after.$SLURM_PROCID");
    rig.start(launch);
    rig.wait<RunStarted>(rig.batch(1));
    rig.node->act(StartStep{rig.step(launch, 0, 2, "exit 5"), launch});
    EXPECT_EQ(rig.wait<RunExited>(rig.step_key(1, 0)).exit, (ExitStatus{5, 0}));
    EXPECT_EQ(rig.text("after.0"), "after 0 " + std::to_string(rig.uid) + "\n");
    EXPECT_EQ(rig.text("after.1"), "after 1 " + std::to_string(rig.uid) + "\n");
}

}  // namespace
}  // namespace berth
