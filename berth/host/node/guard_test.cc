// Runs without a cgroup: no process gets lost when their shepherd is killed.
#include <sys/resource.h>
#include <sys/wait.h>

#include "berth/base/text.h"
#include "berth/host/node/linux_node_rig.h"
#include "berth/host/os/process.h"
#include "berth/host/run/run_directory.h"
#include "berth/host/shepherd/guard.h"

namespace berth {
namespace {

class Guard : public ::testing::Test {
protected:
    Guard() { rig.options.use_cgroups = false; }

    // A script and a daemon of it, in another session and without environment.
    void start() {
        rig.start(rig.job(1,
                          "setsid env -i sh -c 'echo $$ > daemon.new; mv daemon.new daemon; "
                          "exec sleep 1000' &\n"
                          "while [ ! -e daemon ]; do sleep 0.01; done; echo $$ > pid.new; "
                          "mv pid.new pid; while [ ! -e go ]; do sleep 0.01; done; "
                          "kill $(cat daemon)"));
        ASSERT_TRUE(rig.wait_for_file(rig.work + "/pid"));
        rig.wait<RunStarted>(rig.batch(1));
        daemon = *mark_of(std::stoi(rig.text("daemon")));
    }
    RunDirectory folder() const { return RunDirectory(rig.options.run_dir + "/1.1/batch"); }
    static bool lives(const ProcessMark& mark) {
        if (mark_of(mark.pid) != mark) return false;
        const auto stat = read_file("/proc/" + std::to_string(mark.pid) + "/stat");
        return stat.ok() && stat->find(") Z") == std::string::npos;
    }
    static ProcessMark parent_of(const ProcessMark& mark) {
        const auto stat = read_file("/proc/" + std::to_string(mark.pid) + "/stat");
        const std::string rest = stat->substr(stat->rfind(')') + 2);
        const auto words = split(rest, ' ');
        return *mark_of(static_cast<int>(*parse_int64(words[1])));
    }
    static void kill(const ProcessMark& mark) { send_signal(open_process(mark), SIGKILL); }

    LinuxNodeRig rig;
    ProcessMark daemon;
};

TEST_F(Guard, ARunIsEmptyOnlyWhenAllIsGoneThatAKilledShepherdLeft) {
    rig.open();
    start();
    kill(*folder().shepherd());
    rig.wait<RunEmpty>(rig.batch(1));
    EXPECT_FALSE(lives(daemon)) << "its GPU would be given away";
    EXPECT_FALSE(rig.saw<RunExited>(rig.batch(1)));
    EXPECT_FALSE(folder().has_processes());
}

TEST_F(Guard, AlsoForAnAgentThatDidNotStartIt) {
    const pid_t agent = fork();
    if (agent == 0) {
        rig.open();
        start();
        _exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    waitpid(agent, &status, 0);
    ASSERT_EQ(status, 0);
    daemon = *mark_of(std::stoi(rig.text("daemon")));
    rig.open();
    EXPECT_EQ(rig.node->alive(), std::vector<RunKey>{rig.batch(1)});
    kill(*folder().shepherd());
    rig.wait<RunEmpty>(rig.batch(1));
    EXPECT_FALSE(lives(daemon));
}

TEST_F(Guard, ARunGoesOnWithoutItsGuard) {
    rig.open();
    start();
    const ProcessMark guard = parent_of(*folder().shepherd());
    kill(guard);
    for (int i = 0; i < 10; ++i) rig.pump(10);
    EXPECT_FALSE(rig.saw<RunEmpty>(rig.batch(1)));
    std::ofstream(rig.work + "/go") << "";
    EXPECT_EQ(rig.wait<RunExited>(rig.batch(1)).exit, ExitStatus{});
    rig.wait<RunEmpty>(rig.batch(1));
    EXPECT_FALSE(lives(daemon));
    EXPECT_FALSE(folder().has_processes());
}

// Where it may not fork, as where it is killed before it does: there is nothing to wait for.
TEST_F(Guard, WithoutAShepherdLeavesARunWithoutProcesses) {
    constexpr uid_t kNobody = 65534;
    const RunDirectory run(rig.work);
    const pid_t child = fork();
    if (child == 0) {
        const rlimit none{};
        if (geteuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0) _exit(2);
        if (setrlimit(RLIMIT_NPROC, &none) != 0) _exit(3);
        _exit(begin_guarded(run).ok() ? 4 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(WEXITSTATUS(status), 0);
    EXPECT_FALSE(run.has_processes());
}

// Nothing is left that knows the run's processes: its devices stay taken.
TEST_F(Guard, ARunWhoseShepherdAndGuardAreKilledIsNeverEmptyByItself) {
    rig.open();
    start();
    const ProcessMark shepherd = *folder().shepherd();
    kill(parent_of(shepherd));
    kill(shepherd);
    rig.signal(rig.whole(1), SIGKILL);
    for (int i = 0; i < 30; ++i) rig.pump(10);
    EXPECT_FALSE(rig.saw<RunEmpty>(rig.whole(1)));
    rig.reopen();
    EXPECT_EQ(rig.node->alive(), std::vector<RunKey>{rig.batch(1)});
    rig.signal(rig.whole(1), SIGKILL);
    for (int i = 0; i < 30; ++i) rig.pump(10);
    EXPECT_FALSE(rig.saw<RunEmpty>(rig.whole(1)));
    EXPECT_TRUE(rig.node->has(JobId{1}, Attempt{1}));
    kill(daemon);
    std::filesystem::remove(folder().path() + "/processes");  // As the log message advises.
    rig.wait<RunEmpty>(rig.whole(1));
}

}  // namespace
}  // namespace berth
