// What jobs leave: shared memory when a user's last job ends, and processes that ignore the order
// to end.
#include <gtest/gtest.h>
#include <pwd.h>

#include "berth/host/node/linux_node_rig.h"

namespace berth {
namespace {

class KeptLog : public LogSink {
public:
    void write(LogLevel, std::string_view, std::string_view said) override {
        text.append(said).append("\n");
    }
    bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
    std::string text;
};

class LeftTest : public ::testing::Test {
protected:
    void SetUp() override {
        auto opened = LinuxNode::open(rig.options, log);
        ASSERT_TRUE(opened.ok()) << opened.error().message;
        rig.node = std::move(opened).value();
        for (const auto* one : {&first_, &second_}) std::filesystem::remove(*one);
    }
    void TearDown() override {
        for (const auto* one : {&first_, &second_}) std::filesystem::remove(*one);
    }
    // Each test has a user of its own, that no other test has: they run at the same time.
    bool be_only_user(const char* name) {
        const passwd* const who = getpwnam(name);
        if (!LinuxNodeRig::is_root() || who == nullptr) return false;
        rig.uid = who->pw_uid, rig.gid = who->pw_gid;
        rig.user = rig.group = name;
        return true;
    }
    LaunchAttempt job(std::uint32_t id, const std::string& shell, bool removes) {
        LaunchAttempt launch = rig.job(id, shell);
        launch.confinement.remove_shared_memory = removes;
        return launch;
    }
    void end(std::uint32_t id) {
        rig.signal(rig.whole(id), SIGKILL);
        rig.wait<RunEmpty>(rig.whole(id));
        rig.node->act(RemoveAttempt{JobId{id}, Attempt{1}});
    }
    bool there(const std::string& path) const { return std::filesystem::exists(path); }

    KeptLog log;
    LinuxNodeRig rig;
    const std::string first_ = "/dev/shm/berth-left-1." + std::to_string(getpid());
    const std::string second_ = "/dev/shm/berth-left-2." + std::to_string(getpid());
};

TEST_F(LeftTest, SharedMemoryIsReportedWhenTheUsersLastJobGoes) {
    if (!be_only_user("list")) GTEST_SKIP() << "SKIPPED: needs root and the user list";
    rig.start(job(1, "echo x >" + first_ + "; exec sleep 100", false));
    rig.start(job(2, "exec sleep 100", false));
    ASSERT_TRUE(rig.wait_for_file(first_));
    end(1);
    EXPECT_FALSE(log.has("have left")) << log.text;
    end(2);
    EXPECT_TRUE(log.has("jobs of uid " + std::to_string(rig.uid) + " have left 1 file in /dev/shm"))
        << log.text;
    EXPECT_TRUE(there(first_));
}

TEST_F(LeftTest, SharedMemoryIsRemovedWhereTheSiteSaysSo) {
    if (!be_only_user("irc")) GTEST_SKIP() << "SKIPPED: needs root and the user irc";
    std::ofstream(second_) << "root's\n";
    rig.start(job(1, "echo x >" + first_, true));
    rig.wait<RunExited>(rig.batch(1));
    ASSERT_TRUE(there(first_));
    end(1);
    EXPECT_FALSE(there(first_)) << log.text;
    EXPECT_TRUE(there(second_));
    EXPECT_TRUE(log.has(": removed")) << log.text;
}

TEST_F(LeftTest, ANewAgentKnowsWhatTheSiteSaid) {
    if (!be_only_user("uucp")) GTEST_SKIP() << "SKIPPED: needs root and the user uucp";
    rig.start(job(1, "echo x >" + first_, true));
    rig.wait<RunExited>(rig.batch(1));
    rig.node.reset();
    auto opened = LinuxNode::open(rig.options, log);
    ASSERT_TRUE(opened.ok());
    rig.node = std::move(opened).value();
    rig.seen.clear();
    end(1);
    EXPECT_FALSE(there(first_)) << log.text;
}

TEST_F(LeftTest, ProcessesThatIgnoreTheSignalToEndAreNamedWhenTheyAreKilled) {
    rig.start(job(1,
                  "(trap '' TERM; touch ignores; while :; do sleep 0.1; done) & "
                  "while [ ! -e ignores ]; do sleep 0.01; done",
                  false));
    rig.wait<RunExited>(rig.batch(1));
    rig.signal(rig.whole(1), SIGTERM);
    rig.pump(200);
    EXPECT_FALSE(log.has("killing")) << log.text;
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(1));
    EXPECT_TRUE(log.has("job 1: killing ")) << log.text;
    EXPECT_TRUE(log.has(" still there 0 s after the signal to end: ")) << log.text;
    EXPECT_TRUE(log.has("slurm_script")) << log.text;
}

}  // namespace
}  // namespace berth
