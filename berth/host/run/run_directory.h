// RunDirectory: the folder of one run, through which agent and shepherd exchange state. A new agent
// finds there what an old one started.
//
// RUN_DIR/12.1/place     the owner of attempt 1 of job 12
// RUN_DIR/12.1/batch/    the run: `spec` for the shepherd; `shepherd`: its process; `status` once
//                        it has started; `exit` at the end; `lock`, held while it lives. Without a
//                        cgroup also `processes`, while the run may have processes. Of a run that
//                        was warned, `checkpoint.asked`; then `checkpoint`, once it has saved one
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "berth/host/os/unique_fd.h"
#include "berth/host/run/run_spec.h"

namespace berth {

// The descriptor at which a shepherd finds its lock.
inline constexpr int kLockFd = 3;
// Shepherds of earlier versions ignore it.
inline constexpr int kNoticeSignal = SIGHUP;

class RunDirectory {
public:
    RunDirectory() = default;
    explicit RunDirectory(std::string path) : path_(std::move(path)) {}

    const std::string& path() const { return path_; }
    std::string script_path() const { return path_ + "/slurm_script"; }
    std::string log_path() const { return path_ + "/log"; }

    // For the agent. The lock is taken before the shepherd starts and is passed on to it, so a run
    // under way never looks dead.
    Result<UniqueFd> create(const RunSpec& spec) const;
    bool is_locked() const;  // True while its shepherd lives.
    std::optional<ProcessMark> shepherd() const;
    std::optional<RunStatus> status() const;
    std::optional<ExitRecord> exit() const;
    // For a run without a cgroup: true if its processes may be alive, because its shepherd and
    // guard have not both ended cleanly. After a reboot nothing is alive.
    bool has_processes() const;
    // Leaves a line for the run's user; the caller then wakes the shepherd with kNoticeSignal.
    Status leave_notice(const std::string& text) const;
    // Has the shepherd watch for the run's checkpoint from now on; the caller then wakes it as
    // above. Does nothing if it was asked before.
    Status ask_for_checkpoint() const;
    bool has_checkpoint() const;

    // For the shepherd. Reading the spec removes it.
    Result<RunSpec> take_spec() const;
    Status tell_shepherd(const ProcessMark& self) const;
    Status tell_status(const RunStatus& status) const;
    // Reserves disk space for the exit record before the run starts, so that it can be written even
    // if the run fills the disk.
    Status reserve_exit() const;
    Status tell_exit(const ExitRecord& record) const;
    Status say_processes() const;
    void say_no_processes() const;
    std::vector<std::string> take_notices() const;  // In order.
    std::optional<WallMoment> checkpoint_asked() const;
    Status tell_checkpoint() const;

private:
    template <class T>
    std::optional<T> read(const char* name) const;
    std::string path_;
};

// "12.1.batch", "12.1.0": for messages and for folder names.
std::string text_of(const RunKey& run);
std::string folder_of_attempt(JobId job, Attempt attempt);  // "12.1"
std::string folder_of_step(StepId step);                    // "batch", "0"

struct AttemptFolder {
    JobId job{0};
    Attempt attempt{0};
    std::string path;
    std::vector<std::pair<StepId, RunDirectory>> runs;
};
// All attempts in this RUN_DIR, in order.
std::vector<AttemptFolder> list_attempts(const std::string& run_dir);

}  // namespace berth
