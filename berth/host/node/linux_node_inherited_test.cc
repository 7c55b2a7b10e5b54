// What a run inherits from the shell that it was submitted in, and its errors about files that
// cannot be opened; on real processes.
#include <gtest/gtest.h>

#include "berth/base/text.h"
#include "berth/host/node/linux_node_step_rig.h"

namespace berth {
namespace {

class InheritedTest : public ::testing::Test {
protected:
    void SetUp() override { rig.open(); }
    RunExited run(const LaunchAttempt& launch) {
        const RunKey key{launch.job, launch.attempt, kBatchStep};
        rig.start(launch);
        rig.wait<RunStarted>(key);
        return rig.wait<RunExited>(key);
    }
    std::string mode_of(const std::string& name) const {
        struct stat file{};
        EXPECT_EQ(stat((rig.work + "/" + name).c_str(), &file), 0) << name;
        char text[8];
        std::snprintf(text, sizeof text, "%03o", file.st_mode & 0777);
        return text;
    }
    LinuxNodeRig rig;
};

TEST_F(InheritedTest, FilesHaveTheModesThatTheUsersUmaskSays) {
    LaunchAttempt job = rig.job(1, "umask; touch made");
    job.spec.command.edit().inherited.umask = 077;
    EXPECT_EQ(run(job).exit, ExitStatus{});
    EXPECT_EQ(rig.text("out"), "0077\n");
    EXPECT_EQ(mode_of("out"), "600");
    EXPECT_EQ(mode_of("made"), "600");
    LaunchAttempt plain = rig.job(2, "umask");
    plain.spec.command.edit().std_out = "plain";
    EXPECT_EQ(run(plain).exit, ExitStatus{});
    EXPECT_EQ(mode_of("plain"), "644");
}

TEST_F(InheritedTest, SoftLimitsAreTheShellsAndHardOnesTheNodes) {
    LaunchAttempt job = rig.job(1, "ulimit -S -n; ulimit -S -c; ulimit -S -t; ulimit -H -n");
    job.spec.command.edit().inherited.limits = {
        {.kind = RlimitKind::nofile, .soft = 123},
        {.kind = RlimitKind::core, .soft = 0},
        {.kind = RlimitKind::cpu, .soft = 7200},
    };
    EXPECT_EQ(run(job).exit, ExitStatus{});
    const std::vector<std::string> lines = rig.lines("out");
    ASSERT_EQ(lines.size(), 4U) << rig.text("out");
    EXPECT_EQ(lines[0], "123");
    EXPECT_EQ(lines[1], "0");
    EXPECT_EQ(lines[2], "7200");
    EXPECT_NE(lines[3], "123");
}

TEST_F(InheritedTest, ALimitAskedForByNameThatCannotBeIsSaid) {
    LaunchAttempt job = rig.job(1, "ulimit -S -n; ulimit -H -n");
    job.spec.command.edit().inherited.limits = {
        {.kind = RlimitKind::nofile, .soft = std::uint64_t{1} << 40, .asked = true}};
    EXPECT_EQ(run(job).exit, ExitStatus{});
    const std::vector<std::string> lines = rig.lines("out");
    ASSERT_EQ(lines.size(), 3U) << rig.text("out");
    EXPECT_EQ(lines[0],
              "slurmstepd: error: cannot set RLIMIT_NOFILE to 1099511627776 as "
              "--propagate asks: the hard limit on this node is " +
                  lines[2]);
    EXPECT_EQ(lines[1], lines[2]);
    job = rig.job(2, "ulimit -S -n; ulimit -H -n");
    job.spec.command.edit().std_out = "unasked";
    job.spec.command.edit().inherited.limits = {
        {.kind = RlimitKind::nofile, .soft = std::uint64_t{1} << 40}};
    EXPECT_EQ(run(job).exit, ExitStatus{});
    EXPECT_EQ(rig.lines("unasked"), (std::vector<std::string>{lines[2], lines[2]}));
}

TEST_F(InheritedTest, AScriptWhoseFilesCannotBeOpenedSaysWhichAndWhy) {
    LaunchAttempt job = rig.job(1, "touch ran");
    job.spec.command.edit().std_out = "nosuch/out";
    RunExited exited = run(job);
    EXPECT_EQ(exited.exit, kNoFilesExit);
    EXPECT_EQ(exited.failure,
              "Could not open stdout file " + rig.work + "/nosuch/out: No such file or directory");
    job = rig.job(2, "touch ran");
    job.spec.command.edit().std_in = "nosuch";
    exited = run(job);
    EXPECT_EQ(exited.exit, kNoFilesExit);
    EXPECT_EQ(exited.failure,
              "Could not open stdin file " + rig.work + "/nosuch: No such file or directory");
    EXPECT_FALSE(std::filesystem::exists(rig.work + "/ran"));
}

using InheritedStepTest = StepTest;

TEST_F(InheritedStepTest, SrunIsToldOfAFileThatCannotBeOpened) {
    LaunchStep launch = step(0, 2, "touch ran.$SLURM_PROCID");
    launch.std_out = "nosuch/%t";
    start(launch);
    ASSERT_TRUE(serve_until([&] { return srun.exits.size() == 2; }));
    EXPECT_EQ(srun.err[0], "slurmstepd: error: Could not open stdout file " + rig.work +
                               "/nosuch/0: No such file or directory\n");
    EXPECT_EQ(srun.exits[1], (ExitStatus{1, 0}));
    srun.hang_up();
    rig.wait<RunFailedToStart>(rig.step_key(1, 0));
    EXPECT_FALSE(std::filesystem::exists(rig.work + "/ran.0"));
}

TEST_F(InheritedStepTest, ErrorsAndOutputOfOnePipeStayInOrder) {
    LaunchStep launch = step(0, 1, "for i in 1 2 3 4; do echo o$i; echo e$i >&2; done; umask");
    launch.errors_with_output = true;
    launch.inherited.umask = 027;
    EXPECT_EQ(run(launch), ExitStatus{});
    EXPECT_EQ(srun.out[0], "o1\ne1\no2\ne2\no3\ne3\no4\ne4\n0027\n");
    EXPECT_EQ(srun.err[0], "");
}

}  // namespace
}  // namespace berth
