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
#include "berth/store/schema.h"
#include "berth/trust/key_file.h"
#include "berth/trust/ownership.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Where the packages' berthd has its state, and what tells that they are in use.
constexpr const char* kPackagesState = "/var/lib/berth";
constexpr const char* kPackagesUnit = "/lib/systemd/system/berth-controller.service";
constexpr const char* kPackagesConfig = "/etc/berth/slurm.conf";

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

// Users find the sockets and the configuration; the database and the logs are not theirs.
Status ClusterDir::create() const {
    BERTH_CHECK(make_owned_folder(path_.string(), 0755));
    BERTH_CHECK(make_owned_folder(state().string(), 0700));
    return make_owned_folder(logs().string(), 0750);
}

fs::path ClusterDir::database_directory(const fs::path& directory) {
    fs::path path = fs::absolute(directory).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();  // It ended in a slash.
    std::error_code ignored;
    const auto exists = [&](const fs::path& file) { return fs::exists(file, ignored); };
    if (exists(path / kStateFile)) return path;
    if (exists(ClusterDir(path).config())) return ClusterDir(path).state();
    const bool of_packages =
        path == kPackagesState && (exists(kPackagesUnit) || exists(kPackagesConfig));
    if (of_packages) return path;
    // DIR/state of a cluster, or of one to come, was named itself.
    const ClusterDir above{path.parent_path()};
    const bool is_cluster = exists(above.config()) || exists(above.logs()) || !exists(above.path());
    if (path == above.state() && is_cluster) return path;
    return ClusterDir(path).state();
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
    argv.reserve(words.size());
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    if (!fs::exists(command.front()))
        return Error{ErrorCode::not_found, command.front() + " is missing; ./dev build builds it"};
    const std::string log_path = (logs() / (name + ".out")).string();
    const int log = open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (log < 0) return system_error("cannot write " + log_path);
    const pid_t pid = fork();
    if (pid == 0) become(argv, log);
    close(log);
    if (pid < 0) return system_error("cannot start " + name);
    return write_public_file(pid_file(name).string(),
                             std::to_string(pid) + ' ' + std::to_string(start_of(pid)) + '\n');
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
                 daemon.name + " (pid " + std::to_string(daemon.pid) + ") does not stop"};
}

std::filesystem::path program_directory() {
    std::error_code failed;
    const fs::path self = fs::read_symlink("/proc/self/exe", failed);
    return failed ? fs::path(".") : self.parent_path();
}

}  // namespace berth::cli
