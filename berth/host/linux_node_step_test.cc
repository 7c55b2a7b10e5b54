// Steps on real processes: tasks with ranks, and their streams carried to an srun.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <map>

#include "berth/host/linux_node_rig.h"
#include "berth/model/step_io.h"

namespace berth {
namespace {

// What an srun does: listens, greets, keeps what comes.
class ListeningSrun {
public:
    ListeningSrun() {
        listener_.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        bind(listener_.get(), reinterpret_cast<sockaddr*>(&at), size);
        listen(listener_.get(), 5);
        getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&at), &size);
        address = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    }
    // Takes what has come; false once the step has closed the connection.
    bool serve() {
        if (!peer_) {
            peer_.reset(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            return true;
        }
        char part[65536];
        const ssize_t got = paused ? -1 : read(peer_.get(), part, sizeof part);
        if (got == 0) return false;
        if (got > 0) reader_.add({part, static_cast<std::size_t>(got)});
        for (;;) {
            auto frame = reader_.next();
            EXPECT_TRUE(frame.ok());
            if (!frame.ok() || !*frame) return true;
            keep(**frame);
        }
    }
    void send(std::uint32_t task, const std::string& bytes) {
        const std::string frames = encode_frames(StepFrameKind::standard_in, task, bytes);
        EXPECT_EQ(write(peer_.get(), frames.data(), frames.size()),
                  static_cast<ssize_t>(frames.size()));
    }
    // So that most of what a step says waits at the step's end.
    void take_little() {
        const int little = 4096;
        setsockopt(listener_.get(), SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    }
    // Sends, for a task that there is not, and reads nothing.
    void pester(std::chrono::milliseconds length) {
        const std::string frame = encode_frame(StepFrameKind::standard_in, 99, "x");
        const auto until = std::chrono::steady_clock::now() + length;
        while (std::chrono::steady_clock::now() < until) {
            (void)!::send(peer_.get(), frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            usleep(100);
        }
    }
    void hang_up() {
        peer_.reset();
        hello.reset();
        reader_ = {};
    }
    void die() {
        peer_.reset();
        listener_.reset();
    }

    std::string address;
    std::optional<StepHello> hello;
    std::map<std::uint32_t, std::string> out, err;
    std::map<std::uint32_t, ExitStatus> exits;
    std::vector<std::string> order;  // "out 0", "exit 0" …
    bool paused = false;

private:
    void keep(const StepFrame& frame) {
        const std::string task = std::to_string(frame.task);
        if (!hello) {
            const auto read = read_hello(frame, "t0ken");
            ASSERT_TRUE(read.ok()) << read.error().message;
            hello = *read;
        } else if (frame.kind == StepFrameKind::standard_out) {
            out[frame.task] += frame.bytes;
            if (!frame.bytes.empty()) order.push_back("out " + task);
        } else if (frame.kind == StepFrameKind::standard_error) {
            err[frame.task] += frame.bytes;
        } else if (const auto exit = read_exit(frame); exit.ok()) {
            exits[frame.task] = *exit;
            order.push_back("exit " + task);
        }
    }

    UniqueFd listener_, peer_;
    StepFrameReader reader_;
};

class StepTest : public ::testing::Test {
protected:
    void SetUp() override {
        rig.open();
        job = rig.job(1, "sleep 1000");
        rig.start(job);
        rig.wait<RunStarted>(rig.batch(1));
    }
    LaunchStep step(std::uint32_t id, std::uint32_t tasks, const std::string& shell) const {
        LaunchStep launch = rig.step(job, id, tasks, shell);
        launch.io_address = srun.address;
        launch.io_token = "t0ken";
        return launch;
    }
    void start(const LaunchStep& launch) { rig.node->act(StartStep{launch, job}); }
    template <class Until>
    bool serve_until(Until until, int milliseconds = 20'000) {
        for (; milliseconds > 0; milliseconds -= 5) {
            srun.serve();
            rig.pump(5);
            if (until()) return true;
        }
        return false;
    }
    ExitStatus run(const LaunchStep& launch) {
        start(launch);
        const RunKey key{launch.job, launch.attempt, launch.step};
        EXPECT_TRUE(serve_until([&] {
            return rig.saw<RunExited>(key) && srun.exits.size() == launch.share.tasks.size();
        })) << (rig.saw<RunFailedToStart>(key) ? rig.find<RunFailedToStart>(key)->why : "");
        return rig.saw<RunExited>(key) ? rig.find<RunExited>(key)->exit : ExitStatus{-1, -1};
    }

    LinuxNodeRig rig;
    LaunchAttempt job;
    ListeningSrun srun;
};

TEST_F(StepTest, RunsItsTasksWithRanksAndTellsOfEach) {
    const ExitStatus exit = run(step(0, 4,
                                     "echo rank $SLURM_PROCID of $SLURM_NTASKS; echo e >&2; "
                                     "exit $SLURM_LOCALID"));
    EXPECT_EQ(exit, (ExitStatus{3, 0}));  // The highest.
    EXPECT_EQ(srun.hello->ranks, (std::vector<std::uint32_t>{0, 1, 2, 3}));
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(srun.out[rank], "rank " + std::to_string(rank) + " of 4\n");
        EXPECT_EQ(srun.err[rank], "e\n");
        EXPECT_EQ(srun.exits[rank], (ExitStatus{static_cast<std::int16_t>(rank), 0}));
        const auto place = [&](const std::string& what) {
            return std::find(srun.order.begin(), srun.order.end(), what + std::to_string(rank));
        };
        EXPECT_LT(place("out "), place("exit "));
    }
}

TEST_F(StepTest, PassesInputToOneTaskOrToAll) {
    start(step(0, 2, "cat"));
    ASSERT_TRUE(serve_until([&] { return srun.hello.has_value(); }));
    srun.send(kAllTasks, "both\n");
    srun.send(1, "one\n");
    srun.send(kAllTasks, "");
    EXPECT_TRUE(serve_until([&] { return srun.exits.size() == 2; }));
    EXPECT_EQ(srun.out[0], "both\n");
    EXPECT_EQ(srun.out[1], "both\none\n");
}

TEST_F(StepTest, CarriesMuchOutputWhole) {
    run(step(0, 2, "head -c 3000000 /dev/zero | tr '\\0' x; echo end"));
    EXPECT_EQ(srun.out[0].size(), 3'000'004u);
    EXPECT_TRUE(srun.out[1].ends_with("xend\n"));
}

TEST_F(StepTest, DoesNotHangWhenSrunIsGone) {
    start(step(0, 1, "head -c 3000000 /dev/zero; echo $? > rc; cat; exit 5"));
    ASSERT_TRUE(serve_until([&] { return srun.hello.has_value(); }));
    srun.die();
    EXPECT_EQ(rig.wait<RunExited>(rig.step_key(1, 0)).exit, (ExitStatus{5, 0}));
    EXPECT_EQ(rig.text("rc"), "0\n");
}

TEST_F(StepTest, WaitsForASlowSrunAndLosesNothing) {
    start(step(0, 1, "head -c 2000000 /dev/zero; echo done > written"));
    ASSERT_TRUE(serve_until([&] { return srun.hello.has_value(); }));
    srun.paused = true;
    serve_until([] { return false; }, 300);
    srun.paused = false;
    ASSERT_TRUE(serve_until([&] { return srun.exits.size() == 1; }));
    EXPECT_EQ(srun.out[0].size(), 2'000'000u);
}

// What srun has not taken yet lies with the kernel of the step's host, which throws it away where
// the step closes on something unread: so the step must not be the first to close.
TEST_F(StepTest, LosesNothingWhenSrunSendsWhatNobodyReadsAnyMore) {
    srun.take_little();
    for (std::uint32_t id = 0; id < 5; ++id) {
        srun.out.clear(), srun.exits.clear();
        start(step(id, 1, "sleep 0.1; head -c 300000 /dev/zero"));
        ASSERT_TRUE(serve_until([&] { return srun.hello.has_value(); }));
        srun.pester(std::chrono::milliseconds(400));
        ASSERT_TRUE(serve_until([&] { return srun.exits.size() == 1; }));
        EXPECT_EQ(srun.out[0].size(), 300'000u);
        srun.hang_up();
        rig.wait<RunExited>(rig.step_key(1, id));
    }
}

TEST_F(StepTest, FailsToStartIfNoSrunIsThere) {
    srun.die();
    start(step(0, 1, "touch ran"));
    const std::string why = rig.wait<RunFailedToStart>(rig.step_key(1, 0)).why;
    EXPECT_EQ(why.find("cannot reach srun at 127.0.0.1:"), 0u) << why;
    EXPECT_FALSE(std::filesystem::exists(rig.work + "/ran"));
}

TEST_F(StepTest, StartsAllTasksOrNone) {
    LaunchStep launch = step(0, 3, "touch ran.$SLURM_PROCID");
    launch.std_out = "no-such-folder-%t/x";
    std::filesystem::create_directory(rig.work + "/no-such-folder-0");
    chmod((rig.work + "/no-such-folder-0").c_str(), 0777);
    start(launch);
    EXPECT_EQ(rig.wait<RunFailedToStart>(rig.step_key(1, 0)).why,
              "Could not open stdout file " + rig.work +
                  "/no-such-folder-1/x: No such file or directory");
    EXPECT_FALSE(std::filesystem::exists(rig.work + "/ran.0"));
    EXPECT_FALSE(rig.saw<RunStarted>(rig.step_key(1, 0)));
}

TEST_F(StepTest, LetsAProgramThatIsNotThereBeTheTasksOwnFault) {
    LaunchStep launch = step(0, 1, "");
    launch.arguments = {"no-such-program", "x"};
    EXPECT_EQ(run(launch), (ExitStatus{ENOENT, 0}));
    EXPECT_EQ(srun.err[0],
              "slurmstepd: error: execve(): no-such-program: No such file or directory\n");
    launch = step(1, 1, "");
    launch.arguments = {"/etc/passwd"};
    srun.exits.clear();
    ListeningSrun other;
    srun = std::move(other);
    launch.io_address = srun.address;
    EXPECT_EQ(run(launch), (ExitStatus{EACCES, 0}));
}

TEST_F(StepTest, WritesToOneFileOrOnePerTask) {
    LaunchStep launch = rig.step(job, 0, 3, "echo $SLURM_PROCID");
    launch.std_out = "each.%t";
    start(launch);
    rig.wait<RunExited>(rig.step_key(1, 0));
    EXPECT_EQ(rig.text("each.2"), "2\n");
    launch = rig.step(job, 1, 3, "echo $SLURM_PROCID");
    launch.std_out = "shared";
    start(launch);
    rig.wait<RunExited>(rig.step_key(1, 1));
    std::vector<std::string> lines = rig.lines("shared");
    std::sort(lines.begin(), lines.end());
    EXPECT_EQ(lines, (std::vector<std::string>{"0", "1", "2"}));
}

TEST_F(StepTest, EndsAStepAloneAndAllWithTheJob) {
    // A shell that is ended while it forks would leave behind what the signal did not find yet.
    start(step(0, 2, "exec sleep 1000"));
    rig.wait<RunStarted>(rig.step_key(1, 0));
    rig.signal(rig.step_key(1, 0), SIGTERM);
    EXPECT_EQ(rig.wait<RunExited>(rig.step_key(1, 0)).exit, (ExitStatus{0, SIGTERM}));
    rig.wait<RunEmpty>(rig.step_key(1, 0));
    EXPECT_FALSE(rig.saw<RunExited>(rig.batch(1)));
    LaunchStep second = rig.step(job, 1, 2, "sleep 1000");
    start(second);
    rig.wait<RunStarted>(rig.step_key(1, 1));
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunExited>(rig.step_key(1, 1));
    rig.wait<RunExited>(rig.batch(1));
    rig.wait<RunEmpty>(rig.whole(1));
}

TEST_F(StepTest, IsRefusedForAJobThatIsNotHere) {
    LaunchStep launch = step(0, 1, "true");
    launch.job = JobId{99};
    start(launch);
    EXPECT_EQ(rig.wait<RunFailedToStart>(rig.step_key(99, 0)).why,
              "its job does not run on this node");
}

TEST_F(StepTest, KeepsTheTokenFromItsTasks) {
    run(step(0, 1, "tr '\\0' '\\n' < /proc/$PPID/cmdline; env; cat /proc/$PPID/environ 2>&1"));
    EXPECT_EQ(srun.out[0].find("t0ken"), std::string::npos) << srun.out[0];
}

}  // namespace
}  // namespace berth
