#include "berth/host/shepherd/shepherd.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <utility>

#include "berth/agent/signals.h"
#include "berth/host/cgroup/cgroup_tree.h"
#include "berth/host/os/account_check.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/process.h"
#include "berth/host/run/not_begun.h"
#include "berth/host/run/run_directory.h"
#include "berth/host/shepherd/checkpoint_watch.h"
#include "berth/host/shepherd/cpu_speeds.h"
#include "berth/host/shepherd/gpu_clocks.h"
#include "berth/host/shepherd/guard.h"
#include "berth/host/shepherd/mpi_server.h"
#include "berth/host/shepherd/step_pump.h"
#include "berth/host/shepherd/task_child.h"
#include "berth/model/exit_status.h"

namespace berth {
namespace {

constexpr int kLookMs = 5000;
constexpr std::int64_t kMpiEndSeconds = 5;
// Longest wait for an srun that reads nothing after the end.
constexpr std::int64_t kStuckSeconds = 60;

std::int64_t now_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

Time wall_clock_now() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return Time(std::chrono::floor<Duration>(now));
}

// Slurm's order of exit statuses: the number that wait(2) returns.
bool higher(const ExitStatus& a, const ExitStatus& b) {
    return std::pair(a.code, a.signal) > std::pair(b.code, b.signal);
}

ExitStatus status_of(int wait_status) {
    if (WIFSIGNALED(wait_status)) return exit_by_signal(WTERMSIG(wait_status));
    return exit_by_code(WEXITSTATUS(wait_status));
}

class Shepherd {
public:
    Shepherd(RunDirectory folder, SecureSocket secure)
        : folder_(std::move(folder)), pump_(secure) {}

    Status prepare();
    Status start();
    void stop_all();
    Status watch();
    void tell_failure(const Error& why);

private:
    Status write_script();
    Status start_mpi();
    Status start_tasks();
    Status end_without_files(const std::string& why);
    void reap();
    static void add(const rusage& used, RunUsage& usage);
    void finish(std::uint32_t rank, int wait_status);
    struct Epilogs {
        int wait_status = 0;  // Of the task …
        bool is_own = false;  // … and whether srun's own runs: the site's is to come.
    };
    bool start_epilogs(std::uint32_t rank, int wait_status);
    bool start_epilog(std::uint32_t rank, const Epilogs& epilogs);
    Status tell_end();
    void tell_of_oom();
    void tell_user(const std::string& text);
    void pass_notices();
    bool done() const;
    bool confined() const { return !run_.unified.empty() || !run_.cgroups.empty(); }
    Cgroup group() const;

    RunDirectory folder_;
    RunSpec run_;
    StepPump pump_;
    std::vector<StartedTask> tasks_;
    std::map<int, std::uint32_t> running_;  // Process id -> rank.
    std::map<int, Epilogs> epilogs_;        // By the process that is one.
    std::vector<UniqueFd> mpi_sockets_;     // Of each task, until it has its own end.
    std::int64_t tasks_ended_at_ = 0;
    std::vector<UniqueFd> errors_;  // The tasks' standard error, if it is a plain file.
    ExitRecord record_;
    CheckpointWatch checkpoint_;
    CpuSpeeds speeds_;
    GpuClocks clocks_;
    UniqueFd signals_;
    bool told_ = false;
    bool childless_ = false;
    std::uint64_t carried_ = 0;
    std::int64_t moved_at_ = 0;
};

Status Shepherd::prepare() {
    ::signal(SIGPIPE, SIG_IGN);
    for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGQUIT}) ::signal(number, SIG_IGN);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigaddset(&child, kNoticeSignal);
    ::sigprocmask(SIG_BLOCK, &child, nullptr);
    signals_.reset(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals_) return system_error("signalfd", errno);
    // Orphaned processes of the run become our children: we reap them and, without cgroups, keep
    // track of them.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &files);
    }
    (void)write_kernel_file("/proc/self/oom_score_adj", "-900");
    const auto self = mark_of(::getpid());
    if (!self) return Error{ErrorCode::internal, "cannot read /proc/self/stat"};
    BERTH_CHECK(folder_.tell_shepherd(*self));
    BERTH_TRY(run_, folder_.take_spec());
    BERTH_CHECK(folder_.reserve_exit());
    // What a prolog or epilog leaves running belongs to the site and may stay.
    if (confined() || is_hook(run_.step)) return Done{};
    return begin_guarded(folder_);
}

// Only the user may read it, since it may contain secrets.
Status Shepherd::write_script() {
    if (run_.script.empty()) return Done{};
    const std::string path = folder_.script_path();
    constexpr mode_t kMode = 0500;
    const UniqueFd file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode));
    if (!file) return system_error("cannot create " + path, errno);
    BERTH_CHECK(write_all(file.get(), run_.script));
    if (::geteuid() == 0 && ::fchown(file.get(), run_.uid, run_.gid) != 0) {
        return system_error("cannot give " + path + " to its user", errno);
    }
    if (run_.arguments.empty()) run_.arguments.emplace_back();
    run_.arguments[0] = path;
    return Done{};
}

Status Shepherd::start() {
    BERTH_CHECK(check_account(run_.account_check, run_.user));
    BERTH_CHECK(on_node(write_script()));
    BERTH_CHECK(pump_.connect(run_));
    if (!run_.mpi.kind.empty()) BERTH_CHECK(start_mpi());
    if (!run_.cpu_frequency.empty()) {
        BERTH_TRY(const CpuFrequency frequency, parse_cpu_frequency(run_.cpu_frequency));
        speeds_.set(run_.cpus, frequency);
    }
    if (!run_.gpu_frequency.empty()) {
        BERTH_TRY(const GpuFrequency frequency, parse_gpu_frequency(run_.gpu_frequency));
        const std::string told = clocks_.set(run_.gpu_files, frequency);
        if (frequency.verbose && !run_.tasks.empty()) run_.tasks.front().notice += told + "\n";
    }
    BERTH_CHECK(start_tasks());
    RunStatus status;
    for (StartedTask& task : tasks_) {
        Status ready = wait_until_ready(task);
        const bool no_files = !ready.ok() && ready.error().code == ErrorCode::not_found;
        if (no_files && run_.step == kBatchStep) return end_without_files(ready.error().message);
        if (!ready.ok()) return ready;
        pump_.label(task.rank, std::move(task.files));
        status.tasks.push_back(mark_of(task.pid).value_or(ProcessMark{task.pid, 0}));
    }
    for (const StartedTask& task : tasks_) {
        const std::string link = "/proc/" + std::to_string(task.pid) + "/fd/2";
        struct stat file{};
        UniqueFd error;
        if (::stat(link.c_str(), &file) == 0 && S_ISREG(file.st_mode)) {
            error.reset(::open(link.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
        }
        errors_.push_back(std::move(error));
    }
    BERTH_CHECK(folder_.tell_status(status));
    for (StartedTask& task : tasks_) let_go(task);
    return Done{};
}

// The user's mistake, not the node's fault: the script counts as run and failed.
Status Shepherd::end_without_files(const std::string& why) {
    std::fprintf(stderr, "berth-step: %s\n", why.c_str());
    stop_all();
    BERTH_CHECK(folder_.tell_status(RunStatus{}));
    record_.exit = kNoFilesExit;
    record_.failure = why;
    childless_ = true;
    return tell_end();
}

Status Shepherd::start_mpi() {
    BERTH_TRY(MpiServer server, start_mpi_server(run_));
    for (std::size_t i = 0; i < run_.tasks.size(); ++i) {
        auto& own = run_.tasks[i].environment;
        own.insert(own.end(), server.environment[i].begin(), server.environment[i].end());
    }
    mpi_sockets_ = std::move(server.tasks);
    pump_.pass_on_for(std::move(server.link));
    return Done{};
}

Status Shepherd::start_tasks() {
    for (std::size_t i = 0; i < run_.tasks.size(); ++i) {
        const TaskSpec& task = run_.tasks[i];
        BERTH_TRY(TaskPipes pipes, pump_.add(run_, task));
        if (i < mpi_sockets_.size()) pipes.kept.push_back(std::move(mpi_sockets_[i]));
        BERTH_TRY(StartedTask started, start_task(run_, task, std::move(pipes)));
        running_[started.pid] = started.rank;
        tasks_.push_back(std::move(started));
    }
    return Done{};
}

// After a failed start: no task has reached exec, and none will.
void Shepherd::stop_all() {
    for (StartedTask& task : tasks_) {
        task.talk.reset();
        send_signal(task.process, SIGKILL);
    }
    while (!running_.empty()) {
        const int pid = ::waitpid(-1, nullptr, 0);
        if (pid < 0 && errno == ECHILD) break;
        running_.erase(pid);
    }
}

// For a step, also tells its srun, which gets a moment to receive it.
void Shepherd::tell_failure(const Error& why) {
    (void)folder_.tell_status({why.message, {}, not_begun_by(why)});
    if (pump_.idle() || run_.tasks.empty()) return;
    constexpr ExitStatus kNotStarted{.code = 1, .signal = 0};
    constexpr std::int64_t kFarewellSeconds = 2;
    pump_.say(run_.tasks.front().rank, "slurmstepd: error: " + why.message + "\n");
    for (const TaskSpec& task : run_.tasks) pump_.task_ended(task.rank, kNotStarted);
    pump_.end_mpi();
    const std::int64_t until = now_seconds() + kFarewellSeconds;
    std::vector<pollfd> waiting;
    while (!pump_.idle() && now_seconds() <= until) {
        pump_.leave();
        waiting.clear();
        pump_.want(waiting);
        if (::poll(waiting.data(), waiting.size(), 100) < 0 && errno != EINTR) return;
        pump_.serve(waiting, 0);
    }
}

void Shepherd::add(const rusage& used, RunUsage& usage) {
    const auto length = [](const timeval& time) {
        return std::chrono::seconds(time.tv_sec) + Duration(time.tv_usec / 1000);
    };
    usage.user += length(used.ru_utime);
    usage.system += length(used.ru_stime);
    usage.rss_max = std::max(usage.rss_max, kib(used.ru_maxrss));
}

void Shepherd::reap() {
    signalfd_siginfo drop[8];
    while (::read(signals_.get(), drop, sizeof drop) > 0) {
    }
    for (;;) {
        int wait_status = 0;
        rusage used{};
        const int pid = ::wait4(-1, &wait_status, WNOHANG, &used);
        if (pid < 0 && errno == EINTR) continue;
        if (pid > 0 && !checkpoint_.is(pid)) add(used, record_.usage);
        childless_ = pid < 0 && errno == ECHILD;
        if (pid <= 0) return;
        if (checkpoint_.take_end(pid, wait_status, folder_)) continue;
        const auto found = running_.find(pid);
        if (found == running_.end()) continue;
        const std::uint32_t rank = found->second;
        running_.erase(found);
        if (const auto epilog = epilogs_.find(pid); epilog != epilogs_.end()) {
            Epilogs rest = epilog->second;
            epilogs_.erase(epilog);
            if (!std::exchange(rest.is_own, false) || !start_epilog(rank, rest))
                finish(rank, rest.wait_status);
        } else if (!start_epilogs(rank, wait_status)) {
            finish(rank, wait_status);
        }
    }
}

// Starts srun's own task epilog, and the site's after it. Returns false if there is none.
bool Shepherd::start_epilogs(std::uint32_t rank, int wait_status) {
    Epilogs epilogs{.wait_status = wait_status, .is_own = true};
    if (start_epilog(rank, epilogs)) return true;
    epilogs.is_own = false;
    return start_epilog(rank, epilogs);
}

// Starts one of them, as the task's user and in the task's place. The task ends only with it, so
// srun and the job go on after it. Its result is ignored. Returns false if there is none.
bool Shepherd::start_epilog(std::uint32_t rank, const Epilogs& epilogs) {
    const std::string& program = epilogs.is_own ? run_.own_task_epilog : run_.task_epilog;
    if (program.empty()) return false;
    const auto task = std::ranges::find(run_.tasks, rank, &TaskSpec::rank);
    if (task == run_.tasks.end()) return false;
    RunSpec run = run_;
    run.arguments = {program};
    run.task_prolog.clear();
    run.own_task_prolog.clear();
    TaskSpec epilog{.rank = rank, .environment = task->environment, .cpus = task->cpus};
    auto started = start_task(run, epilog, TaskPipes{});
    if (!started.ok()) return false;
    if (Status ready = wait_until_ready(*started); !ready.ok()) {
        std::fprintf(stderr, "berth-step: TaskEpilog: %s\n", ready.error().message.c_str());
    }
    running_[started->pid] = rank;
    epilogs_[started->pid] = epilogs;
    let_go(*started);
    return true;
}

void Shepherd::finish(std::uint32_t rank, int wait_status) {
    const ExitStatus exit = status_of(wait_status);
    if (higher(exit, record_.exit)) record_.exit = exit;
    if (running_.empty()) {
        tell_of_oom();  // Before the last exit, after which srun leaves.
        pump_.end_mpi();
        tasks_ended_at_ = now_seconds();
        record_.ended_at = wall_clock_now();
    }
    pump_.task_ended(rank, exit);
}

Cgroup Shepherd::group() const {
    Cgroup all;
    all.v1.insert(run_.cgroups.begin(), run_.cgroups.end());
    all.unified = run_.unified;
    return all;
}

void Shepherd::tell_of_oom() {
    const std::int64_t kills = confined() ? CgroupTree::oom_kills(group()) : 0;
    if (kills == 0) return;
    record_.out_of_memory = true;
    const std::string text = "slurmstepd: error: Detected " + std::to_string(kills) +
                             " oom_kill event" + (kills == 1 ? "" : "s") +
                             " in StepId=" + to_string(run_.job) + "." + folder_of_step(run_.step) +
                             ". Some of the step tasks have been OOM Killed.\n";
    tell_user(text);
}

void Shepherd::tell_user(const std::string& text) {
    for (const UniqueFd& error : errors_) {
        if (error) {
            (void)write_all(error.get(), text);
            return;
        }
    }
    pump_.say(tasks_.front().rank, text);
}

// scontrol notify, and why the run ends.
void Shepherd::pass_notices() {
    for (const std::string& text : folder_.take_notices()) {
        if (!told_) tell_user("slurmstepd: error: " + text + "\n");
    }
}

Status Shepherd::tell_end() {
    speeds_.restore();
    clocks_.reset();
    pass_notices();                  // One that came before the signal that ended the tasks.
    checkpoint_.end(folder_, run_);  // Told before the exit.
    errors_.clear();
    told_ = true;
    moved_at_ = now_seconds();
    record_.usage.tasks = static_cast<std::uint32_t>(tasks_.size());
    return folder_.tell_exit(record_);
}

// With cgroups, the agent ends what is left. Without cgroups, only the shepherd knows the remaining
// processes.
bool Shepherd::done() const {
    if (!told_) return false;
    if (!confined() && !childless_) return false;
    return pump_.idle() || now_seconds() - moved_at_ > kStuckSeconds;
}

Status Shepherd::watch() {
    std::vector<pollfd> waiting;
    while (!done()) {
        waiting.assign(1, {signals_.get(), POLLIN, 0});
        pump_.want(waiting);
        if (::poll(waiting.data(), waiting.size(), kLookMs) < 0 && errno != EINTR) {
            return system_error("poll", errno);
        }
        pump_.serve(waiting, 1);
        pass_notices();
        reap();
        checkpoint_.look(folder_, run_);  // Last, so that the signal to look is not missed.
        if (pump_.carried() != carried_) {
            carried_ = pump_.carried();
            moved_at_ = now_seconds();
        }
        // The last message of the MPI server may be to abort the tasks of all nodes: wait a moment
        // for it.
        const bool waits = !pump_.mpi_is_over() && now_seconds() - tasks_ended_at_ < kMpiEndSeconds;
        if (running_.empty() && !told_ && !waits) {
            pump_.lose_mpi();
            BERTH_CHECK(tell_end());
        }
        if (told_) pump_.leave();
    }
    if (childless_) folder_.say_no_processes();  // The guard may have been killed.
    return Done{};
}

}  // namespace

// Decides by the address as given: a name that resolves to this host needs no TLS, but the other
// end does not ask for it then either.
bool needs_tls(const std::string& io_address) {
    return !io_address.empty() && !io_address.starts_with("127.") &&
           !io_address.starts_with("[::1]:");
}

int shepherd_run(const std::string& run_folder, SecureSocket secure) {
    ::fcntl(kLockFd, F_SETFD, FD_CLOEXEC);
    Shepherd shepherd{RunDirectory(run_folder), secure};
    Status status = on_node(shepherd.prepare());
    if (status.ok()) status = shepherd.start();
    if (!status.ok()) {
        shepherd.stop_all();
        shepherd.tell_failure(status.error());
        std::fprintf(stderr, "berth-step: %s\n", status.error().message.c_str());
        return 1;
    }
    status = shepherd.watch();
    if (!status.ok()) std::fprintf(stderr, "berth-step: %s\n", status.error().message.c_str());
    return status.ok() ? 0 : 1;
}

}  // namespace berth
