// JobDraft: the job or step that the options of one command line, its environment and its script
// describe.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/model/inherited.h"
#include "berth/model/job.h"

namespace berth::slurm {

// sbatch's own: where the script comes from, and its variables.
struct ScriptOptions {
    std::optional<std::string> wrap;
    std::string get_user_env;  // --get-user-env: "120L", as the node reads it.
    std::string export_file;
    std::string batch_features;  // --batch: those of the node that runs the script.
    bool ignore_pbs = false;     // --ignore-pbs: #PBS and #BSUB lines are comments.
};

// --mincpus, --hint, and where the options were given that say the same as a hint.
struct OfCpus {
    // A script counts as a command line.
    enum class From : std::uint8_t { nowhere, environment, command_line };

    std::optional<std::uint32_t> least_on_node;
    std::uint32_t threads_of_core = 0;  // What --hint comes to; 0: all.
    bool one_core_of_socket = false;    // --hint=memory_bound …
    bool gives_one_core = false;        // … which nothing else made void.
    From hint = From::nowhere;
    std::string hint_text;              // As it was given: the job's sruns find it.
    From instead = From::nowhere;       // --threads-per-core, --ntasks-per-core, -B: the highest.
    From reading = From::command_line;  // The option that is set now.
    std::string note;                   // What became of the hint; empty: nothing to tell.
    From core_spec = From::nowhere, thread_spec = From::nowhere;
    const char* specialized = nullptr;  // "-S" or "--thread-spec": the last of both.

    void note_instead_of_hint() { instead = std::max(instead, reading); }
};

// --tres-per-task
struct TresPerTask {
    std::optional<std::uint32_t> cpus;
    std::vector<GresRequest> gpus;
    std::vector<LicenseCount> licenses;
    OfCpus::From from = OfCpus::From::nowhere;
};

// What is asked for by GPU or by task, until it is counted: --ntasks-per-gpu, --cpus-per-gpu,
// --mem-per-gpu, --gpus-per-socket, --tres-per-task.
struct PerGpu {
    std::optional<GresRequest> of_socket;
    std::optional<std::uint32_t> tasks, cpus;
    std::optional<Bytes> memory;
    std::optional<TresPerTask> of_task;
};

// Options of the job that its script finds as they were given.
struct AsGiven {
    std::string dependency, tres_per_task, network;
    bool no_profile = false;  // --profile=none
};

// srun --bcast: the program is copied to the nodes.
struct OfBroadcast {
    std::optional<std::string> to;       // Empty: to where it is copied by default.
    std::optional<std::string> exclude;  // --bcast-exclude
    bool libraries = false;              // --send-libs
    bool compresses = false;             // --compress
};

// What each task of a step is bound to.
struct TaskBinding {
    std::string cpu_bind;         // --cpu-bind: "cores", "sockets" or "none".
    bool tells_cpu_bind = false;  // --cpu-bind=verbose
    std::string mem_bind;         // --mem-bind, as it was given.
};

// srun's own, of the step.
struct OfStep {
    std::optional<std::uint32_t> relative;  // --relative: the first node, from 0 on.
    bool multi_prog = false;                // --multi-prog
    std::string prolog, epilog;             // Run here, before and after the step.
    bool interrupts_tasks = false;          // -X: the first Ctrl-C goes to the tasks.
    bool quits_on_interrupt = false;        // --quit-on-interrupt: it kills them.
    TaskBinding binding;
    bool preserves_env = false;            // --preserve-env
    std::string task_prolog, task_epilog;  // Run on the nodes, around each task.
    bool reserves_ports = false;           // --resv-ports, a number above 0
    bool asks_for_x11 = false;             // --x11
    OfBroadcast broadcast;
    std::string cpu_frequency;  // --cpu-freq, in Slurm's words
    std::string gpu_frequency;  // --gpu-freq, as it was given
};

// salloc's own.
struct OfAllocation {
    bool no_shell = false;
    std::optional<std::int32_t> kill_command;  // --kill-command: this signal.
    std::optional<bool> bell;                  // By default after a wait of ten seconds.
};

// --uid, --gid: a name or a number each; empty: the caller's.
struct ActingUser {
    std::string user, group;
};

// To whom it is submitted, and as whom.
struct OfSubmission {
    AsGiven as_given;
    std::string clusters;  // --clusters
    ActingUser acting;
};

struct JobDraft {
    JobSpec spec;
    ScriptOptions of_script;
    std::string export_env = "ALL";
    bool export_given = false;
    bool parsable = false, quiet = false;
    int verbose = 0;
    bool in_a_job = false;  // For srun: most of SLURM_* then describe the job.
    // srun's own.
    bool label = false, exact = false, overlap = false, unbuffered = false, pty = false;
    bool gres_given = false;  // Given, also as --gres=none or gpu:0.
    std::optional<std::string> job_id;
    bool time_given = false;
    bool cpus_per_task_given = false;  // Given here, not inherited from the job that srun is in.
    std::optional<bool> kill_on_bad_exit;  // nullopt: as KillOnBadExit says.
    // --wait, from the first task's end on; 0: as long as it takes. nullopt: as WaitTime says.
    std::optional<std::chrono::seconds> wait_for_tasks;
    std::string mpi;         // --mpi; "list": prints them. Empty: as MpiDefault says.
    bool wait = false;       // sbatch --wait
    bool test_only = false;  // --test-only
    PerGpu per_gpu;
    OfCpus of_cpus;
    OfStep of_step;
    OfAllocation of_allocation;
    OfSubmission of_submission;
    bool tell_ends = true;            // Reports each task that failed.
    std::vector<std::string> of_job;  // Given options that apply to a job, not to a step.
    // Options of commands that wait for a job.
    std::optional<std::chrono::seconds> patience;  // --immediate
    std::string het_groups;                        // --het-group: "0", "0,2", "0-1".
    std::optional<RlimitSet> propagate;  // --propagate: these limits, whatever the site says.
};

}  // namespace berth::slurm
