// Job: what a user asked for (JobSpec), and where it stands (Job).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/maybe.h"
#include "berth/base/shared.h"
#include "berth/base/shared_text.h"
#include "berth/base/time.h"
#include "berth/model/allocation.h"
#include "berth/model/flavor.h"
#include "berth/model/ids.h"
#include "berth/model/inherited.h"
#include "berth/model/license.h"
#include "berth/model/step.h"

namespace berth {

enum class DependencyKind : std::uint8_t {
    after,
    afterany,
    afterok,
    afternotok,
    aftercorr,
    singleton
};

struct Dependency {
    DependencyKind kind = DependencyKind::afterany;
    JobId job{0};  // Not for singleton. An array's id means all its tasks.
    std::optional<std::uint32_t> array_task;  // "afterok:12_3".
    Duration delay{};                         // "after:12+5".

    BERTH_FIELDS(Dependency, kind, job, array_task, delay)
};

struct ArraySpec {
    std::vector<std::uint32_t> tasks;  // Sorted, each once.
    std::uint32_t max_running = 0;     // "%N"; 0: no limit.

    BERTH_FIELDS(ArraySpec, tasks, max_running)
};

// Near to, or apart from, what runs already: jobs of the same user by their name, or nodes by a
// feature.
struct Affinity {
    enum class To : std::uint8_t { job_on_node, job_on_gpu, feature };
    To to = To::job_on_node;
    std::string name;
    bool apart = false;
    bool required = true;  // False: where there is a choice.

    BERTH_FIELDS(Affinity, to, name, apart, required)
};

// What the hardware of each node must have at least; 0: any.
struct NodeShape {
    std::uint32_t sockets = 0, cores_per_socket = 0, threads_per_core = 0;
    Bytes tmp_disk;

    BERTH_FIELDS(NodeShape, sockets, cores_per_socket, threads_per_core, tmp_disk)
};

// How near each other a job's nodes and GPUs must be, and of what kind.
struct TopologyConstraint {
    std::optional<std::uint32_t> switches;  // --switches: the most leaf switches …
    std::optional<Duration> switches_wait;  // … and how long to wait for that.
    std::optional<std::uint32_t> segment;   // --segment: so many nodes together in a block.
    bool contiguous = false;
    bool spread = false;
    bool pack = false;     // On one node, its GPUs linked to each other.
    bool compact = false;  // In as few switches or blocks as can be.
    TaskOrder task_order = TaskOrder::as_fits;
    std::uint32_t plane = 0;  // Tasks at a time, with TaskOrder::plane.
    std::vector<Affinity> affinities;
    Bytes gpu_memory_min;                      // Of each GPU; 0: any.
    std::uint32_t compute_capability_min = 0;  // In tenths; 0: any.
    NodeShape node;                            // -B, --tmp and the like.
    bool fewest_nodes = false;                 // --use-min-nodes: of -N 2-4 as few as it takes.
    TaskLayout layout;                         // --ntasks-per-socket, -m block:cyclic …

    BERTH_FIELDS(TopologyConstraint, switches, switches_wait, segment, contiguous, spread, pack,
                 compact, task_order, plane, affinities, gpu_memory_min, compute_capability_min,
                 node, fewest_nodes, layout)
};

// How much, and where. An absent value means that the user said nothing (Slurm's environment
// variables depend on that).
struct JobRequest {
    std::uint32_t nodes_min = 1;
    std::optional<std::uint32_t> nodes_max;  // -N 2-4; nullopt: as many as it takes.
    bool nodes_given = false;                // -N was said.
    bool exclusive = false;
    std::optional<std::uint32_t> tasks;
    std::optional<std::uint32_t> tasks_per_node;
    std::optional<std::uint32_t> cpus_per_task;
    std::optional<Bytes> memory_per_node;  // 0: all of the node's.
    std::optional<Bytes> memory_per_cpu;
    Shared<std::vector<GresRequest>> gres_per_node;  // --gres
    Shared<std::vector<GresRequest>> gpus;           // --gpus, for the whole job; name "gpu".
    Shared<std::vector<GresRequest>> gpus_per_node;
    Shared<std::vector<GresRequest>> gpus_per_task;
    Shared<std::vector<std::string>> nodelist;  // Must be among the nodes chosen.
    Shared<std::vector<std::string>> exclude;
    SharedText constraint;       // "a100&ib", "a|b", "[a|b]", "(a&b)|c".
    Maybe<Duration> time_limit;  // nullopt: the partition's default.
    Shared<TopologyConstraint> nearness;
    Shared<LicenseRequest> licenses;
    SharedText reservation;  // --reservation; empty: none.
    // Nodes that have refused the job since it last started: not what its user asked for.
    Shared<std::vector<std::string>> refused_by;
    SharedText priority_class;   // --berth-priority-class; empty: none.
    Maybe<Duration> max_wait;    // --berth-max-wait: it ends if it has not started by then.
    bool oversubscribe = false;  // -s: it may share cores, where its partition lets it.

    BERTH_FIELDS(JobRequest, nodes_min, nodes_max, nodes_given, tasks, tasks_per_node,
                 cpus_per_task, memory_per_node, memory_per_cpu, gres_per_node, gpus, gpus_per_node,
                 gpus_per_task, exclusive, nodelist, exclude, constraint, time_limit, nearness,
                 licenses, reservation, refused_by, priority_class, max_wait, oversubscribe)
};

// --signal: sent once, so long before a run's time is up.
struct WarningSignal {
    std::int32_t signal = 0;
    Duration before{};
    bool batch = false;  // "B:": to the batch script alone, not to the steps.

    BERTH_FIELDS(WarningSignal, signal, before, batch)
};

// What to run and how. Script and environment are not here: see JobPayload.
struct JobCommand {
    std::string work_dir;
    std::string std_out, std_err, std_in;  // Patterns; empty: the default.
    bool append_output = false;            // --open-mode=append.
    std::string script_name;               // As given; "wrap" for --wrap.
    std::vector<std::string> arguments;
    std::string submit_host;
    std::string submit_line;
    std::string gpu_bind;    // --gpu-bind, which steps inherit.
    std::string export_env;  // --export as given, for SLURM_EXPORT_ENV.
    bool interactive =
        false;  // salloc's, or srun's own: no script, and its client says when it ends.
    std::optional<WarningSignal> warning;
    std::string wckey;             // Recorded, and no more.
    std::uint32_t mail_types = 0;  // --mail-type, as MailType's bits.
    std::string mail_user;         // Who is told; set where mail_types is.
    bool attended = false;         // Its client says now and then that it is still there.
    bool truncate_output = false;  // --open-mode=truncate; neither of both: the site's default.
    Inherited inherited;           // From the shell that it was submitted in.
    // Whether it is cancelled once its dependency has failed; nullopt: as the site says.
    std::optional<bool> kill_on_invalid_dep;
    // --berth-checkpoint: the file that it saves when it is warned. A pattern; empty: none.
    std::string checkpoint;
    Duration restart_cost{};    // Between the start of another run and new progress.
    std::string admin_comment;  // What an operator says of it; the job does not get to know.
    bool no_kill = false;       // It goes on when a node other than its first is lost.
    std::string extra;          // --extra: words for whom they may concern.

    BERTH_FIELDS(JobCommand, work_dir, std_out, std_err, std_in, append_output, script_name,
                 arguments, submit_host, submit_line, gpu_bind, export_env, interactive, warning,
                 wckey, mail_types, mail_user, attended, truncate_output, inherited,
                 kill_on_invalid_dep, checkpoint, restart_cost, admin_comment, no_kill, extra)
};

// The bulky part of a submission. It is stored in the same transaction as the job, and read back
// when the job is launched; the engine never holds it.
struct JobPayload {
    std::string script;
    std::vector<std::string> environment;  // "NAME=value".

    BERTH_FIELDS(JobPayload, script, environment)
};

// Who a job belongs to. It comes from the channel (peer credentials), never from the message.
struct Owner {
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    SharedText user, group;

    BERTH_FIELDS(Owner, uid, gid, user, group)
};

// Held once for each pending job, and there may be a hundred thousand: names and what few jobs have
// take a pointer each, and those of equal content are held once (ClusterState sees to it). The
// members are in an order that leaves no gaps; what is written keeps that of BERTH_FIELDS.
struct JobSpec {
    SharedText name;
    // Empty: the default one. Several, comma-separated: where it can start first. Job::partition is
    // the one that it stands in.
    SharedText partition;
    SharedText account, qos;
    Shared<JobRequest> request;  // Jobs that ask for the same hold the same one …
    Shared<JobCommand> command;  // … and those that run the same.
    Maybe<Time> begin;
    Shared<std::vector<Dependency>> dependencies;
    Rare<ArraySpec> array;
    std::int32_t nice = 0;
    Maybe<std::uint32_t> priority;  // Set by hand; 0 holds.
    std::optional<bool> requeue;    // nullopt: the site's JobRequeue.
    bool any_dependency = false;    // "?" between them instead of ",".
    bool hold = false;
    bool expedite = false;  // --requeue=expedite: first in the queue when a node fails under it.
    bool presume_dead = false;  // A silent node's run of it is taken for over, without proof.
    // Like Job::partition: where it stands, and nothing that its user says.
    FlavorChoice flavor;
    SharedText comment;
    SharedText request_id;  // 128 bits in hex, made by the client: the same submission, sent again.
    Maybe<Time> deadline;   // It must have ended by then.
    Maybe<Duration> time_min;  // It may be given less time than its limit, but no less.

    BERTH_FIELDS(JobSpec, name, partition, account, qos, request, command, begin, dependencies,
                 any_dependency, array, hold, nice, requeue, priority, comment, request_id,
                 expedite, deadline, time_min, presume_dead, flavor)
};

enum class JobState : std::uint8_t {
    pending,
    running,     // From the start decision on.
    completing,  // Its end is decided or reported; some node is not yet clean. Job::outcome says
                 // which end.
    completed,
    failed,
    cancelled,
    timeout,
    node_fail,
    preempted,
    out_of_memory,
    boot_fail,
    deadline,
};

constexpr bool is_final(JobState state) { return state >= JobState::completed; }
std::string_view slurm_name(JobState state);  // "PENDING", "NODE_FAIL" …
std::optional<JobState> job_state_of(std::string_view name);

// special_exit: back in the queue by RequeueExitHold or by `scontrol requeuehold
// State=SpecialExit`. It is shown as SPECIAL_EXIT, and its user may release it.
enum class Hold : std::uint8_t { none, user, admin, special_exit };

// What `scontrol suspend` and `resume`, or preemption, have done to a run. While it is in force,
// the run stands still and its limit does not come nearer.
struct Suspension {
    bool in_force = false;
    std::uint32_t changes = 0;  // Of this run.
    Time changed_at{};
    Duration ran_before{};  // Of this run, until then.
    Duration total{};       // It stood still for, until then.
    bool proved = false;    // Each of its nodes has said that nothing of it runs.
    // It was to lend its cores, and went on before they had. Until they have answered an order it
    // is not suspended for another job again.
    bool unproved = false;
    // While it is in force: the run waits for its turn, and goes on by itself. Otherwise an
    // operator says when, or nobody has its cores any more.
    bool by_turn = false;
    bool not_launched = false;  // It has not had a turn yet: no node was told to start anything.
    bool ended_still = false;   // The run took turns and was at rest: it is killed where it stands.

    BERTH_FIELDS(Suspension, in_force, changes, changed_at, ran_before, total, proved, unproved,
                 by_turn, not_launched, ended_still)
};

// Which of the site's programs on the controller's host a job waits for: PrologSlurmctld before its
// run is launched, EpilogSlurmctld after it.
enum class ControllerHook : std::uint8_t { none, prolog, epilog };

// Which component of a heterogeneous job a job is. Their ids follow on each other; they start
// together and end together. The first has the script, and its id is the whole job's.
struct HetComponent {
    JobId first{0};
    std::uint32_t offset = 0, size = 0;

    JobId id(std::uint32_t of) const { return JobId(first.value() + of); }
    BERTH_FIELDS(HetComponent, first, offset, size)
};

// Where a job stands. An array is one record with the tasks that have not started; a task that
// starts becomes a record of its own (the last one keeps the array's id), as in Slurm.
struct Job {
    JobId id{0};
    PartitionId partition{0};
    Shared<Owner> owner;
    JobSpec spec;  // spec.array holds the tasks still pending, while this is an array record.
    QosId qos{0};
    JobState state = JobState::pending;
    JobState outcome = JobState::pending;  // While completing: the final state to come. pending: it
                                           // goes back to the queue.
    Hold hold = Hold::none;
    bool dependency_failed = false;  // DependencyNeverSatisfied.
    Duration time_limit{};           // In force; Duration::max(): none.
    Time submitted_at{};
    Maybe<Time> eligible_at;  // When begin time, hold and dependencies were first out of the way.
    Attempt attempt{0};       // Of the current or last run; 0: never started.
    std::uint32_t restarts = 0;
    Maybe<Time> started_at, ended_at;
    ExitStatus exit;
    ExitStatus derived_exit;      // The highest of its steps.
    Rare<Allocation> allocation;  // While running or completing: what it still holds.
    Shared<std::vector<NodeId>>
        nodes;                    // Of the current or last run; stays when the allocation is gone.
    Shared<Resources> allocated;  // Likewise: AllocTRES.
    std::uint32_t cpus = 0;       // Likewise.
    std::uint32_t next_step = 0;
    Shared<std::vector<Step>> steps;  // Of the current run.
    Maybe<JobId> array_job;           // For a task: its array.
    Maybe<std::uint32_t> array_task;
    SharedText state_reason;  // Where Slurm gives one for an ended or held job: "NonZeroExitCode" …
    Shared<std::vector<std::uint32_t>>
        array_bounds;  // Of the array as submitted: count, min, max, step. Empty if no array.
    std::uint32_t array_max_running = 0;  // Its "%N", which a task that is requeued obeys too.
    bool expedited = false;               // Back in the queue, and first there.
    bool warned = false;                  // This run has had its --signal.
    ControllerHook hook = ControllerHook::none;
    std::uint8_t limit_notices = 0;   // Of this run: MailType's bits from time_limit on, >> 4.
    std::int64_t start_priority = 0;  // What it had at its current or last start.
    std::int64_t site_factor = 0;     // Added to its priority, by an administrator.
    Maybe<Duration> predicted;        // How long it was expected to run, when it was submitted.
    Duration attained{};              // GPUs × time of its earlier runs; CPUs where it has none.
    Maybe<Duration> full_time_limit;  // Of a run that was given less: what was asked for.
    Rare<Suspension> suspension;      // Of a run that was ever suspended.
    Rare<HetComponent> het;           // Of a heterogeneous job.

    BERTH_FIELDS(Job, id, owner, spec, partition, qos, time_limit, submitted_at, eligible_at, state,
                 outcome, hold, dependency_failed, attempt, restarts, started_at, ended_at, exit,
                 derived_exit, allocation, nodes, cpus, allocated, array_job, array_task, steps,
                 next_step, state_reason, array_bounds, array_max_running, start_priority,
                 site_factor, expedited, predicted, attained, full_time_limit, warned, suspension,
                 het, hook, limit_notices)

    bool is_suspended() const { return suspension && suspension->in_force; }
    // It is preempted by suspension: see lent_cores.h.
    bool lends_cores() const {
        return allocation && allocation->preempted &&
               allocation->preempted->mode == PreemptMode::suspend;
    }
    // It shares cores with runs that began later: see turns.h.
    bool lends_by_turns() const { return lends_cores() && allocation->preempted->turns; }
    bool awaits_turn() const { return is_suspended() && suspension->by_turn; }
    // It is preempted, and is given time to save a checkpoint.
    bool must_save() const {
        return state == JobState::running && allocation->preempted &&
               allocation->preempted->mode == PreemptMode::checkpoint &&
               !allocation->preempted->saved;
    }
    bool is_configuring() const {
        return state == JobState::running && hook == ControllerHook::prolog;
    }
};
static_assert(sizeof(Job) <=
              328);  // The largest part of what a pending job takes; 336 with malloc.

// How long the current run has run, or the last one ran; suspended time does not count.
// REQUIRES: it has started.
Duration ran_for(const Job& job, Time now);
// When its limit ends the run; nullopt: it has none, or stands still. REQUIRES: as above.
std::optional<Time> limit_ends(const Job& job);
// Likewise of a step's own time limit: nullopt while its job stands still, and where it has none.
// REQUIRES: the job runs.
std::optional<Time> limit_ends(const Job& job, const Step& step);

}  // namespace berth
