// RunSpec: everything that a shepherd needs to know about the run it starts. Passed in a file that
// only the agent's user can read, since the environment may hold secrets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/agent/ports.h"
#include "berth/base/fields.h"
#include "berth/host/os/account_check.h"
#include "berth/host/os/process.h"
#include "berth/model/inherited.h"
#include "berth/mpi/mpi_step.h"

namespace berth {

enum class StreamKind : std::uint8_t {
    nothing,      // /dev/null
    file,         // Opened as the job's user.
    srun,         // Carried by the shepherd to the listening srun.
    same_as_out,  // For standard error only.
    terminal,     // All three are one pseudo-terminal; srun has the other end.
};

struct StreamSpec {
    StreamKind kind = StreamKind::nothing;
    std::string path;
    bool truncate = false;   // If false, appends.
    std::string label = {};  // Of a file: the shepherd writes it before each line; empty: none.
    BERTH_FIELDS(StreamSpec, kind, path, truncate, label)
};

struct TaskSpec {
    std::uint32_t rank = 0;
    std::vector<std::string> environment;  // Added to the run's environment; overrides it.
    std::string cpus;                      // "0-3,8"; empty: all CPUs of its cgroup.
    StreamSpec in, out, err;
    std::string notice;    // Printed on its standard error before it starts; "[PID]" is its number.
    std::string mem_bind;  // See MemBind.
    std::uint32_t local = 0;  // Which of the run's tasks on this node it is.
    BERTH_FIELDS(TaskSpec, rank, environment, cpus, in, out, err, notice, mem_bind, local)
};

struct RunSpec {
    JobId job{0};
    Attempt attempt{0};
    StepId step{0};
    std::uint32_t uid = 0, gid = 0;
    std::string user;
    std::string work_dir;
    // If not empty: written to a file of the user's, which becomes arguments[0].
    std::string script;
    std::vector<std::string> arguments;
    std::vector<std::string> environment;
    std::vector<TaskSpec> tasks;
    std::vector<std::pair<std::string, std::string>> cgroups;  // v1 controller -> folder.
    std::string unified;                                       // v2 folder.
    std::string io_address, io_token;                          // Of srun; empty: no srun listens.
    std::uint32_t node_index = 0;
    TerminalSize window;   // Of the task that has a terminal.
    bool of_site = false;  // A program of the site, which keeps its user's privileges.
    std::string task_prolog, task_epilog;  // Run around each task as its user; empty: none.
    AccountCheck account_check;            // Of its user, before anything starts.
    MpiStep mpi;                           // Which MPI service the tasks get, if any.
    Inherited inherited;                   // Umask and soft limits of the tasks.
    std::string checkpoint;                // The file that it saves when it is warned; empty: none.
    // srun's: the prolog runs after the site's, the epilog before it.
    std::string own_task_prolog, own_task_epilog;
    std::string cpu_frequency;  // Of these CPUs, while it runs; empty: as it is.
    std::vector<std::uint32_t> cpus;
    std::string gpu_frequency;  // Likewise of the GPUs that have these device files.
    std::vector<std::string> gpu_files;
    BERTH_FIELDS(RunSpec, job, attempt, step, uid, gid, user, work_dir, script, arguments,
                 environment, tasks, cgroups, unified, io_address, io_token, node_index, window,
                 of_site, task_prolog, task_epilog, account_check, mpi, inherited, checkpoint,
                 own_task_prolog, own_task_epilog, cpu_frequency, cpus, gpu_frequency, gpu_files)
};

// By the clock that the kernel gives files their times by.
struct WallMoment {
    std::int64_t seconds = 0, nanoseconds = 0;
    friend auto operator<=>(const WallMoment&, const WallMoment&) = default;
    BERTH_FIELDS(WallMoment, seconds, nanoseconds)
};

// Reported by the shepherd once its tasks are ready, or cannot become so.
struct RunStatus {
    std::string failure;  // Empty: they run.
    std::vector<ProcessMark> tasks;
    NotBegun not_begun = NotBegun::unknown;  // Set with a failure.
    BERTH_FIELDS(RunStatus, failure, tasks, not_begun)
};

// Left by the shepherd when all its tasks have ended.
struct ExitRecord {
    ExitStatus exit;  // The highest one.
    bool out_of_memory = false;
    // Of the tasks and the children that they waited for, as the kernel counts them.
    RunUsage usage;
    std::string failure;           // Why the script could not run, if its user must fix that.
    std::optional<Time> ended_at;  // When the last task was found to have ended.
    BERTH_FIELDS(ExitRecord, exit, out_of_memory, usage, failure, ended_at)
};

}  // namespace berth
