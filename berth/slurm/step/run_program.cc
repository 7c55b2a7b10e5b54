#include "berth/slurm/step/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "berth/base/text.h"

namespace berth::slurm {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

constexpr std::size_t kOutputMost = 1 << 20;

// 0, or errno. srun holds signals back; its children do not. `actions`: nullptr for none.
int start(const std::string& program, std::vector<std::string> words,
          std::vector<std::string> settings, pid_t& child,
          const posix_spawn_file_actions_t* actions = nullptr) {
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    const int error = ::posix_spawnp(&child, program.c_str(), actions, &attributes,
                                     pointers_to(words).data(), pointers_to(settings).data());
    posix_spawnattr_destroy(&attributes);
    return error;
}

// Up to its end; nullopt if that does not come in time.
std::optional<std::string> read_until(int file, std::chrono::steady_clock::time_point until) {
    std::string text;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            until - std::chrono::steady_clock::now());
        if (left.count() <= 0 || text.size() > kOutputMost) return std::nullopt;
        pollfd one{.fd = file, .events = POLLIN, .revents = 0};
        if (::poll(&one, 1, static_cast<int>(left.count())) <= 0) continue;
        std::array<char, 4096> piece{};
        const ssize_t got = ::read(file, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return std::nullopt;
        if (got == 0) return text;
        text.append(piece.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace

std::optional<std::string> output_of(std::vector<std::string> words,
                                     std::vector<std::string> settings,
                                     std::chrono::seconds patience) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const std::string program = words.front();
    pid_t child = 0;
    const int error = start(program, std::move(words), std::move(settings), child, &actions);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::optional<std::string> said;
    if (error == 0) said = read_until(ends[0], std::chrono::steady_clock::now() + patience);
    ::close(ends[0]);
    if (error != 0) return std::nullopt;
    if (!said) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
    return said;
}

Status run_program(const std::string& program, const std::vector<std::string>& arguments,
                   const std::map<std::string, std::string>& environment) {
    if (iequals(program, "none")) return Done{};
    std::vector<std::string> words{program}, settings;
    words.insert(words.end(), arguments.begin(), arguments.end());
    for (const auto& [name, value] : environment) settings.push_back((name + "=").append(value));
    pid_t child = 0;
    const int error = start(program, std::move(words), std::move(settings), child);
    if (error != 0) {
        return Error{ErrorCode::not_found,
                     "unable to run " + program + ": " + std::strerror(error)};
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
        return Error{ErrorCode::internal,
                     program + " ended by signal " + std::to_string(WTERMSIG(status))};
    }
    if (WEXITSTATUS(status) != 0) {
        return Error{ErrorCode::internal,
                     program + " exited with code " + std::to_string(WEXITSTATUS(status))};
    }
    return Done{};
}

}  // namespace berth::slurm
