// Order: what the controller tells an agent to do. Every order names the term of office it was
// given in and the boot of the node it is meant for; an agent drops what is stale, and each order
// may arrive twice.
#pragma once

#include <variant>

#include "berth/model/event.h"
#include "berth/model/step_io.h"

namespace berth {

// Everything an agent needs to run its part of one attempt. What the user sends is in `payload`,
// filled in from the store when the order leaves the controller.
struct LaunchAttempt {
    JobId job{0};
    Attempt attempt{0};
    NodeId node{0};
    bool batch_host = false;  // Runs the script, if there is one. Others only get ready for steps.
    NodeShare share;
    Owner owner;
    JobSpec spec;
    std::string partition, qos;  // By name.
    std::vector<NodeShare>
        shares;  // Of all nodes, in order: for SLURM_JOB_NODELIST, SLURM_JOB_CPUS_PER_NODE …
    std::vector<std::string> node_names;  // Of `shares`.
    Time started_at{};
    std::optional<Time> ends_at;  // By its time limit.
    std::uint32_t restarts = 0;
    std::optional<JobId> array_job;
    std::optional<std::uint32_t> array_task;
    std::vector<std::uint32_t> array_bounds;  // count, min, max, step; empty if no array.
    Duration kill_wait{};
    ConfinementSpec confinement;
    std::string cluster;
    JobPayload payload;
    HookSpec hooks;
    std::string credential;  // The controller's word for all of this; see credential/credential.h.
    // "SLURM_HET_SIZE=2" … of a heterogeneous job; memory that the partition gives by default.
    std::vector<std::string> more_variables;
    Duration unkillable_wait{};  // From SIGKILL to AttemptUnkillable. 0: that is never said.
    BERTH_FIELDS(LaunchAttempt, job, attempt, node, batch_host, share, owner, spec, partition, qos,
                 shares, node_names, started_at, ends_at, restarts, array_job, array_task,
                 array_bounds, kill_wait, confinement, cluster, payload, hooks, credential,
                 more_variables, unkillable_wait)
};

// Runs this node's tasks of a step of an attempt that is live here.
struct LaunchStep {
    JobId job{0};
    Attempt attempt{0};
    StepId step{0};
    StepShare share;
    std::uint32_t node_index = 0;               // Of this node within the step.
    std::uint32_t tasks = 0;                    // Of the whole step.
    std::vector<std::string> node_names;        // Of the step.
    std::vector<std::uint32_t> tasks_per_node;  // Likewise.
    std::vector<std::string> arguments;         // argv.
    std::vector<std::string> environment;       // srun's own, which the tasks inherit.
    std::string work_dir;
    std::string std_out, std_err, std_in;  // Patterns; empty: to srun, through `io_address`.
    bool append_output = false;
    bool label = false;
    std::string gpu_bind;
    bool gpu_bind_verbose = false;
    std::uint32_t cpus_per_task = 1;
    std::string io_address;  // "host:port" of the srun that listens for stdio.
    std::string io_token;    // Proves to srun who calls. Not logged.
    std::string name;
    std::optional<TerminalSize> terminal;  // Task 0 has one; others then have no streams.
    std::string credential;                // As an attempt's.
    std::string mpi;                       // What serves its tasks' MPI; none: nothing.
    std::string process_mapping;           // Where all its ranks are, if anything does.
    Inherited inherited;                   // From the shell that srun was called in.
    bool errors_with_output = false;  // Standard error goes where standard output goes, in order.
    bool is_unbound = false;          // --cpu-bind=none: tasks run on all threads of its cores.
    bool preserve_env = false;        // Tasks keep srun's own SLURM_NTASKS, SLURM_JOB_NUM_NODES.
    std::string task_prolog, task_epilog;  // The user's own, beside the site's; empty: none.
    bool cpu_bind_verbose = false;         // Each task says which CPUs it is bound to.
    std::string cpu_frequency;             // Of its CPUs, while it runs; empty: as it is.
    std::string cpu_bind;       // With is_unbound: which of the CPUs each task has; empty: all.
    std::string mem_bind;       // Whose memory each task uses; see MemBind.
    std::string gpu_frequency;  // Of its GPUs, while it runs; see GpuFrequency.
    BERTH_FIELDS(LaunchStep, job, attempt, step, share, node_index, tasks, node_names,
                 tasks_per_node, arguments, environment, work_dir, std_out, std_err, std_in,
                 append_output, label, gpu_bind, gpu_bind_verbose, cpus_per_task, io_address,
                 io_token, name, terminal, credential, mpi, process_mapping, inherited,
                 errors_with_output, is_unbound, preserve_env, task_prolog, task_epilog,
                 cpu_bind_verbose, cpu_frequency, cpu_bind, mem_bind, gpu_frequency)
};

// Why an attempt ends, as its output says. Append only: agents of other versions read it.
enum class EndReason : std::uint8_t { cancelled, time_limit, preempted, requeued, node_failed };
inline constexpr EndReason kLastEndReason = EndReason::node_failed;

// Ends an attempt here: CONT and TERM now, KILL after kill_wait, and a report once its cgroup is
// empty. For an attempt that is not known here it leaves a tombstone and reports the end at once,
// so that a launch which is still under way will be refused.
struct EndAttempt {
    JobId job{0};
    Attempt attempt{0};
    Duration kill_wait{};
    std::int32_t signal = 15;  // The first one. 9: at once.
    EndReason reason = EndReason::cancelled;
    BERTH_FIELDS(EndAttempt, job, attempt, kill_wait, signal, reason)
};
struct EndStep {
    JobId job{0};
    Attempt attempt{0};
    StepId step{0};
    Duration kill_wait{};
    EndReason reason = EndReason::cancelled;
    BERTH_FIELDS(EndStep, job, attempt, step, kill_wait, reason)
};
// Sends a signal.
struct SignalAttempt {
    JobId job{0};
    Attempt attempt{0};
    std::optional<StepId> step;  // nullopt: all steps but the batch script; kBatchStep: the script.
    bool whole_job = false;      // The batch script and its children too (scancel --full).
    std::int32_t signal = 0;
    // It warns the run that it must save a checkpoint, for which the node then watches. An agent
    // sends it once, however often it comes; older ones just signal.
    bool checkpoint = false;
    BERTH_FIELDS(SignalAttempt, job, attempt, step, whole_job, signal, checkpoint)
};
// The end of this attempt (or step) is durable at the controller: the spool may forget it.
struct AcknowledgeEnd {
    JobId job{0};
    Attempt attempt{0};
    std::optional<StepId> step;
    BERTH_FIELDS(AcknowledgeEnd, job, attempt, step)
};
// The node as the controller knows it, which stands above what the node has read for itself: by its
// numbers orders speak of devices and kinds of GRES, and files on a node may be older, or not
// there.
struct NodeSetup {
    NodeSpec node;
    Dimensions dimensions;
    // The public keys, as PEM, that orders are signed with from here on; empty: with none.
    std::string launch_keys;
    std::string credential;  // As an attempt's.
    BERTH_FIELDS(NodeSetup, node, dimensions, launch_keys, credential)
};
// The registration is recorded. Jobs that the controller knows to be over may lose their
// tombstones: orders from before this registration are stale, and later ones cannot start them. The
// first welcome of a session says so; a repeated one may be older than what a job has done since.
struct Welcome {
    NodeId node{0};
    Duration heartbeat{};
    JobId oldest_live_job{0};  // Tombstones of jobs before this one can go.
    Duration sampling{};       // How often what runs is measured; 0: never.
    std::optional<NodeSetup> setup;
    std::vector<JobId> over;  // Those of the registration's tombstones that can go as well.
    BERTH_FIELDS(Welcome, node, heartbeat, oldest_live_job, sampling, setup, over)
};
// Runs a program of the site's as root, outside of any job; not while it still runs.
// Append only: launchers keep when each last ran.
enum class NodeProgram : std::uint8_t { health_check, reboot, unkillable };
struct RunNodeProgram {
    NodeProgram program = NodeProgram::health_check;
    std::string path;
    Duration timeout{};                  // Then it is killed.
    std::string credential;              // As an attempt's.
    std::vector<std::string> variables;  // "SLURM_JOB_ID=12"
    BERTH_FIELDS(RunNodeProgram, program, path, timeout, credential, variables)
};

// Stops every process of an attempt where it is, or lets them go on. `change` goes up with each
// such order of an attempt: an agent drops what is older than the last it has seen.
struct FreezeAttempt {
    JobId job{0};
    Attempt attempt{0};
    bool frozen = true;
    std::uint32_t change = 0;
    BERTH_FIELDS(FreezeAttempt, job, attempt, frozen, change)
};
// A line for a batch job's standard error. Given once.
struct NotifyAttempt {
    JobId job{0};
    Attempt attempt{0};
    std::string text;
    BERTH_FIELDS(NotifyAttempt, job, attempt, text)
};

using OrderBody =
    std::variant<LaunchAttempt, LaunchStep, EndAttempt, EndStep, SignalAttempt, AcknowledgeEnd,
                 Welcome, RunNodeProgram, FreezeAttempt, NotifyAttempt>;

struct Order {
    Epoch epoch{0};
    std::string boot_id;        // That the controller believes the node to be in.
    std::uint64_t session = 0;  // Of the registration it answers to; see Registration.
    OrderBody body;
    BERTH_FIELDS(Order, epoch, boot_id, session, body)
};

}  // namespace berth
