// RunSpec: all that a shepherd is told about the run it starts. It comes in a file that only the
// agent's user can read, since the environment may hold secrets.
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
    file,         // Opened as the user.
    srun,         // Through the shepherd to the srun that listens.
    same_as_out,  // Standard error only.
    terminal,     // All three are one pseudo-terminal, at whose other end srun sits.
};

struct StreamSpec {
    StreamKind kind = StreamKind::nothing;
    std::string path;
    bool truncate = false;  // Else what is there stays, and this comes behind it.
    BERTH_FIELDS(StreamSpec, kind, path, truncate)
};

struct TaskSpec {
    std::uint32_t rank = 0;
    std::vector<std::string> environment;  // Besides the run's; wins over it.
    std::string cpus;                      // "0-3,8"; empty: wherever its cgroup may.
    StreamSpec in, out, err;
    std::string notice;  // Goes to its standard error before it starts.
    BERTH_FIELDS(TaskSpec, rank, environment, cpus, in, out, err, notice)
};

struct RunSpec {
    JobId job{0};
    Attempt attempt{0};
    StepId step{0};
    std::uint32_t uid = 0, gid = 0;
    std::string user;
    std::string work_dir;
    std::string script;  // Not empty: written to a file of the user's, which is arguments[0] then.
    std::vector<std::string> arguments;
    std::vector<std::string> environment;
    std::vector<TaskSpec> tasks;
    std::vector<std::pair<std::string, std::string>> cgroups;  // v1 controller -> folder.
    std::string unified;                                       // v2 folder.
    std::string io_address, io_token;                          // Of srun; empty: none listens.
    std::uint32_t node_index = 0;
    TerminalSize window;   // Of the task that has a terminal.
    bool of_site = false;  // The site's own program, which keeps what its user may do.
    std::string task_prolog, task_epilog;  // Around each task, by its user; empty: none.
    AccountCheck account_check;            // Of its user, before anything is begun.
    MpiStep mpi;                           // What its tasks' MPI is served; no kind: nothing.
    Inherited inherited;                   // Umask and soft limits of its tasks.
    BERTH_FIELDS(RunSpec, job, attempt, step, uid, gid, user, work_dir, script, arguments,
                 environment, tasks, cgroups, unified, io_address, io_token, node_index, window,
                 of_site, task_prolog, task_epilog, account_check, mpi, inherited)
};

// What the shepherd tells once its tasks stand ready, or will never.
struct RunStatus {
    std::string failure;  // Empty: they run.
    std::vector<ProcessMark> tasks;
    NotBegun not_begun = NotBegun::unknown;  // With a failure.
    BERTH_FIELDS(RunStatus, failure, tasks, not_begun)
};

// What it leaves when all its tasks are gone.
struct ExitRecord {
    ExitStatus exit;  // The highest.
    bool out_of_memory = false;
    RunUsage usage;       // Of the tasks and what they waited for, as the kernel adds it up.
    std::string failure;  // Why the script could not run, where that is its user's to mend.
    std::optional<Time> ended_at;  // When the last task was seen to be gone.
    BERTH_FIELDS(ExitRecord, exit, out_of_memory, usage, failure, ended_at)
};

}  // namespace berth
