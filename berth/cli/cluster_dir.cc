#include "berth/cli/cluster_dir.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "berth/base/text.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

Error system_error(const std::string& what) {
    return {ErrorCode::unavailable, what + ": " + std::strerror(errno)};
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// When a process started, in clock ticks since boot; 0 if there is none.
std::uint64_t start_of(int pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::size_t behind_name = text.rfind(')');
    if (behind_name == std::string::npos) return 0;
    std::istringstream fields(text.substr(behind_name + 2));
    std::string state, field;
    fields >> state;
    if (state == "Z") return 0;
    for (int i = 4; i <= 22; ++i) fields >> field;
    const auto ticks = parse_int64(field);
    return ticks.ok() ? static_cast<std::uint64_t>(ticks.value()) : 0;
}

// In the child: everything but exec has been decided before.
[[noreturn]] void become(const std::vector<char*>& argv, int log) {
    setsid();
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
}

}  // namespace

ClusterDir ClusterDir::find(const std::string& given) {
    if (!given.empty()) return ClusterDir(fs::absolute(given));
    if (const std::string path = variable("BERTH_STATE"); !path.empty())
        return ClusterDir(fs::absolute(path));
    if (geteuid() == 0) return ClusterDir("/var/lib/berth");
    const std::string state = variable("XDG_STATE_HOME");
    return ClusterDir(state.empty() ? fs::path(variable("HOME")) / ".local/state/berth"
                                    : fs::path(state) / "berth");
}

Status ClusterDir::create() const {
    std::error_code failed;
    for (const fs::path& path : {path_, config(), state(), logs()}) {
        fs::create_directories(path, failed);
        if (failed)
            return Error{ErrorCode::unavailable,
                         "cannot create " + path.string() + ": " + failed.message()};
    }
    return Done{};
}

std::vector<Daemon> ClusterDir::running() const {
    std::vector<Daemon> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(path_, ignored)) {
        if (entry.path().extension() != ".pid") continue;
        Daemon daemon{.name = entry.path().stem().string()};
        std::ifstream(entry.path()) >> daemon.pid >> daemon.started_ticks;
        if (daemon.pid > 0 && start_of(daemon.pid) == daemon.started_ticks &&
            daemon.started_ticks != 0)
            found.push_back(daemon);
    }
    return found;
}

std::optional<Daemon> ClusterDir::find_running(const std::string& name) const {
    for (const Daemon& daemon : running()) {
        if (daemon.name == name) return daemon;
    }
    return std::nullopt;
}

Status ClusterDir::start(const std::string& name, const std::vector<std::string>& command) const {
    std::vector<std::string> words = command;
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    if (!fs::exists(command.front()))
        return Error{ErrorCode::not_found, command.front() + " is not there; ./dev build makes it"};
    const std::string log_path = (logs() / (name + ".out")).string();
    const int log = open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (log < 0) return system_error("cannot write " + log_path);
    const pid_t pid = fork();
    if (pid == 0) become(argv, log);
    close(log);
    if (pid < 0) return system_error("cannot start " + name);
    std::ofstream(pid_file(name)) << pid << ' ' << start_of(pid) << '\n';
    return Done{};
}

Status ClusterDir::stop(const Daemon& daemon) const {
    const auto is_there = [&] {
        waitpid(daemon.pid, nullptr,
                WNOHANG);  // If it is our own child, it is not to stay a zombie.
        return start_of(daemon.pid) == daemon.started_ticks;
    };
    for (const auto& [signal, patience] : {std::pair(SIGTERM, 15s), std::pair(SIGKILL, 5s)}) {
        if (is_there()) kill(daemon.pid, signal);
        const auto until = std::chrono::steady_clock::now() + patience;
        while (is_there() && std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(20ms);
        if (is_there()) continue;
        std::error_code ignored;
        fs::remove(pid_file(daemon.name), ignored);
        return Done{};
    }
    return Error{ErrorCode::unavailable,
                 daemon.name + " (pid " + std::to_string(daemon.pid) + ") does not end"};
}

std::filesystem::path program_directory() {
    std::error_code failed;
    const fs::path self = fs::read_symlink("/proc/self/exe", failed);
    return failed ? fs::path(".") : self.parent_path();
}

}  // namespace berth::cli
