// Those who only look, while the scheduler has all it can do.
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/control_cases.h"
#include "bench/control_flow.h"

namespace berth::bench {

namespace {

constexpr std::uint64_t kPending = 100'000;
constexpr int kRuns = 15;

// What a user's call of squeue takes, from its start to its end.
double run_squeue(const LiveDaemon& daemon, std::uint32_t uid, std::vector<std::string> words) {
    words.insert(words.begin(), program("squeue"));
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
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
    return rows;
}

}  // namespace berth::bench
