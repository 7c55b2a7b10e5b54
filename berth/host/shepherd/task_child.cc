#include "berth/host/shepherd/task_child.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "berth/base/bitmask.h"
#include "berth/base/text.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/process_limit.h"
#include "berth/host/run/not_begun.h"
#include "berth/host/shepherd/become_user.h"
#include "berth/host/shepherd/bind_memory.h"
#include "berth/host/shepherd/task_exec.h"
#include "berth/host/shepherd/task_limits.h"

namespace berth {
namespace {

constexpr char kReady = 'R', kFailed = 'F', kNode = 'N', kNoFiles = 'O', kGo = 'G';
constexpr char kOutFile = 'o', kErrFile = 'e';

Status check(bool right, const std::string& what) {
    if (right) return Done{};
    return system_error(what, errno);
}

// Under v2 the child was created in its cgroup. It must enter the v1 cgroups itself, while it is
// still root.
Status enter_cgroups(const RunSpec& run, bool born_in_unified) {
    for (const auto& [controller, folder] : run.cgroups) {
        BERTH_CHECK(write_kernel_file(folder + "/cgroup.procs", "0"));
    }
    if (run.unified.empty() || born_in_unified) return Done{};
    return write_kernel_file(run.unified + "/cgroup.procs", "0");
}

// Uses the system call, because glibc hides two signals, which may be ignored too.
void reset_signals() {
    for (int number = 1; number < NSIG; ++number) {
        const std::uint64_t standard[8] = {};  // At least as large as the kernel's struct.
        ::syscall(SYS_rt_sigaction, number, standard, nullptr, std::size_t{NSIG / 8});
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

Status pin(const std::string& cpus) {
    if (cpus.empty()) return Done{};
    BERTH_TRY(const BitSet wanted, BitSet::parse(cpus, CPU_SETSIZE));
    cpu_set_t set;
    CPU_ZERO(&set);
    for (std::size_t i = wanted.find_first(); i != BitSet::kNone; i = wanted.find_next(i)) {
        CPU_SET(i, &set);
    }
    return check(::sched_setaffinity(0, sizeof set, &set) == 0, "cannot bind to CPUs " + cpus);
}

// Errors return through the socket. The notice for the user's own standard error waits until that
// is open.
Status enter_work_dir(const RunSpec& run, std::string& notice) {
    if (run.work_dir.empty() || ::chdir(run.work_dir.c_str()) == 0) return Done{};
    const std::string why = system_error("", errno).message.substr(2);
    notice += "slurmstepd: error: couldn't chdir to `" + run.work_dir + "': " + why +
              ": going to /tmp instead\n";
    return check(::chdir("/tmp") == 0, "cannot chdir to /tmp");
}

Status put_at(int number, int fd, const std::string& what) {
    return check(::dup2(fd, number) == number, "cannot set up the " + what);
}

// A pipe that a user reads could block the shepherd.
bool is_plain(const UniqueFd& file) {
    struct stat about{};
    return ::fstat(file.get(), &about) == 0 && S_ISREG(about.st_mode);
}

Status open_stream(const StreamSpec& stream, const UniqueFd& pipe, int number,
                   const std::string& what, UniqueFd* labelled = nullptr) {
    if (stream.kind == StreamKind::srun) return put_at(number, pipe.get(), what);
    if (stream.kind == StreamKind::same_as_out) return put_at(number, STDOUT_FILENO, what);
    const std::string path = stream.kind == StreamKind::nothing ? "/dev/null" : stream.path;
    int flags = O_RDONLY;
    if (number != STDIN_FILENO) {
        flags = O_WRONLY | O_CREAT | O_APPEND | (stream.truncate ? O_TRUNC : 0);
    }
    constexpr mode_t kForAll = 0666;  // Reduced by the umask.
    UniqueFd file(::open(path.c_str(), flags | O_NOCTTY | O_CLOEXEC, kForAll));
    if (!file) return system_error("Could not open " + what + " file " + path, errno);
    if (labelled != nullptr && !stream.label.empty() && is_plain(file)) {
        *labelled = std::move(file);
        return put_at(number, pipe.get(), what);
    }
    return put_at(number, file.get(), what);
}

// Makes the terminal the controlling one of the task's session, so that Ctrl-C reaches the
// foreground processes.
Status open_terminal(const UniqueFd& terminal) {
    BERTH_CHECK(check(::ioctl(terminal.get(), TIOCSCTTY, 0) == 0, "cannot take the terminal"));
    BERTH_CHECK(put_at(STDIN_FILENO, terminal.get(), "terminal"));
    BERTH_CHECK(put_at(STDOUT_FILENO, terminal.get(), "terminal"));
    return put_at(STDERR_FILENO, terminal.get(), "terminal");
}

Status open_streams(const TaskSpec& task, const TaskPipes& pipes, LabelledFiles& files) {
    if (task.out.kind == StreamKind::terminal) return open_terminal(pipes.terminal);
    BERTH_CHECK(open_stream(task.in, pipes.in, STDIN_FILENO, "stdin"));
    BERTH_CHECK(open_stream(task.out, pipes.out, STDOUT_FILENO, "stdout", &files.out));
    return open_stream(task.err, pipes.err, STDERR_FILENO, "stderr", &files.err);
}

// One control message, with two descriptors at most.
struct Control {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> bytes{};
};

// "R", with an "o" and an "e" for each labelled file, which go along in this order.
bool send_ready(int talk, const LabelledFiles& files) {
    std::string word(1, kReady);
    std::vector<int> sent;
    if (files.out) word += kOutFile, sent.push_back(files.out.get());
    if (files.err) word += kErrFile, sent.push_back(files.err.get());
    iovec text{.iov_base = word.data(), .iov_len = word.size()};
    Control control;
    msghdr message{};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    if (!sent.empty()) {
        const std::size_t size = sent.size() * sizeof(int);
        message.msg_control = control.bytes.data();
        message.msg_controllen = CMSG_SPACE(size);
        cmsghdr* const head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(size);
        std::memcpy(CMSG_DATA(head), sent.data(), size);
    }
    return ::sendmsg(talk, &message, 0) == static_cast<ssize_t>(word.size());
}

// What the child says: its word, and the files that go along. Empty: it is gone.
std::string hear(int talk, std::vector<UniqueFd>& files) {
    std::string word(4096, '\0');
    iovec text{.iov_base = word.data(), .iov_len = word.size()};
    Control control;
    msghdr message{};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes.data();
    message.msg_controllen = control.bytes.size();
    ssize_t got = 0;
    do {
        got = ::recvmsg(talk, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    word.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    const cmsghdr* const head = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
    if (head == nullptr || head->cmsg_type != SCM_RIGHTS) return word;
    std::vector<int> received((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(received.data(), CMSG_DATA(head), received.size() * sizeof(int));
    for (const int one : received) files.emplace_back(one);
    return word;
}

Status get_ready(const RunSpec& run, const TaskSpec& task, bool born_in_unified,
                 std::string& notice) {
    reset_signals();
    BERTH_CHECK(on_node(enter_cgroups(run, born_in_unified)));
    BERTH_CHECK(check(::setsid() > 0, "cannot begin a session"));
    constexpr mode_t kUmask = 022;
    ::umask(static_cast<mode_t>(run.inherited.umask.value_or(kUmask)));
    notice += set_limits(run.inherited);
    (void)write_kernel_file("/proc/self/oom_score_adj", "0");
    BERTH_CHECK(pin(task.cpus));
    notice += bind_memory(task);
    BERTH_CHECK(become_user(run));
    BERTH_CHECK(enter_work_dir(run, notice));
    // Without a cgroup, the task dies with its shepherd, so that it cannot get lost.
    if (run.unified.empty() && run.cgroups.empty()) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (run.of_site) return Done{};
    return check(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "cannot set no_new_privs");
}

// Places the kept descriptors from number 3 on. Others there are no longer needed, but the kept
// ones could overwrite each other, so they are first copied above the range.
Status place_kept(const std::vector<UniqueFd>& kept) {
    constexpr int kFirst = STDERR_FILENO + 1;
    const int behind = kFirst + static_cast<int>(kept.size());
    std::vector<UniqueFd> copies;
    for (const UniqueFd& one : kept) {
        copies.emplace_back(::fcntl(one.get(), F_DUPFD_CLOEXEC, behind));
        BERTH_CHECK(check(static_cast<bool>(copies.back()), "cannot hand on a descriptor"));
    }
    for (std::size_t i = 0; i < copies.size(); ++i) {
        BERTH_CHECK(put_at(kFirst + static_cast<int>(i), copies[i].get(), "descriptors"));
    }
    return Done{};
}

[[noreturn]] void be_the_task(const RunSpec& run, const TaskSpec& task, const TaskPipes& pipes,
                              int talk, bool born_in_unified) {
    std::string notice = task.notice;
    if (Status ready = get_ready(run, task, born_in_unified, notice); !ready.ok()) {
        const bool of_node = not_begun_by(ready.error()) == NotBegun::for_node;
        (void)write_all(talk, (of_node ? kNode : kFailed) + ready.error().message);
        ::_exit(1);
    }
    LabelledFiles files;
    if (Status opened = open_streams(task, pipes, files); !opened.ok()) {
        (void)write_all(talk, kNoFiles + opened.error().message);
        ::_exit(1);
    }
    if (!send_ready(talk, files)) ::_exit(1);
    files = {};
    char word = 0;
    ssize_t got = 0;
    do {
        got = ::read(talk, &word, 1);
    } while (got < 0 && errno == EINTR);
    if (got != 1 || word != kGo) ::_exit(1);  // The shepherd has died, or another task failed.
    if (!place_kept(pipes.kept).ok()) ::_exit(1);
    ::close_range(STDERR_FILENO + 1 + static_cast<unsigned>(pipes.kept.size()), ~0U,
                  CLOSE_RANGE_CLOEXEC);
    constexpr std::string_view kOwnPid = "[PID]";
    if (const std::size_t pid = notice.find(kOwnPid); pid != std::string::npos)
        notice.replace(pid, kOwnPid.size(), "[" + std::to_string(::getpid()) + "]");
    if (!notice.empty()) (void)write_all(STDERR_FILENO, notice);
    exec_task(run, task);
}

struct CloneResult {
    int pid = -1;
    UniqueFd process;
    bool in_unified = false;
};

// Like fork, but returns a pidfd and creates the child in the cgroup.
CloneResult clone_child(const std::string& unified) {
    UniqueFd folder;
    if (!unified.empty()) {
        folder.reset(::open(unified.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    CloneResult child;
    int pidfd = -1;
    clone_args arguments{};
    arguments.flags = CLONE_PIDFD;
    arguments.pidfd = static_cast<__u64>(reinterpret_cast<std::uintptr_t>(&pidfd));
    arguments.exit_signal = SIGCHLD;
    if (folder) {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = static_cast<__u64>(folder.get());
    }
    child.pid = static_cast<int>(::syscall(SYS_clone3, &arguments, sizeof arguments));
    child.in_unified = static_cast<bool>(folder);
    if (child.pid < 0 && (errno == ENOSYS || errno == EINVAL || errno == E2BIG)) {
        child.in_unified = false;  // An older kernel: the child enters the cgroup itself.
        child.pid = ::fork();
        if (child.pid > 0) pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0));
    }
    child.process.reset(pidfd);
    if (child.pid > 0) ::fcntl(pidfd, F_SETFD, FD_CLOEXEC);
    return child;
}

}  // namespace

Result<StartedTask> start_task(const RunSpec& run, const TaskSpec& task, TaskPipes pipes) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return system_error("cannot make a socket pair", errno);
    }
    StartedTask started;
    started.rank = task.rank;
    started.talk.reset(ends[0]);
    UniqueFd theirs(ends[1]);
    CloneResult child = clone_child(run.unified);
    if (child.pid < 0) return process_error("cannot start a process", errno);
    if (child.pid == 0) {
        started.talk.reset();
        be_the_task(run, task, pipes, theirs.get(), child.in_unified);
    }
    started.pid = child.pid;
    started.process = std::move(child.process);
    return started;
}

Status wait_until_ready(StartedTask& task) {
    std::vector<UniqueFd> files;
    const std::string word = hear(task.talk.get(), files);
    if (word.starts_with(kReady)) {
        for (std::size_t i = 0; i < files.size() && i + 1 < word.size(); ++i)
            (word[i + 1] == kOutFile ? task.files.out : task.files.err) = std::move(files[i]);
        return Done{};
    }
    if (word.size() > 1) {
        std::string why = word.substr(1);
        if (word[0] == kFailed) return Error{ErrorCode::failed_precondition, std::move(why)};
        if (word[0] == kNode) return Error{ErrorCode::resource_exhausted, std::move(why)};
        if (word[0] == kNoFiles) return Error{ErrorCode::not_found, std::move(why)};
    }
    return Error{ErrorCode::unavailable, "it was killed before it could start"};
}

void let_go(StartedTask& task) {
    (void)!::write(task.talk.get(), &kGo, 1);
    task.talk.reset();
}

}  // namespace berth
