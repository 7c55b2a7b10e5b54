// Real processes that save a checkpoint when they are warned.
#include <gtest/gtest.h>

#include <algorithm>

#include "berth/host/node/linux_node_rig.h"

namespace berth {
namespace {

// Waits for the signal, and then does this.
std::string saving(const std::string& what) {
    return "trap '" + what + "; saved=yes' TERM; touch up; while :; do sleep 0.05; done";
}

class LinuxNodeCheckpoint : public ::testing::Test {
protected:
    void SetUp() override { rig.open(); }
    void start(const std::string& shell, const std::string& checkpoint = "model-%j.pt") {
        LaunchAttempt job = rig.job(1, shell);
        job.spec.command.edit().checkpoint = checkpoint;
        rig.start(job);
        rig.wait<RunStarted>(rig.batch(1));
        ASSERT_TRUE(rig.wait_for_file(rig.work + "/up"));
    }
    void warn() {
        rig.node->act(WatchCheckpoint{rig.batch(1)});
        rig.signal(rig.batch(1), SIGTERM, false);
    }
    bool found_within(int milliseconds) {
        for (int i = 0; i < milliseconds / 10 && !rig.saw<CheckpointFound>(rig.batch(1)); ++i)
            rig.pump(10);
        return rig.saw<CheckpointFound>(rig.batch(1));
    }

    LinuxNodeRig rig;
};

TEST_F(LinuxNodeCheckpoint, IsFoundOnceItIsSaved) {
    start(saving("echo step 12 >\"$BERTH_CHECKPOINT\""));
    EXPECT_FALSE(found_within(300)) << "Nothing was asked for.";
    warn();
    rig.wait<CheckpointFound>(rig.batch(1));
    EXPECT_EQ(rig.text("model-1.pt"), "step 12\n");
    EXPECT_FALSE(rig.saw<RunExited>(rig.batch(1)));
}

TEST_F(LinuxNodeCheckpoint, AFileFromBeforeIsNotEnough) {
    std::ofstream(rig.work + "/model-1.pt") << "step 11\n";
    start(saving(":"));
    rig.pump(20);
    warn();
    EXPECT_FALSE(found_within(2500));
    std::ofstream(rig.work + "/model-1.pt") << "step 12\n";
    rig.wait<CheckpointFound>(rig.batch(1));
}

TEST_F(LinuxNodeCheckpoint, AFileThatIsStillWrittenIsNotComplete) {
    start(saving("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i >>model-1.pt; sleep 0.25; done"));
    warn();
    rig.wait<CheckpointFound>(rig.batch(1));
    EXPECT_EQ(rig.lines("model-1.pt").size(), 12U);
}

// Each new process of the agent is told, too.
TEST_F(LinuxNodeCheckpoint, IsFoundByTheNextAgent) {
    start(saving("sleep 1; echo step 12 >model-1.pt"));
    warn();
    rig.pump(200);
    rig.reopen();
    rig.wait<CheckpointFound>(rig.batch(1));
    rig.reopen();
    rig.wait<CheckpointFound>(rig.batch(1));
    rig.seen.clear();
    rig.node->act(WatchCheckpoint{rig.batch(1)});  // Asked again, it has nothing to add.
    EXPECT_FALSE(found_within(300));
}

// What it has saved counts as it is, and is told before its end.
TEST_F(LinuxNodeCheckpoint, ARunMaySaveAndEndAtOnce) {
    start(saving("echo step 12 >model-1.pt; exit 0"));
    warn();
    rig.wait<RunExited>(rig.batch(1));
    ASSERT_TRUE(rig.saw<CheckpointFound>(rig.batch(1)));
    const auto place = [&](auto is) { return std::ranges::find_if(rig.seen, is); };
    EXPECT_LT(place([](const AgentEvent& one) { return std::get_if<CheckpointFound>(&one); }),
              place([](const AgentEvent& one) { return std::get_if<RunExited>(&one); }));
}

TEST_F(LinuxNodeCheckpoint, ARunThatEndsNeedsNone) {
    start(saving("exit 3"));
    warn();
    EXPECT_EQ(rig.wait<RunExited>(rig.batch(1)).exit, (ExitStatus{.code = 3}));
    rig.wait<RunEmpty>(rig.batch(1));
    EXPECT_FALSE(rig.saw<CheckpointFound>(rig.batch(1)));
    rig.node->act(WatchCheckpoint{rig.batch(1)});
    EXPECT_FALSE(found_within(300));
}

// The user may pass the folder; root, on a file server that takes it for nobody, might not, and the
// other way round.
TEST_F(LinuxNodeCheckpoint, IsLookedForAsTheUser) {
    if (!LinuxNodeRig::is_root()) GTEST_SKIP() << "SKIPPED: needs root";
    const std::string roots = rig.folder + "/roots";
    mkdir(roots.c_str(), 0700);
    start(saving(":"), roots + "/model.pt");
    warn();
    rig.pump(50);
    std::ofstream(roots + "/model.pt") << "step 12\n";
    EXPECT_FALSE(found_within(2500)) << "The user may not see this file.";
    chmod(roots.c_str(), 0755);
    rig.wait<CheckpointFound>(rig.batch(1));
}

}  // namespace
}  // namespace berth
