// Real processes that are frozen, thawed, and notified.
#include <gtest/gtest.h>

#include "berth/host/node/linux_node_rig.h"

namespace berth {
namespace {

class LinuxNodeSuspend : public ::testing::Test {
protected:
    void SetUp() override { rig.open(); }
    // Counts as fast as it can and prints its count.
    void count() {
        rig.start(rig.job(1, "i=0; while :; do i=$((i+1)); echo $i >count; sleep 0.01; done"));
        rig.wait<RunStarted>(rig.batch(1));
        rig.wait_for_file(rig.work + "/count");
    }
    bool moves() {
        const std::string before = rig.text("count");
        for (int i = 0; i < 30; ++i) {
            rig.pump(10);
            if (rig.text("count") != before) return true;
        }
        return false;
    }
    // Returns once the node says that it is done.
    void freeze(bool frozen) {
        rig.seen.clear();
        rig.node->act(FreezeRun{rig.whole(1), frozen, ++changes});
        const RunFrozen done = rig.wait<RunFrozen>(rig.whole(1));
        EXPECT_EQ(done.frozen, frozen);
        EXPECT_EQ(done.change, changes);
    }
    void expect_to_stop_and_go_on() {
        count();
        EXPECT_TRUE(moves());
        freeze(true);
        EXPECT_FALSE(moves());
        freeze(false);
        EXPECT_TRUE(moves());
    }

    LinuxNodeRig rig;
    std::uint32_t changes = 0;
};

TEST_F(LinuxNodeSuspend, StopsAndLetsGoOn) { expect_to_stop_and_go_on(); }

// Also where SIGSTOP has frozen it, for want of a freezer.
TEST_F(LinuxNodeSuspend, ASignalToGoOnDoesNotThawIt) {
    count();
    freeze(true);
    rig.signal(rig.whole(1), SIGCONT);
    rig.signal(rig.batch(1), SIGCONT, false);
    rig.pump(50);
    EXPECT_FALSE(moves());
    freeze(false);
    EXPECT_TRUE(moves());
}

TEST_F(LinuxNodeSuspend, WhatIsFrozenStaysSoForTheNextAgentAndCanBeKilled) {
    count();
    freeze(true);
    rig.reopen();
    EXPECT_FALSE(moves());
    freeze(false);
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(1));
}

TEST_F(LinuxNodeSuspend, TellsTheScriptsUser) {
    LaunchAttempt job = rig.job(1, "touch up; while [ ! -e go ]; do sleep 0.05; done");
    job.spec.command.edit().std_err = "err";
    rig.start(job);
    rig.wait<RunStarted>(rig.batch(1));
    ASSERT_TRUE(rig.wait_for_file(rig.work + "/up"));
    rig.node->act(NotifyRun{rig.batch(1), "the first line"});
    rig.node->act(NotifyRun{rig.batch(1), "the second"});
    const std::vector<std::string> wanted = {"slurmstepd: error: the first line",
                                             "slurmstepd: error: the second"};
    for (int i = 0; i < 500 && rig.lines("err") != wanted; ++i) rig.pump(10);
    EXPECT_EQ(rig.lines("err"), wanted);
    std::ofstream(rig.work + "/go") << "\n";
    EXPECT_EQ(rig.wait<RunExited>(rig.batch(1)).exit, ExitStatus{});
}

TEST_F(LinuxNodeSuspend, TellsTheScriptsUserBeforeTheSignalThatFollows) {
    LaunchAttempt job = rig.job(1, "touch up; exec sleep 600");
    job.spec.command.edit().std_err = "err";
    rig.start(job);
    rig.wait<RunStarted>(rig.batch(1));
    ASSERT_TRUE(rig.wait_for_file(rig.work + "/up"));
    rig.node->act(NotifyRun{rig.batch(1), "*** JOB 1 ON n1 CANCELLED AT ", from_seconds(0),
                            " DUE TO TIME LIMIT ***"});
    rig.signal(rig.whole(1), SIGKILL);
    EXPECT_EQ(rig.wait<RunExited>(rig.batch(1)).exit, (ExitStatus{0, SIGKILL}));
    const std::vector<std::string> lines = rig.lines("err");
    ASSERT_EQ(lines.size(), 1U);
    const std::string begin = "slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT 19";
    EXPECT_TRUE(lines[0].starts_with(begin)) << lines[0] << ": 1969 or 1970, by the time zone";
    EXPECT_TRUE(lines[0].ends_with(":00 DUE TO TIME LIMIT ***")) << lines[0];
}

}  // namespace
}  // namespace berth
