// Those who only look, while the scheduler has all it can do.
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "bench/control_cases.h"
#include "bench/control_flow.h"

namespace berth::bench {

namespace {

constexpr std::uint64_t kPending = 100'000;
constexpr std::size_t kPollers = 200;
constexpr std::chrono::milliseconds kPollEvery{500};
constexpr std::chrono::seconds kFlowing{12};
constexpr int kRuns = 15;

// What a user's call of squeue takes, from its start to its end.
double run_squeue(const LiveDaemon& daemon, std::uint32_t uid, std::vector<std::string> words) {
    words.insert(words.begin(), program("squeue"));
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::string socket = "BERTH_SOCKET=" + daemon.socket();
    char* environment[] = {socket.data(), nullptr};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    const bool as_user = geteuid() == 0;
    const auto start = std::chrono::steady_clock::now();
    pid_t pid = -1;
    // The child has the rights of the thread that makes it.
    if (as_user) (void)syscall(SYS_setresuid, -1, uid, -1);
    const int failed =
        posix_spawn(&pid, words.front().c_str(), &files, nullptr, arguments.data(), environment);
    if (as_user) (void)syscall(SYS_setresuid, -1, 0, -1);
    posix_spawn_file_actions_destroy(&files);
    int status = 0;
    if (failed != 0 || waitpid(pid, &status, 0) != pid || status != 0) give_up("squeue fails");
    return milliseconds_since(start);
}

Row measure_squeue(const LiveDaemon& daemon, const std::string& what, double asked,
                   const std::vector<std::string>& words, std::uint32_t uid) {
    Times times;
    for (int i = 0; i < kRuns; ++i) times.add(run_squeue(daemon, uid, words));
    return {what,
            times.at(0.5),
            "ms",
            asked,
            false,
            "median of " + std::to_string(kRuns) + ", worst " + text_of(times.at(1)) +
                " ms; 100 000 pending, jobs flowing"};
}

// Each asks for its own jobs twice a second, as `watch squeue --me` would.
class Pollers {
public:
    explicit Pollers(const LiveDaemon& daemon) : thread_([this, &daemon] { poll(daemon); }) {}
    ~Pollers() { stop(); }
    Times stop() {
        stopping_ = true;
        if (thread_.joinable()) thread_.join();
        return times_;
    }

private:
    void poll(const LiveDaemon& daemon) {
        using std::chrono::steady_clock;
        std::vector<Connection> connections;
        std::vector<steady_clock::time_point> next(kPollers);
        for (std::size_t i = 0; i < kPollers; ++i) {
            connections.emplace_back(daemon.socket(), kFirstUid + i % kUsers);
            next[i] = steady_clock::now() + kPollEvery * i / kPollers;
        }
        drive(
            connections,
            [&](std::size_t i) -> std::optional<std::string> {
                if (stopping_) return std::nullopt;
                if (steady_clock::now() < next[i]) return std::string();
                next[i] += kPollEvery;
                return get("/v1/jobs?user=" + std::to_string(kFirstUid + kUsers - 1) +
                           "&field=id&field=name&field=state&field=partition&field=owner&field="
                           "nodes&field="
                           "reason");
            },
            [&](std::size_t, const Reply& reply) {
                if (reply.status != 200) give_up("a poller was refused: " + reply.body);
                times_.add(reply.ms);
            });
    }

    std::atomic<bool> stopping_ = false;
    Times times_;
    std::thread thread_;
};

}  // namespace

std::vector<Row> measure_readers() {
    LiveDaemon daemon({});
    daemon.start();
    Flow flow(daemon, {.pending = kPending, .connections = 32});
    flow.warm_up();
    std::vector<Row> rows;
    // Nobody submits as the last of the users: these jobs are few.
    const std::uint32_t me = kFirstUid + kUsers - 1;
    Connection own(daemon.socket(), me);
    for (std::uint64_t i = 0; i < 50; ++i) {
        accepted_job(own.call(submit_request({.number = (std::uint64_t{1} << 45) + i})));
    }
    rows.push_back(measure_squeue(daemon, "squeue of 100 000 pending jobs", 1000, {}, me));
    rows.push_back(measure_squeue(daemon, "squeue --me", 30, {"--me"}, me));
    const Flow::Reading before = flow.run_for(kFlowing);
    Pollers pollers(daemon);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const Flow::Reading with = flow.run_for(kFlowing);
    Times polls = pollers.stop();
    const Flow::Reading after = flow.run_for(kFlowing);
    const double alone =
        (before.cost.controller_ms + after.cost.controller_ms) / (before.jobs + after.jobs);
    const double polled = with.cost.controller_ms / with.jobs;
    rows.push_back({"200 pollers at 2 Hz: the controller's work a job", (polled / alone - 1) * 100,
                    "% more", 5, false,
                    text_of(alone * 1e3) + " us of CPU without, " + text_of(polled * 1e3) +
                        " with; " +
                        text_of((before.jobs + after.jobs) / (before.seconds + after.seconds)) +
                        " and " + text_of(with.jobs / with.seconds) + " jobs/s"});
    rows.push_back({"a poll, p99", polls.at(0.99), "ms", 0, false,
                    text_of(static_cast<double>(polls.count())) + " polls"});
    return rows;
}

}  // namespace berth::bench
