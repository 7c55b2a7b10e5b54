#include "apps/berthd/fence_runner.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

namespace berth {
namespace {

// More nodes than this are switched off one after the other.
constexpr std::size_t kWorkersMax = 16;
constexpr std::size_t kOutputMax = 200;

class Descriptor {
public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }
    void close() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

private:
    int fd_;
};

std::string last_error() { return std::strerror(errno); }

// Why it must not be run; empty: it may.
std::string objection_to(const std::string& program) {
    struct stat found{};
    if (::stat(program.c_str(), &found) != 0) return "cannot be run: " + last_error();
    if (!S_ISREG(found.st_mode)) return "cannot be run: it is no file";
    if (found.st_uid != 0 && found.st_uid != ::geteuid()) {
        return "is not run: its owner should be root";
    }
    if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return "is not run: others can write to it (chmod go-w)";
    }
    return {};
}

std::vector<std::string> environment_for(const FenceCall& call) {
    return {"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG=C",
            "BERTH_NODE=" + call.node,
            "BERTH_NODE_HOSTNAME=" + call.hostname,
            "BERTH_NODE_ADDRESS=" + call.address,
            "BERTH_BOOT_ID=" + call.boot_id};
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

// The process id, in a group of its own; or a negative error number.
int spawn(const FenceCall& call, int output) {
    std::vector<std::string> arguments = {call.program, call.node, call.boot_id};
    std::vector<std::string> environment = environment_for(call);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t pid = 0;
    const int error = posix_spawn(&pid, call.program.c_str(), &files, &attributes,
                                  pointers_to(arguments).data(), pointers_to(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error == 0 ? pid : -error;
}

// What it says last. False: it has closed its output.
bool read_some(int from, std::string& text) {
    std::array<char, 512> bytes{};
    const ssize_t count = ::read(from, bytes.data(), bytes.size());
    if (count <= 0) return false;
    text.append(bytes.data(), static_cast<std::size_t>(count));
    if (text.size() > kOutputMax) text.erase(0, text.size() - kOutputMax);
    return true;
}

std::string last_line(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    text.erase(0, text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
    for (char& c : text) {
        if (c < ' ' || c > '~') c = '?';
    }
    return text.empty() ? text : ": " + text;
}

// True: it is over. False: it took too long.
bool wait_for(int process, int from, Duration timeout, std::string& text) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + timeout;
    std::array<pollfd, 2> both{{{process, POLLIN, 0}, {from, POLLIN, 0}}};
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) return false;
        ::poll(both.data(), both.size(), static_cast<int>(std::min<std::int64_t>(left, 60'000)));
        if (both[1].revents != 0 && !read_some(from, text)) both[1].fd = -1;
        if ((both[0].revents & POLLIN) != 0) return true;
    }
}

}  // namespace

std::string run_fence(const FenceCall& call, const std::function<void(int)>& running) {
    if (std::string why = objection_to(call.program); !why.empty()) return why;
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return "cannot be run: " + last_error();
    const Descriptor from(ends[0]);
    Descriptor to(ends[1]);
    const int pid = spawn(call, to.get());
    to.close();
    if (pid < 0) return std::string("cannot be run: ") + std::strerror(-pid);
    running(pid);
    const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    std::string text;
    const bool over = wait_for(process.get(), from.get(), call.timeout, text);
    if (!over) ::kill(-pid, SIGKILL);
    int status = 0;
    running(0);
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!over) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(call.timeout);
        return "took longer than " + std::to_string(seconds.count()) + " seconds and was killed";
    }
    while (read_some(from.get(), text)) {
    }
    if (WIFSIGNALED(status)) {
        return "was ended by signal " + std::to_string(WTERMSIG(status)) + last_line(text);
    }
    if (WEXITSTATUS(status) == 0) return {};
    return "ended with exit code " + std::to_string(WEXITSTATUS(status)) + last_line(text);
}

FenceRunner::FenceRunner(std::function<void(FenceAnswered)> tell) : tell_(std::move(tell)) {}

FenceRunner::~FenceRunner() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        for (const int process : running_) ::kill(-process, SIGKILL);
    }
    called_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void FenceRunner::call(FenceCall call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
    if (idle_ < calls_.size() && workers_.size() < kWorkersMax) {
        workers_.emplace_back([this] { work(); });
    }
    called_.notify_one();
}

void FenceRunner::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        called_.wait(lock, [this] { return ending_ || !calls_.empty(); });
        --idle_;
        if (ending_) return;
        const FenceCall call = std::move(calls_.front());
        calls_.pop_front();
        lock.unlock();
        int process = 0;
        std::string failure = run_fence(call, [&](int id) {
            const std::lock_guard note(mutex_);
            running_.erase(process);
            process = id;
            if (id == 0) return;
            running_.insert(id);
            if (ending_) ::kill(-id, SIGKILL);
        });
        lock.lock();
        if (ending_) return;
        lock.unlock();
        tell_({.node = call.node, .boot_id = call.boot_id, .failure = std::move(failure)});
        lock.lock();
    }
}

}  // namespace berth
