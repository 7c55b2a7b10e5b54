// The agent is replaced; the jobs do not notice.
#include <sched.h>
#include <sys/wait.h>

#include <algorithm>

#include "berth/host/node/linux_node_rig.h"
#include "berth/host/os/process.h"
#include "berth/host/run/run_directory.h"

namespace berth {
namespace {

class Adoption : public ::testing::Test {
protected:
    // Starts the job from a process of its own, which then ends without cleaning up.
    void start_by_another_agent(const LaunchAttempt& job, bool wait_for_exit = false) {
        const pid_t agent = fork();
        if (agent == 0) {
            rig.open();
            rig.node->act(StartAttempt{job});
            const RunKey key{job.job, job.attempt, kBatchStep};
            for (int i = 0; i < 1000; ++i) {
                rig.pump(10);
                if (wait_for_exit ? rig.saw<RunExited>(key) : rig.saw<RunStarted>(key)) _exit(0);
            }
            _exit(1);
        }
        int status = 0;
        waitpid(agent, &status, 0);
        ASSERT_EQ(status, 0);
    }
    RunDirectory folder(std::uint32_t job) const {
        return RunDirectory(rig.options.run_dir + "/" + std::to_string(job) + ".1/batch");
    }
    LinuxNodeRig rig;
};

TEST_F(Adoption, TakesOverARunningJobAndHearsItsEnd) {
    start_by_another_agent(rig.job(1, "while [ ! -e go ]; do sleep 0.01; done; exit 5"));
    rig.open();
    EXPECT_EQ(rig.node->alive(), std::vector<RunKey>{rig.batch(1)});
    EXPECT_FALSE(rig.saw<RunStarted>(rig.batch(1)));
    std::ofstream(rig.work + "/go") << "";
    EXPECT_EQ(rig.wait<RunExited>(rig.batch(1)).exit, (ExitStatus{5, 0}));
    rig.signal(rig.whole(1), SIGTERM);
    rig.wait<RunEmpty>(rig.whole(1));
    rig.node->act(RemoveAttempt{JobId{1}, Attempt{1}});
}

TEST_F(Adoption, ReadsTheExitOfAJobThatEndedMeanwhile) {
    start_by_another_agent(rig.job(1, "while [ ! -e go ]; do sleep 0.01; done; exit 6"));
    std::ofstream(rig.work + "/go") << "";
    while (!folder(1).exit()) usleep(1000);
    while (folder(1).is_locked()) usleep(1000);
    rig.open();
    EXPECT_TRUE(rig.node->alive().empty());
    std::vector<AgentEvent> first = rig.node->take_events();
    ASSERT_FALSE(first.empty());
    EXPECT_EQ(std::get<RunExited>(first[0]).exit, (ExitStatus{6, 0}));
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(1));
    rig.node->act(RemoveAttempt{JobId{1}, Attempt{1}});
}

TEST_F(Adoption, SignalsWhatItTookOver) {
    start_by_another_agent(rig.job(1, "sleep 100"));
    rig.open();
    rig.signal(rig.batch(1), SIGUSR1, false);
    EXPECT_EQ(rig.wait<RunExited>(rig.batch(1)).exit, (ExitStatus{0, SIGUSR1}));
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(1));
}

TEST_F(Adoption, CountsAJobAsAliveWhileAProcessIsLeftOfIt) {
    if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: needs root for cgroups";
    start_by_another_agent(rig.job(1, "setsid sleep 100 & exit 0"), true);
    while (folder(1).is_locked()) usleep(1000);
    rig.open();
    EXPECT_EQ(rig.node->alive(), std::vector<RunKey>{rig.batch(1)});
    rig.wait<RunExited>(rig.batch(1));
    EXPECT_FALSE(rig.saw<RunEmpty>(rig.batch(1)));
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(1));
}

TEST_F(Adoption, EndsARunWhoseShepherdWasKilled) {
    if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: needs root for cgroups";
    rig.open();
    rig.start(rig.job(1, "echo $$ > pid.new; mv pid.new pid; sleep 100"));
    ASSERT_TRUE(rig.wait_for_file(rig.work + "/pid"));
    send_signal(open_process(*folder(1).shepherd()), SIGKILL);
    rig.wait<RunEmpty>(rig.batch(1));
    EXPECT_FALSE(rig.saw<RunExited>(rig.batch(1)));
    const auto left = mark_of(std::stoi(rig.text("pid")));
    EXPECT_TRUE(!left || rig.text("/proc/" + std::to_string(left->pid) + "/stat").find(") Z") !=
                             std::string::npos);
}

TEST_F(Adoption, EndsARunWhoseShepherdWasKilledWhileNobodyLooked) {
    if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: needs root for cgroups";
    start_by_another_agent(rig.job(1, "touch begun; sleep 100"));
    while (!std::filesystem::exists(rig.work + "/begun")) usleep(1000);
    const auto shepherd = folder(1).shepherd();
    send_signal(open_process(*shepherd), SIGKILL);
    while (folder(1).is_locked()) usleep(1000);
    rig.open();
    EXPECT_EQ(rig.node->alive(), std::vector<RunKey>{rig.batch(1)});
    rig.wait<RunEmpty>(rig.batch(1));
    EXPECT_FALSE(rig.saw<RunExited>(rig.batch(1)));
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(1));
}

// Nothing was alive when the agent came back: runs that start after its list are not dropped.
TEST_F(Adoption, ForgetsNoStepThatBeganAfterIt) {
    const LaunchAttempt job = rig.job(1, "exit 0");
    start_by_another_agent(job, true);
    while (folder(1).is_locked()) usleep(1000);
    rig.open();
    EXPECT_TRUE(rig.node->alive().empty());
    rig.node->act(ListAttempts{{rig.whole(1)}});
    rig.node->act(StartStep{rig.step(job, 0, 1, "echo $$ > pid; sleep 1000.8"), job});
    ASSERT_TRUE(rig.wait_for_file(rig.work + "/pid"));
    for (int i = 0; i < 5; ++i) rig.pump(10);
    EXPECT_EQ(list_attempts(rig.options.run_dir).size(), 1U);
    rig.signal(rig.whole(1), SIGTERM);
    rig.wait<RunExited>(rig.step_key(1, 0));
    rig.wait<RunEmpty>(rig.whole(1));
}

// The launcher's case after a restart of its agent: the end was acknowledged, so the agent does not
// know the attempt, and the removal was lost.
TEST_F(Adoption, ForgetsAtOnceWhatTheAgentDoesNotKnow) {
    start_by_another_agent(rig.job(1, "exit 0"), true);
    while (folder(1).is_locked()) usleep(1000);
    rig.open();
    rig.pump(10);
    EXPECT_TRUE(rig.node->has(JobId{1}, Attempt{1})) << "nothing is forgotten before the list";
    rig.node->act(ListAttempts{});
    for (int i = 0; i < 20 && rig.node->has(JobId{1}, Attempt{1}); ++i) rig.pump(10);
    EXPECT_FALSE(rig.node->has(JobId{1}, Attempt{1}));
    EXPECT_TRUE(list_attempts(rig.options.run_dir).empty());
}

// The agent's word does not suffice: the devices stay taken while anything runs.
TEST_F(Adoption, ForgetsNothingThatRunsWhateverTheListSays) {
    start_by_another_agent(rig.job(1, "sleep 100"));
    rig.open();
    rig.node->act(ListAttempts{});
    for (int i = 0; i < 20; ++i) rig.pump(10);
    EXPECT_TRUE(rig.node->has(JobId{1}, Attempt{1}));
    EXPECT_EQ(list_attempts(rig.options.run_dir).size(), 1U);
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(1));
}

// An idle salloc, or a node of a job whose script runs on another node.
TEST_F(Adoption, ForgetsNothingThatTheAgentKnows) {
    LaunchAttempt job = rig.job(1, "");
    job.batch_host = false;
    rig.open();
    rig.node->act(StartAttempt{job});
    rig.pump(10);
    rig.reopen();
    EXPECT_TRUE(rig.node->alive().empty());
    rig.node->act(ListAttempts{{rig.whole(1)}});
    for (int i = 0; i < 20; ++i) rig.pump(10);
    EXPECT_EQ(list_attempts(rig.options.run_dir).size(), 1U);
    rig.node->act(StartStep{rig.step(job, 0, 1, "echo $$ > pid"), job});
    EXPECT_TRUE(rig.wait_for_file(rig.work + "/pid"));
    rig.wait<RunExited>(rig.step_key(1, 0));
}

TEST_F(Adoption, HasWhatWasRemovedForAsLongAsItsProcessesLive) {
    if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: needs root for cgroups";
    rig.open();
    rig.start(rig.job(1, "echo $$ > pid; sleep 1000.9"));
    ASSERT_TRUE(rig.wait_for_file(rig.work + "/pid"));
    EXPECT_TRUE(rig.node->has(JobId{1}, Attempt{1}));
    rig.node->act(RemoveAttempt{JobId{1}, Attempt{1}});
    rig.pump(10);
    EXPECT_TRUE(rig.node->has(JobId{1}, Attempt{1}));
    rig.reopen();
    EXPECT_TRUE(rig.node->has(JobId{1}, Attempt{1}));
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(1));
    rig.node->act(RemoveAttempt{JobId{1}, Attempt{1}});
    EXPECT_FALSE(rig.node->has(JobId{1}, Attempt{1}));
}

// As with many agents on a machine: a user has 128 inotify instances by default.
bool use_up_inotify() {
    const auto put = [](const char* path, const std::string& text) {
        std::ofstream file(path);
        file << text << std::flush;
        return static_cast<bool>(file);
    };
    return unshare(CLONE_NEWUSER) == 0 && put("/proc/self/uid_map", "0 0 1") &&
           put("/proc/self/setgroups", "deny") && put("/proc/self/gid_map", "0 0 1") &&
           put("/proc/sys/user/max_inotify_instances", "0") && unshare(CLONE_NEWUSER) == 0 &&
           put("/proc/self/uid_map", "65534 0 1") && put("/proc/self/gid_map", "65534 0 1");
}

TEST(WithoutInotify, JobsRunAndTheirEndsAreNoticedAllTheSame) {
    if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: needs root to use up inotify";
    const pid_t agent = fork();
    if (agent == 0) {
        if (!use_up_inotify()) _exit(77);
        LinuxNodeRig rig;
        rig.open();
        rig.start(rig.job(1, "exit 3"));
        const bool right = rig.wait<RunExited>(rig.batch(1)).exit == ExitStatus{3, 0};
        rig.signal(rig.whole(1), SIGTERM);
        rig.wait<RunEmpty>(rig.whole(1));
        rig.node->act(RemoveAttempt{JobId{1}, Attempt{1}});
        _exit(right && !::testing::Test::HasFailure() ? 0 : 1);
    }
    int status = 0;
    waitpid(agent, &status, 0);
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "SKIPPED: no user namespaces here";
    EXPECT_EQ(status, 0);
}

TEST_F(Adoption, DoesNotBeginARunTwice) {
    start_by_another_agent(rig.job(1, "echo ran >> begun; mv begun ran; sleep 100"));
    rig.open();
    ASSERT_TRUE(rig.wait_for_file(rig.work + "/ran"));
    rig.start(rig.job(1, "echo again >> ran"));
    EXPECT_EQ(rig.wait<RunFailedToStart>(rig.batch(1)).why, "it was started on this node before");
    EXPECT_EQ(rig.text("ran"), "ran\n");
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(1));
    rig.seen.clear();
    rig.start(rig.job(1, "echo again >> ran"));
    EXPECT_EQ(rig.wait<RunFailedToStart>(rig.batch(1)).why, "it was started on this node before");
}

TEST_F(Adoption, RunsEachJobOnceWheneverTheAgentIsKilled) {
    // An agent that starts five jobs is killed after this many microseconds. A job that is then
    // neither alive nor has an exit record was not started and may be started now: in the end each
    // has run exactly once.
    int begun_later = 0;
    for (int delay = 200; delay < 20'000; delay += 500) {
        const std::uint32_t first = static_cast<std::uint32_t>(delay) * 10;
        const auto job = [&](std::uint32_t i) {
            return rig.job(first + i, "echo ran >> ran.$SLURM_JOB_ID");
        };
        const pid_t agent = fork();
        if (agent == 0) {
            rig.open();
            for (std::uint32_t i = 0; i < 5; ++i) rig.node->act(StartAttempt{job(i)});
            for (;;) rig.pump(10);
        }
        usleep(static_cast<useconds_t>(delay));
        kill(agent, SIGKILL);
        waitpid(agent, nullptr, 0);
        rig.reopen();
        rig.pump(0);
        for (std::uint32_t i = 0; i < 5; ++i) {
            const RunKey key = rig.batch(first + i);
            const auto& alive = rig.node->alive();
            if (std::find(alive.begin(), alive.end(), key) == alive.end() &&
                !rig.saw<RunExited>(key)) {
                ++begun_later;
                rig.start(job(i));
            }
            rig.wait<RunExited>(key);
            EXPECT_EQ(rig.text("ran." + std::to_string(first + i)), "ran\n")
                << "killed after " << delay << " us, job " << first + i;
            rig.signal(rig.whole(first + i), SIGKILL);
            rig.wait<RunEmpty>(rig.whole(first + i));
            rig.node->act(RemoveAttempt{key.job, key.attempt});
        }
        if (HasFailure()) return;
    }
    // Otherwise the agent was always killed too late for the test to mean anything.
    EXPECT_GT(begun_later, 0);
}

}  // namespace
}  // namespace berth
