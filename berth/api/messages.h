// Messages: the contract between berthd and its clients: what GET /v1/… returns and POST /v1/…
// takes. The JSON of each is in json.h; the routes are in docs and in the OpenAPI file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/api/diagnostics_messages.h"
#include "berth/api/event_messages.h"
#include "berth/api/job_patch.h"
#include "berth/api/operator_messages.h"
#include "berth/api/qos_messages.h"
#include "berth/api/queue_messages.h"
#include "berth/api/submit_messages.h"
#include "berth/api/usage_messages.h"
#include "berth/model/accounting_edits.h"
#include "berth/model/event.h"
#include "berth/model/explanation.h"
#include "berth/model/job.h"
#include "berth/model/principal.h"
#include "berth/model/reservation_change.h"
#include "berth/model/step_io.h"
#include "berth/model/step_totals.h"

namespace berth::api {

// Times are whole seconds since 1970 in JSON, durations whole seconds, memory bytes, ids numbers.

// GET /v1/jobs, /v1/jobs/ID. Everything is by name: no index of ours leaves the controller.
struct NodeShareRow {
    std::string node;
    std::string cpu_ids;  // "0-7"
    std::uint32_t cpus = 0;
    std::int64_t memory = 0;  // Bytes.
    std::string gres;         // "gpu:a100:2(IDX:0-1)"
    std::uint32_t tasks = 0;
    std::uint32_t usable_cpus = 0;  // By tasks: fewer than `cpus` with --threads-per-core.
    BERTH_FIELDS(NodeShareRow, node, cpu_ids, cpus, memory, gres, tasks, usable_cpus)
};

struct StepRow {
    JobId job{0};
    StepId id{0};
    std::string name, state;  // "RUNNING", "COMPLETED" …
    std::uint32_t tasks = 1, cpus = 0;
    std::vector<std::string> nodes;
    std::string tres;  // "cpu=8,gres/gpu=8,mem=16G,node=1"
    Time started_at{};
    std::optional<Time> ended_at;
    ExitStatus exit;
    std::optional<StepTotals> used;      // Where it was measured.
    std::optional<Duration> time_limit;  // Its own; nullopt: none. Known while the job runs.
    BERTH_FIELDS(StepRow, job, id, name, state, tasks, cpus, nodes, tres, started_at, ended_at,
                 exit, used, time_limit)
};

// What a step, or the script, of a running job has used so far.
struct UsageRow {
    StepId step{0};
    StepTotals used;
    BERTH_FIELDS(UsageRow, step, used)
};

struct JobRow {
    JobId id{0};
    std::optional<JobId> array_job;
    std::optional<std::uint32_t> array_task;
    std::string array_pending;  // Of an array record: "0-5,7"; with "%2" where it has a limit.
    Owner owner;
    std::string name, account, qos, partition;
    std::string state;    // "PENDING", "RUNNING", "COMPLETING" … as squeue's %T.
    std::string outcome;  // While COMPLETING: what it will be; otherwise the same as state.
    std::string reason;   // "Resources", "None" …; with its node list where Slurm prints one.
    std::int64_t priority = 0;
    std::int64_t nice = 0;
    JobRequest request;
    JobCommand command;
    std::string dependency;  // As Slurm prints it: "afterok:12(unfulfilled)".
    bool requeue = true;
    std::uint32_t restarts = 0;
    std::optional<Duration> time_limit;  // nullopt: none.
    Time submitted_at{};
    std::optional<Time> begin_at, eligible_at, started_at,
        ended_at;  // ended_at of a running job: when its limit ends it.
    std::optional<Time> planned_start;
    std::vector<std::string> planned_nodes;
    ExitStatus exit, derived_exit;
    std::vector<std::string> nodes;  // Held now or held last.
    std::string batch_host;
    std::uint32_t node_count = 0, cpus = 0, tasks = 0;  // Asked, while pending; held, from then on.
    std::string requested_tres, allocated_tres;  // "cpu=8,mem=16G,node=1,billing=8,gres/gpu=2"
    std::string tres_per_node;                   // "gres/gpu:2", as squeue's %b.
    std::vector<NodeShareRow> shares;
    std::vector<StepRow> steps;
    std::string std_out, std_err,
        std_in;  // As Slurm shows them: with the defaults, patterns filled in where known.
    std::string comment, admin_comment;
    std::uint32_t attempt = 0;
    std::uint32_t array_max_running = 0;  // An array's "%N"; 0: no limit.
    std::optional<Time> deadline;
    std::optional<Duration> time_min;
    std::vector<LicenseCount> licenses;  // That it holds.
    std::vector<UsageRow> usage;         // While it runs; by step, the script last.
    std::optional<Time> suspended_at;    // Or resumed, the last time; nullopt: never in this run.
    Duration ran_before{};               // Until then.
    std::optional<HetComponent> het;     // Of a heterogeneous job.
    std::optional<Time> preempted_at;    // When its run was chosen to be preempted.
    std::optional<Time> preemptible_at;  // Since when it may be; nullopt: never, or it never ran.
    std::optional<JobId> preempted_by;   // Its run, or its last one if it waits again.
    std::string phase;                   // As Kubernetes has them: "Pending", "Timeout" …
    std::vector<JobCondition> conditions;
    std::optional<Time> checkpoint_at;  // When its run was last seen to save one.
    bool special_exit = false;          // It waits, held, in Slurm's state SPECIAL_EXIT.
    std::string flavor;  // Of its queue, where it stands: "gpu-a100,gpu:a100"; empty: no choice.
    BERTH_FIELDS(JobRow, id, array_job, array_task, array_pending, owner, name, account, qos,
                 partition, state, outcome, reason, priority, nice, request, command, dependency,
                 requeue, restarts, time_limit, submitted_at, begin_at, eligible_at, started_at,
                 ended_at, planned_start, planned_nodes, exit, derived_exit, nodes, batch_host,
                 node_count, cpus, tasks, requested_tres, allocated_tres, tres_per_node, shares,
                 steps, std_out, std_err, std_in, comment, admin_comment, attempt,
                 array_max_running, deadline, time_min, licenses, usage, suspended_at, ran_before,
                 het, preempted_at, preemptible_at, preempted_by, phase, conditions, checkpoint_at,
                 special_exit, flavor)
};

struct NodeRow {
    std::string name, hostname, address;
    std::string state;               // Base state: "IDLE", "MIXED", "ALLOCATED", "DOWN", "UNKNOWN".
    std::vector<std::string> flags;  // "DRAIN", "NOT_RESPONDING", "COMPLETING", "PLANNED" …
    std::uint32_t boards = 1, sockets = 1, cores_per_socket = 1, threads_per_core = 1;
    std::uint32_t cpus = 0, allocated_cpus = 0, weight = 1;
    std::int64_t memory = 0, allocated_memory = 0, tmp_disk = 0;  // Bytes.
    std::vector<std::string> features, partitions;
    std::string gres, gres_used;  // "gpu:a100:8", "gpu:a100:2(IDX:0-1)"
    std::string configured_tres, allocated_tres;
    std::string reason, reason_by;
    std::optional<Time> reason_at, booted_at, agent_started_at, last_busy_at;
    std::string version, os, arch;
    std::uint32_t running_jobs = 0;
    std::string gres_drained;  // Given to no new job: "gpu:a100:1(IDX:3)".
    std::string comment, extra;
    std::vector<std::string> switches;  // The path from the top of the tree, its leaf last.
    std::string block;                  // Of the block topology.
    BERTH_FIELDS(NodeRow, name, hostname, address, state, flags, boards, sockets, cores_per_socket,
                 threads_per_core, cpus, allocated_cpus, weight, memory, allocated_memory, tmp_disk,
                 features, partitions, gres, gres_used, configured_tres, allocated_tres, reason,
                 reason_by, reason_at, booted_at, agent_started_at, last_busy_at, version, os, arch,
                 running_jobs, gres_drained, comment, extra, switches, block)
};

struct PartitionRow {
    std::string name, state;  // "UP", "DOWN", "DRAIN", "INACTIVE"
    bool is_default = false;
    std::vector<std::string> nodes;
    std::optional<Duration> max_time, default_time;
    std::uint32_t min_nodes = 0;
    std::optional<std::uint32_t> max_nodes;
    std::uint32_t total_cpus = 0;
    std::int64_t priority_job_factor = 1, priority_tier = 1;
    std::optional<std::int64_t> default_memory_per_cpu, default_memory_per_node, max_memory_per_cpu,
        max_memory_per_node;  // Bytes.
    std::vector<std::string> allow_accounts, allow_groups, allow_qos, deny_accounts, deny_qos;
    std::string oversubscribe, tres;
    bool hidden = false, root_only = false;
    std::string preempt_mode = "OFF";  // In force: its own, or the cluster's.
    std::int64_t grace_time = 0;       // Seconds.
    std::string qos;                   // Empty: none.
    bool disable_root_jobs = false, requires_reservation = false, least_loaded_nodes = false;
    std::string job_defaults;  // "DefCpuPerGPU=2,DefMemPerGPU=1024", or "(null)".
    std::vector<std::string> alloc_nodes;
    std::optional<Duration> over_time_limit;  // nullopt: the cluster's.
    std::optional<std::uint32_t> max_cpus_per_node;
    BERTH_FIELDS(PartitionRow, name, state, is_default, nodes, max_time, default_time, min_nodes,
                 max_nodes, total_cpus, priority_job_factor, priority_tier, default_memory_per_cpu,
                 default_memory_per_node, max_memory_per_cpu, max_memory_per_node, allow_accounts,
                 allow_groups, allow_qos, deny_accounts, deny_qos, oversubscribe, tres, hidden,
                 root_only, preempt_mode, grace_time, qos, disable_root_jobs, requires_reservation,
                 job_defaults, alloc_nodes, over_time_limit, least_loaded_nodes, max_cpus_per_node)
};

// GET /v1/priorities: what the priority of each job that waits, and may start, is made of. Points
// are in millionths.
struct TresPriorityRow {
    std::string tres;         // "gres/gpu"
    std::int64_t weight = 0;  // In millionths, too.
    std::int64_t micropoints = 0;
    BERTH_FIELDS(TresPriorityRow, tres, weight, micropoints)
};
// A term that Slurm has no column for.
struct PriorityTermRow {
    std::string term;
    std::int64_t weight = 0;
    std::int64_t micropoints = 0;
    BERTH_FIELDS(PriorityTermRow, term, weight, micropoints)
};
struct PriorityRow {
    JobId job{0};
    Owner owner;
    std::string account, partition, qos, cluster;
    std::int64_t priority = 0;  // Their sum, cut off, from 1 to 2^32 - 1.
    std::int64_t site = 0, age = 0, association = 0, fair_share = 0, job_size = 0,
                 partition_part = 0, qos_part = 0, nice = 0;
    std::vector<TresPriorityRow> tres;
    std::vector<PriorityTermRow> other_terms;
    BERTH_FIELDS(PriorityRow, job, owner, account, partition, qos, cluster, priority, site, age,
                 association, fair_share, job_size, partition_part, qos_part, nice, tres,
                 other_terms)
};

// GET /v1/shares: accounts and users, an account before what is beneath it. Parts of one are in
// billionths.
struct ShareRow {
    std::string cluster, account, user, parent;  // An account has no user; the root no parent.
    std::uint32_t depth = 0;
    std::optional<std::int64_t> raw_shares;  // nullopt: Fairshare=parent, or the root.
    std::int64_t norm_shares = 0, raw_usage = 0, norm_usage = 0, effective_usage = 0;
    std::optional<std::int64_t> fair_share;  // Of users; under the classic formula of accounts too.
    std::optional<std::int64_t> level_fs;    // nullopt: none, or without bound:
    bool level_fs_infinite = false;
    // Minutes: used; to come, by the limits; and GrpTRESMins.
    std::vector<std::pair<std::string, std::int64_t>> tres_minutes, tres_run_minutes, group_minutes;
    std::int64_t wall_seconds = 0;  // That its runs took.
    BERTH_FIELDS(ShareRow, cluster, account, user, parent, depth, raw_shares, norm_shares,
                 raw_usage, norm_usage, effective_usage, fair_share, level_fs, level_fs_infinite,
                 tres_minutes, tres_run_minutes, group_minutes, wall_seconds)
};

// GET /v1/associations: accounts (without a user) and the users in them, as a tree from the root.
struct AssociationRow {
    std::string account, parent, user;
    std::uint32_t depth = 0;  // Below the root.
    bool is_default = false;
    std::int64_t shares = 1;
    bool shares_of_parent = false;
    std::optional<std::int64_t> priority;
    std::vector<std::string> qos;  // Empty: all.
    std::string default_qos, description, organization;
    std::string admin_level;                // Of the user: "None", "Operator", "Administrator".
    Limits limits;                          // Its own.
    std::vector<std::string> coordinators;  // Of the account itself.
    BERTH_FIELDS(AssociationRow, account, parent, user, depth, is_default, shares, shares_of_parent,
                 priority, qos, default_qos, description, organization, admin_level, limits,
                 coordinators)
};

// GET /v1/reservations
struct ReservationRow {
    std::string name;
    Time start{}, end{};
    std::string state;  // "ACTIVE", "INACTIVE"
    std::vector<std::string> nodes;
    std::int64_t cores = 0;
    std::string tres, flags;  // "cpu=8,gres/gpu=2", "MAINT,SPEC_NODES"
    std::vector<std::string> users, groups, accounts, qos;
    std::string partition, features, comment;
    bool maint = false, whole_nodes = true;
    BERTH_FIELDS(ReservationRow, name, start, end, state, nodes, cores, tres, flags, users, groups,
                 accounts, qos, partition, features, comment, maint, whole_nodes)
};
// POST /v1/reservations; PATCH /v1/reservations/NAME takes the change alone.
struct ReservationCall {
    std::string name;  // Empty: the controller makes one up.
    ReservationChange change;
    BERTH_FIELDS(ReservationCall, name, change)
};
struct ReservationReply {
    std::string name;
    BERTH_FIELDS(ReservationReply, name)
};

// GET /v1/licenses
struct LicenseRow {
    std::string name;
    std::int64_t total = 0, used = 0, reserved = 0;
    BERTH_FIELDS(LicenseRow, name, total, used, reserved)
};

// GET /v1/accounting: one row per attempt of a job, with its steps.
struct AccountingRow {
    JobId job{0};
    std::optional<JobId> array_job;
    std::optional<std::uint32_t> array_task;
    std::string array_pending;
    std::uint32_t attempt = 0;
    Owner owner;
    std::string name, account, qos, partition, cluster;
    std::string state;  // "COMPLETED", "CANCELLED" …
    std::optional<std::uint32_t> cancelled_by;
    std::string reason;
    std::uint32_t requested_cpus = 0, allocated_cpus = 0, requested_nodes = 0, tasks = 0;
    std::string requested_tres, allocated_tres;
    std::vector<std::string> nodes;
    std::optional<Duration> time_limit;
    Time submitted_at{};
    std::optional<Time> eligible_at, started_at, ended_at;
    ExitStatus exit, derived_exit;
    std::int64_t priority = 0;
    std::string work_dir, submit_line, comment;
    std::vector<StepRow> steps;           // The batch script first: id kBatchStep.
    Duration suspended{};                 // Of the time between start and end …
    std::optional<Time> suspended_since;  // … and, while it stands still, since then besides.
    std::optional<HetComponent> het;
    std::string constraints, reservation, wckey;  // As they were asked for.
    std::string admin_comment;
    std::string std_out, std_err, std_in;  // Patterns; relative ones are below work_dir.
    std::string requested_qos, licenses;
    std::optional<std::uint32_t> segment;  // --segment
    std::string extra;                     // --extra
    BERTH_FIELDS(AccountingRow, job, array_job, array_task, array_pending, attempt, owner, name,
                 account, qos, partition, cluster, state, cancelled_by, reason, requested_cpus,
                 allocated_cpus, requested_nodes, tasks, requested_tres, allocated_tres, nodes,
                 time_limit, submitted_at, eligible_at, started_at, ended_at, exit, derived_exit,
                 priority, work_dir, submit_line, comment, steps, suspended, suspended_since, het,
                 constraints, reservation, wckey, admin_comment, std_out, std_err, std_in,
                 requested_qos, licenses, segment, extra)
};
// The query of GET /v1/jobs: what is given must hold, of each list one member. See query.h.
struct JobQuery {
    std::vector<JobId> jobs;  // Ids; an array's id means all its tasks.
    std::vector<std::string> users, accounts, partitions, states, names, nodes;
    std::vector<std::string> fields;  // Only these fields of each row; empty: all.
};
struct AccountingQuery {
    std::vector<JobId> jobs;  // Empty: all. An array's id means all its tasks.
    std::vector<std::string> users, accounts, partitions, states, names;
    std::optional<Time> from, until;
    bool duplicates = false;  // Earlier attempts too (sacct -D).
};

// POST /v1/jobs/ID/steps
struct StepCall {
    StepRequest request;
    std::vector<std::string> arguments, environment;
    std::string work_dir, std_out, std_err, std_in;
    bool append_output = false, label = false;
    std::string io_address, io_token, task_prolog, task_epilog, cpu_frequency, gpu_frequency;
    std::string mem_bind;
    std::optional<TerminalSize> terminal;
    std::string mpi;               // "none", "pmi2", …; empty: as MpiDefault says.
    bool truncate_output = false;  // Neither this nor append_output: as JobFileAppend says.
    bool errors_with_output = false;
    Inherited inherited;
    bool preserve_env = false, cpu_bind_verbose = false;
    BERTH_FIELDS(StepCall, request, arguments, environment, work_dir, std_out, std_err, std_in,
                 append_output, label, io_address, io_token, terminal, mpi, truncate_output,
                 errors_with_output, inherited, preserve_env, task_prolog, task_epilog,
                 cpu_bind_verbose, cpu_frequency, mem_bind, gpu_frequency)
};
struct StepReply {
    StepRow step;
    std::vector<std::uint32_t> tasks_per_node;
    std::vector<std::string> task_nodes;            // By rank.
    bool append_output = false;                     // To files that srun opens itself.
    Duration kill_wait = std::chrono::seconds(30);  // From SIGTERM to SIGKILL at its end.
    bool kill_on_bad_exit = false;                  // Unless its srun says otherwise …
    Duration wait_for_tasks{};                      // … likewise; 0: as long as it takes.
    BERTH_FIELDS(StepReply, step, tasks_per_node, task_nodes, append_output, kill_wait,
                 kill_on_bad_exit, wait_for_tasks)
};
// PATCH /v1/jobs/REF/steps: of running steps.
struct StepPatch {
    std::optional<StepId> step;             // Without it: all of the job.
    std::optional<std::string> time_limit;  // As --time has it; "UNLIMITED": none but the job's.
    BERTH_FIELDS(StepPatch, step, time_limit)
};

// POST /v1/jobs/REF/attach
struct AttachCall {
    StepId step{0};
    BERTH_FIELDS(AttachCall, step)
};
struct AttachReply {
    StepReply step;
    std::string io_address, io_token;
    BERTH_FIELDS(AttachReply, step, io_address, io_token)
};
// POST /v1/jobs/REF/cancel, /hold, /release, /requeue; PATCH /v1/jobs/REF; PATCH /v1/nodes/NAME.
struct CancelRequest {
    std::optional<StepId> step;
    std::int32_t signal = 0;
    bool batch_only = false, whole_job = false;
    std::string state;  // "", "PENDING", "RUNNING": only if it is in this state.
    BERTH_FIELDS(CancelRequest, step, signal, batch_only, whole_job, state)
};
struct HoldRequest {
    bool user = false;  // A user's hold even where an operator asks (scontrol uhold).
    BERTH_FIELDS(HoldRequest, user)
};
struct RequeueRequest {
    bool hold = false;
    bool special_exit = false;  // Held, too, and shown as SPECIAL_EXIT.
    bool incomplete = false;    // Only if the job runs or is suspended.
    BERTH_FIELDS(RequeueRequest, hold, special_exit, incomplete)
};
struct CompleteRequest {
    ExitStatus exit;
    BERTH_FIELDS(CompleteRequest, exit)
};
// POST /v1/usage
struct UsagePatch {
    std::vector<UsageSet::Entry> entries;
    BERTH_FIELDS(UsagePatch, entries)
};
struct NodePatch {
    std::optional<std::string>
        state;  // "DRAIN", "RESUME", "DOWN", "IDLE", "REBOOT", "CANCEL_REBOOT"
    std::string reason;
    std::vector<std::uint32_t> gpus;  // With DRAIN and RESUME: these GPUs alone, by their index.
    bool asap = false;                // With REBOOT: it takes no new work until then.
    std::string next_state;           // With REBOOT: "DOWN", or "RESUME" as without it.
    NodeChange change;
    BERTH_FIELDS(NodePatch, state, reason, gpus, asap, next_state, change)
};

// What a command answers that has nothing to tell but its success.
struct Accepted {
    BERTH_FIELDS(Accepted)
};
// GET /v1/jobs/REF/script
struct ScriptReply {
    std::string script;
    BERTH_FIELDS(ScriptReply, script)
};
// GET /v1/state-hash
struct StateHashReply {
    std::string hash;  // 16 hex digits.
    std::uint64_t sequence = 0;
    BERTH_FIELDS(StateHashReply, hash, sequence)
};
// GET /healthz
struct Health {
    bool ok = true;
    BERTH_FIELDS(Health, ok)
};

// GET /v1/ping and /v1/config
struct Ping {
    std::string version, cluster, host;
    std::uint64_t epoch = 0, sequence = 0;
    Time now{}, started_at{};
    std::int32_t pid = 0;
    std::string address;  // "head:6820", where others reach it over TLS; empty: nowhere.
    std::string srun_prolog, srun_epilog;  // Which srun runs around a step; empty: none.
    BERTH_FIELDS(Ping, version, cluster, host, epoch, sequence, now, started_at, pid, address,
                 srun_prolog, srun_epilog)
};

// POST /v1/join-tokens
struct JoinTokenCall {
    std::vector<std::string> nodes;
    Duration lifetime = std::chrono::minutes(30);
    BERTH_FIELDS(JoinTokenCall, nodes, lifetime)
};
struct JoinTokenReply {
    std::string token;
    Time expires_at{};
    BERTH_FIELDS(JoinTokenReply, token, expires_at)
};
// POST /v1/join, by a machine that has nothing but the token yet.
struct JoinCall {
    std::string secret, node, request;  // The token's first half; a PKCS #10 request as PEM.
    BERTH_FIELDS(JoinCall, secret, node, request)
};
struct JoinReply {
    std::string certificate, authority, cluster;
    BERTH_FIELDS(JoinReply, certificate, authority, cluster)
};
// POST /v1/tokens
struct TokenCall {
    std::string user;                  // Empty: the caller.
    std::optional<Duration> lifetime;  // Nothing: half an hour, as Slurm's.
    BERTH_FIELDS(TokenCall, user, lifetime)
};
struct TokenReply {
    std::string token;
    Time expires_at{};
    BERTH_FIELDS(TokenReply, token, expires_at)
};
struct ConfigRow {
    std::vector<std::pair<std::string, std::string>>
        settings;                         // As `scontrol show config` orders them.
    std::vector<std::string> gres_names;  // What --gres may name: "gpu" …
    BERTH_FIELDS(ConfigRow, settings, gres_names)
};

// RFC 9457. `code` is stable (see model/reason.h); `slurm` is the text that Slurm's commands print.
struct Problem {
    std::int32_t status = 500;
    std::string code, title, detail, slurm;
    std::vector<std::string> details;
    BERTH_FIELDS(Problem, status, code, title, detail, slurm, details)
};

}  // namespace berth::api
