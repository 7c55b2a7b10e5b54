#include "apps/daemon/site_program.h"

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

namespace berth {
namespace {

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

// Why the program must not be run; empty: it may.
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

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

// The process id, which leads its own process group, or a negative error number.
int spawn(const SiteProgram& call, int output) {
    std::vector<std::string> arguments = call.arguments;
    arguments.insert(arguments.begin(), call.path);
    std::vector<std::string> environment = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C"};
    environment.insert(environment.end(), call.environment.begin(), call.environment.end());
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
    const int error = posix_spawn(&pid, call.path.c_str(), &files, &attributes,
                                  pointers_to(arguments).data(), pointers_to(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error == 0 ? pid : -error;
}

// Keeps the end of the program's output. Returns false once the output is closed.
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

// Returns true if the program has ended, false after the timeout.
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

std::string run_program(const SiteProgram& call, const std::function<void(int)>& running) {
    if (std::string why = objection_to(call.path); !why.empty()) return why;
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

}  // namespace berth
