// Batch scripts on real processes: how they start, what they see, how they end.
#include "berth/host/node/linux_node.h"

#include <fcntl.h>
#include <sys/mount.h>

#include <algorithm>

#include "berth/base/text.h"
#include "berth/host/node/linux_node_rig.h"
#include "berth/host/os/user.h"
#include "berth/host/run/job_environment.h"

namespace berth {
namespace {

class LinuxNodeTest : public ::testing::Test {
protected:
    void SetUp() override { rig.open(); }
    ExitStatus run(const LaunchAttempt& launch) {
        const RunKey key{launch.job, launch.attempt, kBatchStep};
        rig.start(launch);
        rig.wait<RunStarted>(key);
        return rig.wait<RunExited>(key).exit;
    }
    std::string why_not(const LaunchAttempt& launch) {
        rig.start(launch);
        return rig.wait<RunFailedToStart>({launch.job, launch.attempt, kBatchStep}).why;
    }
    LinuxNodeRig rig;
};

TEST_F(LinuxNodeTest, RunsAScriptToItsEnd) {
    EXPECT_EQ(run(rig.job(1, "echo hello from $(id -un) in $(pwd) $1; exit 3")),
              (ExitStatus{3, 0}));
    const std::string who = rig.is_root() ? "nobody" : rig.text("/dev/null");
    EXPECT_NE(rig.text("out").find("hello from " + who), std::string::npos) << rig.text("out");
    EXPECT_NE(rig.text("out").find(" in " + rig.work), std::string::npos);
    rig.signal(rig.whole(1), SIGTERM);
    rig.wait<RunEmpty>(rig.whole(1));
}

TEST_F(LinuxNodeTest, TellsTheSignalThatEndedIt) {
    EXPECT_EQ(run(rig.job(1, "kill -SEGV $$")), (ExitStatus{0, SIGSEGV}));
}

TEST_F(LinuxNodeTest, GivesTheScriptItsArgumentsAndItsInterpreter) {
    LaunchAttempt job = rig.job(1, "");
    job.payload.script = "#!/usr/bin/env -S sh -e\necho \"$# <$1> <$2>\"\n";
    job.spec.command.edit().arguments = {"a b", "$HOME"};
    EXPECT_EQ(run(job), (ExitStatus{0, 0}));
    EXPECT_EQ(rig.text("out"), "2 <a b> <$HOME>\n");
}

TEST_F(LinuxNodeTest, GivesTheScriptExactlyItsEnvironment) {
    LaunchAttempt job = rig.job(1, "");
    // The interpreter prints its environment; a shell would have added to it.
    job.payload.script = "#!/bin/cat /proc/self/environ\n";
    job.payload.environment = {"MINE=a b", "SLURM_NTASKS=9", "PATH=/opt/bin"};
    run(job);
    const UserRecord user = *find_user(rig.uid);
    NodeView view;
    view.node = rig.options.node;
    view.environment = rig.options.environment;
    Environment expected = batch_environment(job, view, user);
    std::string printed = rig.text("out");
    printed.resize(printed.find("#!/bin/cat"));
    std::vector<std::string> got;
    for (const std::string_view one : split(printed, '\0')) {
        if (!one.empty()) got.emplace_back(one);
    }
    const Environment found(got);
    EXPECT_TRUE(found.get("SLURM_TASK_PID"));
    expected.set("SLURM_TASK_PID", found.get("SLURM_TASK_PID").value_or(""));
    expected.set("HOSTNAME", found.get("HOSTNAME").value_or(""));
    EXPECT_EQ(got, expected.settings());
    EXPECT_EQ(found.get("BERTH_SOCKET"), "/run/berth.sock");
}

TEST_F(LinuxNodeTest, WritesWhereThePatternSays) {
    LaunchAttempt job = rig.job(12, "echo out; echo err >&2");
    job.spec.command.edit().std_out = "%x-%4j-%u.o";
    job.spec.command.edit().std_err = rig.work + "/e%%%A_%a";
    job.array_job = JobId{10};
    job.array_task = 3;
    run(job);
    EXPECT_EQ(rig.text("job-0012-" + rig.user + ".o"), "out\n");
    EXPECT_EQ(rig.text("e%10_3"), "err\n");
    LaunchAttempt plain = rig.job(13, "echo out; echo err >&2");
    plain.spec.command.edit().std_out.clear();
    run(plain);
    EXPECT_EQ(rig.text("slurm-13.out"), "out\nerr\n");
}

TEST_F(LinuxNodeTest, CutsOrAppendsTheOutput) {
    LaunchAttempt job = rig.job(1, "echo one");
    run(job);
    job = rig.job(2, "echo two");
    job.spec.command.edit().append_output = true;
    run(job);
    EXPECT_EQ(rig.text("out"), "one\ntwo\n");
    run(rig.job(3, "echo three"));
    EXPECT_EQ(rig.text("out"), "three\n");
}

TEST_F(LinuxNodeTest, ReadsStandardInputFromAFileOrNothing) {
    run(rig.job(1, "cat; echo end"));
    EXPECT_EQ(rig.text("out"), "end\n");
    std::ofstream(rig.work + "/in") << "given\n";
    LaunchAttempt job = rig.job(2, "cat");
    job.spec.command.edit().std_in = "in";
    run(job);
    EXPECT_EQ(rig.text("out"), "given\n");
}

TEST_F(LinuxNodeTest, GoesToTmpIfItsFolderIsNotThere) {
    LaunchAttempt job = rig.job(1, "pwd");
    job.spec.command.edit().work_dir = "/no/such/folder";
    job.spec.command.edit().std_out = rig.work + "/out";
    EXPECT_EQ(run(job), (ExitStatus{0, 0}));
    EXPECT_EQ(rig.text("out"),
              "slurmstepd: error: couldn't chdir to `/no/such/folder': No such file or directory: "
              "going to /tmp instead\n/tmp\n");
}

TEST_F(LinuxNodeTest, SaysOnItsErrorOutputWhyAScriptCannotBeExecuted) {
    LaunchAttempt job = rig.job(1, "");
    job.payload.script = "#!/no/such/shell\n";
    EXPECT_EQ(run(job), (ExitStatus{ENOENT, 0}));
    EXPECT_NE(rig.text("out").find("slurmstepd: error: execve(): "), std::string::npos);
    EXPECT_NE(rig.text("out").find("No such file or directory"), std::string::npos);
}

TEST_F(LinuxNodeTest, OpensOutputAsTheUserAndNeverAsRoot) {
    if (!rig.is_root()) GTEST_SKIP() << "SKIPPED: needs root";
    const std::string secret = rig.folder + "/secret";
    std::ofstream(secret) << "root's own\n";
    chmod(secret.c_str(), 0600);
    ASSERT_EQ(symlink(secret.c_str(), (rig.work + "/link").c_str()), 0);
    LaunchAttempt job = rig.job(1, "touch ran; echo overwritten");
    job.spec.command.edit().std_out = "link";
    constexpr ExitStatus kNoFiles{.code = 0, .signal = 53};
    EXPECT_EQ(run(job), kNoFiles);
    EXPECT_EQ(rig.text(secret), "root's own\n");
    EXPECT_FALSE(std::filesystem::exists(rig.work + "/ran"));
    job = rig.job(2, "cat");
    job.spec.command.edit().std_in = secret;
    EXPECT_EQ(run(job), kNoFiles);
    rig.signal(rig.whole(2), SIGTERM);
    rig.wait<RunEmpty>(rig.whole(2));
}

TEST_F(LinuxNodeTest, GoesOnThoughItsOutputHasNoRoomLeft) {
    if (!rig.is_root()) GTEST_SKIP() << "SKIPPED: needs root to mount a small file system";
    const std::string small = rig.folder + "/small";
    mkdir(small.c_str(), 0777);
    if (mount("tmpfs", small.c_str(), "tmpfs", 0, "size=64k,mode=1777") != 0) {
        GTEST_SKIP() << "SKIPPED: cannot mount a tmpfs here";
    }
    LaunchAttempt job = rig.job(1, "head -c 1000000 /dev/zero; echo $? > rc; exit 7");
    job.spec.command.edit().std_out = small + "/out";
    EXPECT_EQ(run(job), (ExitStatus{7, 0}));
    EXPECT_EQ(rig.text("rc"), "1\n");
    umount2(small.c_str(), MNT_DETACH);
}

TEST_F(LinuxNodeTest, RefusesAUserItDoesNotKnow) {
    LaunchAttempt job = rig.job(1, "true");
    job.owner.uid = 4'000'000;
    job.owner.user = "ghost";
    const std::string why = why_not(job);
    if (rig.is_root()) {
        EXPECT_EQ(why, "uid 4000000 is not known on this node");
    } else {
        EXPECT_NE(why.find("cannot run the jobs of ghost (uid 4000000)"), std::string::npos);
    }
}

TEST_F(LinuxNodeTest, LeavesNothingOfRootToTheJob) {
    if (!rig.is_root()) GTEST_SKIP() << "SKIPPED: needs root";
    run(rig.job(1,
                "grep -E '^(Uid|Gid|Groups|CapEff|CapPrm|NoNewPrivs|SigIgn|SigBlk)' "
                "/proc/self/status; ls /proc/self/fd; umask; ulimit -c >/dev/null; "
                "cat /proc/self/oom_score_adj"));
    const std::vector<std::string> lines = rig.lines("out");
    const auto has = [&](const std::string& line) {
        EXPECT_NE(std::ranges::find(lines, line), lines.end()) << line << "\n" << rig.text("out");
    };
    has("Uid:\t65534\t65534\t65534\t65534");
    has("Gid:\t65534\t65534\t65534\t65534");
    has("Groups:\t65534 ");
    has("CapEff:\t0000000000000000");
    has("CapPrm:\t0000000000000000");
    has("NoNewPrivs:\t1");
    has("SigIgn:\t0000000000000000");
    has("SigBlk:\t0000000000000000");
    has("0022");
    has("0");
    // 0, 1, 2, and the one that ls itself opened: none of our descriptors.
    EXPECT_EQ(std::ranges::count_if(lines,
                                    [](const std::string& line) {
                                        return line == "0" || line == "1" || line == "2" ||
                                               line == "3" || line == "4" || line == "5";
                                    }),
              5)
        << rig.text("out");
}

TEST_F(LinuxNodeTest, HidesTheScriptFromOthersAndTheSpecFromAll) {
    run(rig.job(1, "ls -l $0 | cut -c1-10; ls $(dirname $0) || echo hidden"));
    const std::vector<std::string> lines = rig.lines("out");
    EXPECT_EQ(lines.front(), "-r-x------");
    if (rig.is_root()) {
        EXPECT_EQ(lines.back(), "hidden");
    }
    EXPECT_FALSE(std::filesystem::exists(rig.options.run_dir + "/1.1/batch/spec"));
}

TEST_F(LinuxNodeTest, EndsWithTermAndWhatIgnoresItWithKill) {
    // One process: what a shell begins at that very moment would not hear of it.
    rig.start(rig.job(1, "touch begun; exec sleep 100"));
    ASSERT_TRUE(rig.wait_for_file(rig.work + "/begun"));
    rig.signal(rig.whole(1), SIGTERM);
    EXPECT_EQ(rig.wait<RunExited>(rig.batch(1)).exit, (ExitStatus{0, SIGTERM}));
    rig.wait<RunEmpty>(rig.whole(1));

    rig.start(rig.job(2, "trap '' TERM; touch trapped; while :; do sleep 0.1; done"));
    ASSERT_TRUE(rig.wait_for_file(rig.work + "/trapped"));
    rig.signal(rig.whole(2), SIGTERM);
    rig.pump(300);
    rig.pump(300);
    EXPECT_FALSE(rig.saw<RunEmpty>(rig.whole(2)));
    rig.signal(rig.whole(2), SIGKILL);
    EXPECT_EQ(rig.wait<RunExited>(rig.batch(2)).exit, (ExitStatus{0, SIGKILL}));
    rig.wait<RunEmpty>(rig.whole(2));
}

TEST_F(LinuxNodeTest, SignalsTheScriptAloneOrAllOfIt) {
    rig.start(rig.job(1,
                      "trap 'echo script' USR1; (trap 'echo child; exit 0' USR1; touch ready; "
                      "while :; do sleep 0.1; done) & wait; wait; echo done"));
    ASSERT_TRUE(rig.wait_for_file(rig.work + "/ready"));
    rig.signal(rig.batch(1), SIGUSR1, false);
    for (int i = 0; i < 200 && rig.text("out").empty(); ++i) rig.pump(10);
    EXPECT_EQ(rig.text("out"), "script\n");
    rig.signal(rig.batch(1), SIGUSR1, true);
    EXPECT_EQ(rig.wait<RunExited>(rig.batch(1)).exit.signal, 0);
    for (int i = 0; i < 200 && rig.text("out").find("child") == std::string::npos; ++i)
        rig.pump(10);
    EXPECT_NE(rig.text("out").find("child\n"), std::string::npos);
}

TEST_F(LinuxNodeTest, HoldsWhatARunHeldUntilTheLastProcessIsGone) {
    rig.start(rig.job(1,
                      "setsid sh -c 'trap \"\" TERM; touch loose; sleep 100' & "
                      "while [ ! -e loose ]; do sleep 0.01; done; exit 0"));
    rig.wait<RunExited>(rig.batch(1));
    rig.signal(rig.whole(1), SIGTERM);
    rig.pump(200);
    rig.pump(200);
    EXPECT_FALSE(rig.saw<RunEmpty>(rig.whole(1)));
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(1));
}

TEST_F(LinuxNodeTest, OnOtherNodesStandsReadyAndIsEmpty) {
    LaunchAttempt job = rig.job(1, "");
    job.batch_host = false;
    rig.start(job);
    rig.wait<RunStarted>(rig.whole(1));
    rig.signal(rig.whole(1), SIGTERM);
    rig.wait<RunEmpty>(rig.whole(1));
}

TEST_F(LinuxNodeTest, AnswersForWhatIsNotHere) {
    rig.signal(rig.whole(77), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(77));
    rig.signal(rig.step_key(77, 3), SIGTERM);
    rig.wait<RunEmpty>(rig.step_key(77, 3));
    rig.node->act(RemoveAttempt{JobId{77}, Attempt{1}});
}

// Otherwise it stays a zombie for as long as the agent runs.
TEST_F(LinuxNodeTest, ReapsAShepherdThatExitsAfterItsAttemptIsRemoved) {
    const std::string slow = rig.folder + "/slow-shepherd", pid = rig.folder + "/pid";
    std::ofstream(slow) << "#!/bin/sh\necho $$ >" << pid << "\n"
                        << BERTH_STEP << " \"$@\"\nsleep 1\n";
    chmod(slow.c_str(), 0755);
    rig.options.shepherd = slow;
    rig.open();
    rig.start(rig.job(1, "true"));
    rig.wait<RunExited>(rig.batch(1));
    rig.node->act(RemoveAttempt{JobId{1}, Attempt{1}});
    ASSERT_FALSE(rig.lines(pid).empty());
    const std::string process = "/proc/" + rig.lines(pid).front();
    ASSERT_TRUE(std::filesystem::exists(process)) << "it was not slow";
    for (int i = 0; i < 1000 && std::filesystem::exists(process); ++i) rig.pump(10);
    EXPECT_FALSE(std::filesystem::exists(process));
}

TEST_F(LinuxNodeTest, RemovesFoldersAndCgroups) {
    run(rig.job(1, "true"));
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(1));
    EXPECT_TRUE(std::filesystem::exists(rig.options.run_dir + "/1.1"));
    rig.node->act(RemoveAttempt{JobId{1}, Attempt{1}});
    for (int i = 0; i < 100 && !std::filesystem::is_empty(rig.options.run_dir); ++i) rig.pump(10);
    EXPECT_TRUE(std::filesystem::is_empty(rig.options.run_dir));
    for (const auto& [controller, point] : find_cgroup_mounts().v1) {
        EXPECT_FALSE(std::filesystem::exists(point + "/" + rig.options.cgroup_prefix)) << point;
    }
}

}  // namespace
}  // namespace berth
