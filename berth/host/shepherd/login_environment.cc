#include "berth/host/shepherd/login_environment.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "berth/base/text.h"
#include "berth/host/os/unique_fd.h"
#include "berth/host/os/user.h"
#include "berth/host/run/environment.h"

namespace berth {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 20;
constexpr std::chrono::seconds kPatience{120};  // As Slurm's.

struct Shell {
    std::string path, home, user;
};

Shell shell_of_user() {
    const auto user = find_user(::getuid());
    if (!user) return {"/bin/sh", "/", std::to_string(::getuid())};
    return {user->shell.empty() ? "/bin/sh" : user->shell, user->home, user->name};
}

[[noreturn]] void become_shell(const Shell& shell, bool login, int out) {
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDERR_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::setsid();
    std::string name = shell.path.substr(shell.path.rfind('/') + 1);
    if (login) name.insert(0, 1, '-');
    std::array<std::string, 5> settings = {"HOME=" + shell.home, "USER=" + shell.user,
                                           "LOGNAME=" + shell.user, "SHELL=" + shell.path,
                                           "PATH=/usr/local/bin:/usr/bin:/bin"};
    std::array<char*, 6> environment{};
    for (std::size_t i = 0; i < settings.size(); ++i) environment[i] = settings[i].data();
    std::array<std::string, 3> words = {name, "-c", "exec /usr/bin/env -0"};
    std::array<char*, 4> arguments = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    ::execve(shell.path.c_str(), arguments.data(), environment.data());
    ::_exit(127);
}

// Everything up to the end of file; empty if that does not come in time.
std::string read_all(int file, std::chrono::seconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    std::string text;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            until - std::chrono::steady_clock::now());
        pollfd one{.fd = file, .events = POLLIN, .revents = 0};
        if (left.count() <= 0 || text.size() > kMost) return {};
        if (::poll(&one, 1, static_cast<int>(left.count())) <= 0) continue;
        std::array<char, 4096> piece{};
        const ssize_t got = ::read(file, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got == 0 ? text : std::string();
        text.append(piece.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace

std::vector<std::string> ask_shell_for_environment(bool login, std::chrono::seconds patience) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    UniqueFd reader(ends[0]), writer(ends[1]);
    const Shell shell = shell_of_user();
    const pid_t child = ::fork();
    if (child < 0) return {};
    if (child == 0) become_shell(shell, login, writer.get());
    writer = UniqueFd();
    const std::string text = read_all(reader.get(), patience);
    if (text.empty()) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    std::vector<std::string> settings;
    for (const auto setting : split(text, '\0')) {
        if (setting.find('=') != std::string_view::npos) settings.emplace_back(setting);
    }
    return settings;
}

void add_login_environment(Environment& environment) {
    const auto asked = environment.get("SLURM_GET_USER_ENV");
    if (!asked) return;
    const std::string text(*asked);
    environment.unset("SLURM_GET_USER_ENV");
    const bool login = !text.ends_with('S');
    const auto seconds = parse_int64(text.substr(0, text.find_first_not_of("0123456789")));
    const bool says = seconds.ok() && seconds.value() > 0 && seconds.value() < 86'400;
    const auto patience = says ? std::chrono::seconds(seconds.value()) : kPatience;
    for (const std::string& setting : ask_shell_for_environment(login, patience)) {
        const std::string_view name = std::string_view(setting).substr(0, setting.find('='));
        if (!environment.get(name)) environment.set(name, setting.substr(name.size() + 1));
    }
}

}  // namespace berth
