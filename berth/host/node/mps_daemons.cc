#include "berth/host/node/mps_daemons.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>

#include "berth/base/codec.h"
#include "berth/base/text.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/process.h"

namespace berth {
namespace {

constexpr int kReadyTries = 1000;  // Of kReadyPause microseconds each.
constexpr useconds_t kReadyPause = 5'000;
constexpr int kSecondsToStop = 3;  // After that it is killed.
constexpr int kRemoveTries = 50;   // To remove its group once it is empty.
constexpr useconds_t kRemovePause = 2'000;

// "3-1001"
std::optional<MpsKey> key_of(std::string_view name) {
    const auto words = split(name, '-');
    if (words.size() != 2) return std::nullopt;
    const auto gpu = parse_int64(words[0]), uid = parse_int64(words[1]);
    if (!gpu.ok() || !uid.ok()) return std::nullopt;
    return MpsKey{static_cast<std::uint32_t>(*gpu), static_cast<std::uint32_t>(*uid)};
}

// Becomes the user and then the program. Between fork and exec only system calls are allowed, since
// other threads may have held locks.
struct Launch {
    const UserRecord& user;
    std::vector<gid_t> groups;
    int log;
    std::vector<int> groups_files;  // cgroup.procs of its group in each hierarchy.
    char* const* arguments;
    char* const* environment;

    [[noreturn]] void run() const {
        ::setsid();
        for (const int file : groups_files) {
            if (::write(file, "0", 1) != 1) ::_exit(125);
        }
        const int nothing = ::open("/dev/null", O_RDONLY);
        ::dup2(nothing, STDIN_FILENO);
        ::dup2(log, STDOUT_FILENO);
        ::dup2(log, STDERR_FILENO);
        if (::geteuid() == 0 &&
            (::setgroups(groups.size(), groups.data()) != 0 ||
             ::setresgid(user.gid, user.gid, user.gid) != 0 ||
             ::setresuid(user.uid, user.uid, user.uid) != 0 || ::geteuid() != user.uid))
            ::_exit(126);
        if (user.uid != 0 && ::setuid(0) == 0) ::_exit(126);
        sigset_t none;
        sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
        if (::chdir("/") == 0) ::execve(arguments[0], arguments, environment);
        ::_exit(127);
    }
};

// Opens the files before the fork, since the code after it must not allocate memory.
Result<std::vector<UniqueFd>> open_procs(const Cgroup& group) {
    std::vector<std::string> folders;
    folders.reserve(group.v1.size());
    for (const auto& [controller, folder] : group.v1) folders.push_back(folder);
    if (!group.unified.empty()) folders.push_back(group.unified);
    std::vector<UniqueFd> files;
    for (const std::string& folder : folders) {
        const std::string path = folder + "/cgroup.procs";
        files.emplace_back(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        if (!files.back()) return system_error("cannot open " + path, errno);
    }
    return files;
}

}  // namespace

std::string MpsDaemons::folder_of(const MpsKey& key) const {
    return folder_ + "/" + std::to_string(key.gpu) + "-" + std::to_string(key.uid);
}

Status MpsDaemons::open() {
    epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    if (!epoll_ || !timer_ || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, timer_.get(), &wanted) != 0)
        return system_error("cannot make the descriptors to watch MPS daemons with", errno);
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
        const auto key = key_of(entry.path().filename().string());
        const auto bytes = read_file(entry.path().string() + "/daemon");
        if (!key || !bytes.ok()) continue;
        const auto mark = decode<ProcessMark>(*bytes);
        if (!mark.ok()) continue;
        if (UniqueFd process = open_process(*mark); process)
            watch(*key, {.process = std::move(process), .pid = mark->pid});
    }
    return Done{};
}

void MpsDaemons::watch(const MpsKey& key, Daemon daemon) {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, daemon.process.get(), &wanted);
    daemons_[key] = std::move(daemon);
}

// The user owns the folders that the daemon writes to, but not the folder that names its process.
Status MpsDaemons::prepare(const std::string& folder, const UserRecord& user) const {
    BERTH_CHECK(remove_tree(folder));
    BERTH_CHECK(make_folders(folder, 0711));
    for (const char* own : {"/pipe", "/log"}) {
        const std::string path = folder + own;
        if (::mkdir(path.c_str(), 0700) != 0) return system_error("cannot make " + path, errno);
        if (::geteuid() == 0 && ::chown(path.c_str(), user.uid, user.gid) != 0)
            return system_error("cannot give " + path + " to its user", errno);
    }
    return Done{};
}

Result<pid_t> MpsDaemons::spawn(const MpsKey& key, const UserRecord& user,
                                const std::string& visible) const {
    const std::string folder = folder_of(key);
    BERTH_TRY(const std::vector<UniqueFd> group, open_procs(group_of_(key)));
    const std::string log_path = folder + "/daemon.log";
    const UniqueFd log(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!log) return system_error("cannot open " + log_path, errno);
    std::vector<std::string> words = {program_, "-f"};
    std::vector<std::string> settings = {"PATH=/usr/bin:/bin", "CUDA_VISIBLE_DEVICES=" + visible,
                                         "CUDA_MPS_PIPE_DIRECTORY=" + folder + "/pipe",
                                         "CUDA_MPS_LOG_DIRECTORY=" + folder + "/log"};
    std::vector<char*> arguments, environment;
    for (std::string& word : words) arguments.push_back(word.data());
    for (std::string& setting : settings) environment.push_back(setting.data());
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    std::vector<int> group_files;
    group_files.reserve(group.size());
    for (const UniqueFd& file : group) group_files.push_back(file.get());
    const Launch launch{user,
                        group_ids_of(user.name, user.gid),
                        log.get(),
                        group_files,
                        arguments.data(),
                        environment.data()};
    const pid_t child = ::fork();
    if (child == 0) launch.run();
    if (child < 0) return system_error("cannot fork", errno);
    return child;
}

bool MpsDaemons::has_ended(const Daemon& daemon) const {
    pollfd waited{daemon.process.get(), POLLIN, 0};
    return ::poll(&waited, 1, 0) > 0;
}

bool MpsDaemons::runs(const MpsKey& key) const {
    const auto found = daemons_.find(key);
    return found != daemons_.end() && !found->second.stopping && !has_ended(found->second);
}

std::vector<MpsKey> MpsDaemons::running() const {
    std::vector<MpsKey> keys;
    for (const auto& [key, daemon] : daemons_) {
        if (!daemon.stopping) keys.push_back(key);
    }
    return keys;
}

Status MpsDaemons::start(const MpsKey& key, const UserRecord& user, const std::string& visible) {
    if (runs(key)) return Done{};
    if (const auto old = daemons_.find(key); old != daemons_.end()) {
        kill(key, old->second);
        pollfd waited{old->second.process.get(), POLLIN, 0};
        ::poll(&waited, 1, kSecondsToStop * 1000);
        (void)take_ended();
        daemons_.erase(key);
    }
    const std::string folder = folder_of(key);
    BERTH_CHECK(prepare(folder, user));
    BERTH_TRY(const pid_t pid, spawn(key, user, visible));
    const auto mark = mark_of(pid);
    if (!mark) return Error{ErrorCode::internal, "the MPS daemon is gone at once"};
    BERTH_CHECK(write_atomically(folder + "/daemon", encode(*mark)));
    watch(key, {.process = open_process(*mark), .pid = pid, .child = true});
    Status ready = wait_until_ready(key);
    if (!ready.ok()) stop(key);
    return ready;
}

// A client that starts too early silently runs without MPS.
Status MpsDaemons::wait_until_ready(const MpsKey& key) const {
    const std::string folder = folder_of(key);
    for (int i = 0; i < kReadyTries; ++i) {
        if (::access((folder + "/pipe/control").c_str(), F_OK) == 0) return Done{};
        if (has_ended(daemons_.at(key))) {
            const auto said = read_file(folder + "/daemon.log");
            return Error{ErrorCode::failed_precondition,
                         "the MPS daemon " + program_ + " does not start" +
                             (said.ok() && !said->empty() ? ": " + *said : "")};
        }
        ::usleep(kReadyPause);
    }
    return Error{ErrorCode::unavailable, "the MPS daemon " + program_ + " opens no control pipe"};
}

void MpsDaemons::stop(const MpsKey& key) {
    const auto found = daemons_.find(key);
    if (found == daemons_.end() || found->second.stopping) return;
    found->second.stopping = true;
    // Together with its servers, since it leads a session of its own.
    if (!has_ended(found->second)) ::kill(-found->second.pid, SIGTERM);
    itimerspec when{};
    when.it_value.tv_sec = kSecondsToStop;
    ::timerfd_settime(timer_.get(), 0, &when, nullptr);
}

void MpsDaemons::kill_overdue() {
    std::uint64_t count = 0;
    if (::read(timer_.get(), &count, sizeof count) <= 0) return;
    for (const auto& [key, daemon] : daemons_) {
        if (daemon.stopping && !has_ended(daemon)) kill(key, daemon);
    }
}

// Kills the whole group at once, if there is one.
void MpsDaemons::kill(const MpsKey& key, const Daemon& daemon) const {
    if (const Cgroup group = group_of_(key); !group.none()) return CgroupTree::kill(group);
    if (!has_ended(daemon)) ::kill(-daemon.pid, SIGKILL);
}

// Ends its servers too: through the group, or, without one, through their session while its number
// cannot have been reused.
void MpsDaemons::clean_up(const MpsKey& key, const Daemon& daemon) const {
    const Cgroup group = group_of_(key);
    if (!group.none()) {
        CgroupTree::kill(group);
    } else if (daemon.child) {
        ::kill(-daemon.pid, SIGKILL);
    }
    if (daemon.child) ::waitpid(daemon.pid, nullptr, WNOHANG);
    for (int i = 0; i < kRemoveTries && !CgroupTree::remove(group).ok(); ++i)
        ::usleep(kRemovePause);
    (void)remove_tree(folder_of(key));
}

std::vector<MpsKey> MpsDaemons::take_ended() {
    kill_overdue();
    std::vector<MpsKey> ended;
    for (auto it = daemons_.begin(); it != daemons_.end();) {
        const Daemon& daemon = it->second;
        if (!has_ended(daemon)) {
            ++it;
            continue;
        }
        if (!daemon.stopping) ended.push_back(it->first);
        clean_up(it->first, daemon);
        it = daemons_.erase(it);
    }
    return ended;
}

std::vector<std::string> MpsDaemons::environment(const MpsKey& key, std::int64_t percent) const {
    const std::string folder = folder_of(key);
    return {"CUDA_MPS_PIPE_DIRECTORY=" + folder + "/pipe",
            "CUDA_MPS_LOG_DIRECTORY=" + folder + "/log",
            "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=" + std::to_string(percent)};
}

}  // namespace berth
