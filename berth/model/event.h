// Event: something that happened outside. Decision: something Berth wants done. Both are facts once
// recorded: the journal holds them in order, and applying them again rebuilds the state without
// asking any policy. Only engine's `apply` turns them into state.
#pragma once

#include <variant>

#include "berth/base/fields.h"
#include "berth/model/accounting_edits.h"
#include "berth/model/cluster_edits.h"
#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"
#include "berth/model/reservation.h"
#include "berth/model/run_usage.h"

namespace berth {

// ---- Events ----

// A controller took office (at each start). Orders and records carry its epoch.
struct ControllerStarted {
    Epoch epoch{0};
    BERTH_FIELDS(ControllerStarted, epoch)
};
// The configuration in force from here on; the first record of every journal holds one. Ids that an
// earlier one gave keep their meaning: see engine's keep_ids().
struct SpecInstalled {
    ClusterSpec spec;
    BERTH_FIELDS(SpecInstalled, spec)
};
struct NodeRegistered {  // With its whole inventory, reconciled by control into the other events.
    NodeId node{0};
    std::string boot_id;
    std::optional<Time> booted_at;
    Time agent_started_at{};
    std::string agent_version, os, arch;
    BERTH_FIELDS(NodeRegistered, node, boot_id, booted_at, agent_started_at, agent_version, os,
                 arch)
};
struct NodeNotResponding {  // Nothing heard for the agent timeout. Unschedulable; nothing is given
                            // away.
    NodeId node{0};
    BERTH_FIELDS(NodeNotResponding, node)
};
struct NodeUpdated {  // By an administrator, or by a fault found.
    NodeId node{0};
    std::optional<bool> drained;
    std::optional<bool> down;
    std::string reason, by;
    std::optional<NodeReboot> reboot;  // Asked for, begun, or over.
    BERTH_FIELDS(NodeUpdated, node, drained, down, reason, by, reboot)
};
struct JobSubmitted {
    Job job;  // As admitted: state pending (or held), partition, QOS and limit resolved.
    BERTH_FIELDS(JobSubmitted, job)
};
struct JobUpdated {  // Whatever is present is changed.
    JobId job{0};
    std::optional<Duration> time_limit;
    std::optional<PartitionId> partition;
    std::optional<std::vector<std::string>> nodelist;
    std::optional<std::uint32_t> priority;  // Set by hand. 0 holds.
    std::optional<std::int64_t> nice;
    std::optional<QosId> qos;
    std::optional<std::string> name, comment;
    std::optional<Time> begin;
    std::optional<std::vector<Dependency>> dependencies;
    std::optional<std::uint32_t> array_max_running;
    bool by_operator = false;  // Whose hold a priority of 0 is.
    std::optional<std::int64_t> site_factor;
    std::optional<JobRequest> request;  // All of it, with what has changed in it.
    std::optional<Time> deadline;
    std::optional<Duration> time_min;
    std::optional<std::uint32_t> mail_types;
    std::optional<std::string> mail_user;
    std::optional<bool> any_dependency;
    std::optional<bool> requeue;
    std::optional<std::string> partitions;  // Several, as JobSpec has them; `partition` is of them.
    std::optional<std::string> std_out;
    std::optional<std::string> work_dir, wckey, account, admin_comment, std_err, std_in, extra;
    BERTH_FIELDS(JobUpdated, job, time_limit, partition, nodelist, priority, nice, qos, name,
                 comment, begin, dependencies, array_max_running, by_operator, site_factor, request,
                 deadline, time_min, mail_types, mail_user, any_dependency, requeue, partitions,
                 std_out, work_dir, wckey, account, admin_comment, std_err, std_in, extra)
};
struct JobHeld {
    JobId job{0};
    Hold hold = Hold::user;  // none: released.
    BERTH_FIELDS(JobHeld, job, hold)
};
// A pending job (or pending tasks of an array record) was cancelled. Running ones end by EndJob.
struct JobCancelled {
    JobId job{0};
    std::vector<std::uint32_t> array_tasks;  // Empty: the whole record.
    std::uint32_t by_uid = 0;
    std::string reason;  // Of a cycle's decision; empty: a user cancelled it.
    BERTH_FIELDS(JobCancelled, job, array_tasks, by_uid, reason)
};
// One node is done with an attempt: nothing of it runs there, its cgroup is empty (or the node was
// rebooted, or it was never launched and never will be).
struct AttemptEnded {
    JobId job{0};
    Attempt attempt{0};
    NodeId node{0};
    std::optional<ExitStatus> batch_exit;  // On the batch host, where the script ran to its end.
    bool out_of_memory = false;
    bool lost = false;   // The node was rebooted under it, or could not launch it.
    std::string reason;  // What went wrong with the launch; with batch_exit: with its files.
    std::optional<RunUsage> usage;  // Of the script. For accounting alone.
    std::optional<Time> ended_at;   // Of a script that ended before its node was told to end it.
    BERTH_FIELDS(AttemptEnded, job, attempt, node, batch_exit, out_of_memory, lost, reason, usage,
                 ended_at)
};
struct StepCreated {
    JobId job{0};
    Attempt attempt{0};
    Step step;
    BERTH_FIELDS(StepCreated, job, attempt, step)
};
struct StepEnded {  // On one node.
    JobId job{0};
    Attempt attempt{0};
    StepId step{0};
    NodeId node{0};
    ExitStatus exit;
    bool out_of_memory = false;
    std::optional<RunUsage> usage;  // Of its tasks there. For accounting alone.
    BERTH_FIELDS(StepEnded, job, attempt, step, node, exit, out_of_memory, usage)
};
struct JobForgotten {  // A final job older than min_job_age leaves the state; accounting keeps it.
    JobId job{0};
    BERTH_FIELDS(JobForgotten, job)
};

// ---- Decisions ----

struct StartJob {
    JobId job{0};                             // For an array record: the array; see array_task.
    std::optional<std::uint32_t> array_task;  // The task that starts …
    std::optional<JobId>
        task_job;  // … and the id of its own record (its array's own id for the last one).
    Attempt attempt{0};
    Allocation allocation;
    std::int64_t priority = 0;           // That it had when it started.
    std::optional<Duration> time_limit;  // Less than asked for, as --time-min allows.
    bool in_turns = false;  // It shares cores with runs that are there, and waits for its turn.
    BERTH_FIELDS(StartJob, job, array_task, task_job, attempt, allocation, priority, time_limit,
                 in_turns)
};
// The run must end: time limit, cancel, requeue, lost node. The job is `completing` until every
// node is clean. A job that is final already goes back to the queue at once, if that is the
// outcome.
struct EndJob {
    JobId job{0};
    JobState outcome = JobState::cancelled;  // pending: back to the queue.
    Hold hold = Hold::none;                  // With outcome pending: requeued and held.
    std::string reason;
    std::uint32_t by_uid = 0;
    std::optional<ExitStatus> exit;       // Of an interactive job, from its client.
    std::vector<std::string> refused_by;  // Nodes that could not begin it, by name.
    std::optional<JobId> preempted_by;
    BERTH_FIELDS(EndJob, job, outcome, hold, reason, by_uid, exit, refused_by, preempted_by)
};
struct PlanJob {  // A promise made, moved earlier, or (nullopt) withdrawn.
    JobId job{0};
    std::optional<PlannedStart> planned;
    // Its place is lost, and with it that for which it has preempted: it may choose other runs.
    bool chooses_anew = false;
    BERTH_FIELDS(PlanJob, job, planned, chooses_anew)
};
struct DependencyFailed {  // Can never be satisfied any more.
    JobId job{0};
    BERTH_FIELDS(DependencyFailed, job)
};
struct JobEligible {  // Begin time, hold and dependencies are out of the way: its age counts from
                      // here.
    JobId job{0};
    BERTH_FIELDS(JobEligible, job)
};
// What associations have used, as an administrator says: brought along from another scheduler, or
// forgiven.
struct UsageSet {
    struct Entry {
        std::string account, user;
        std::int64_t billing = 0;  // Weighted TRES-seconds: Slurm's RawUsage.
        BERTH_FIELDS(Entry, account, user, billing)
    };
    std::vector<Entry> entries;
    std::uint32_t by_uid = 0;
    BERTH_FIELDS(UsageSet, entries, by_uid)
};
// A pending job can no longer end by its deadline.
struct DeadlineMissed {
    JobId job{0};
    BERTH_FIELDS(DeadlineMissed, job)
};

// A task that has not started leaves its array's record, which keeps others, for one of its own.
struct TaskSplit {
    JobId array{0};
    std::uint32_t task = 0;
    JobId task_job{0};
    BERTH_FIELDS(TaskSplit, array, task, task_job)
};

// What a cycle says of many jobs at once: the same as one PlanJob, one JobEligible for each.
struct JobsPlanned {
    std::vector<std::pair<JobId, std::optional<PlannedStart>>> jobs;
    BERTH_FIELDS(JobsPlanned, jobs)
};
struct JobsEligible {
    std::vector<JobId> jobs;
    BERTH_FIELDS(JobsEligible, jobs)
};

// ---- What administrators declare while the cluster runs.

// A reservation made or changed, or come to its next occurrence: as it is from here on.
struct ReservationSet {
    Reservation reservation;
    BERTH_FIELDS(ReservationSet, reservation)
};
// By an administrator, or because its time is over.
struct ReservationDeleted {
    std::string name;
    BERTH_FIELDS(ReservationDeleted, name)
};
// Accounts, their users and QOS as `sacctmgr` wants them: made, or as they are from here on. They
// stand above what the configuration says of the same.
struct AccountingEdited {
    AccountingEdits edits;
    BERTH_FIELDS(AccountingEdited, edits)
};

// The run gets the signal that it asked for some time before its end.
struct JobWarned {
    JobId job{0};
    Attempt attempt{0};
    BERTH_FIELDS(JobWarned, job, attempt)
};

// The site's fence was asked to switch a silent node off, and says how that went.
struct NodeFenced {
    NodeId node{0};
    std::string boot_id;  // Which boot is over, where it is.
    std::string failure;  // Empty: nothing of that boot runs any more.
    BERTH_FIELDS(NodeFenced, node, boot_id, failure)
};
// Devices of a node that no new job is given, or that are given out again.
struct DevicesDrained {
    NodeId node{0};
    DeviceMask devices = 0;
    bool drained = true;
    std::string reason, by;
    std::string instance;      // Of the agent that saw the fault, where one did …
    std::uint64_t number = 0;  // … and which it was: it is not acted upon twice.
    BERTH_FIELDS(DevicesDrained, node, devices, drained, reason, by, instance, number)
};
// The run stands still on all its nodes, and keeps what it holds; or it goes on.
struct JobSuspended {
    JobId job{0};
    Attempt attempt{0};
    bool in_force = true;
    std::uint32_t by_uid = 0;
    bool turn = false;  // The turn of the run is over, or has come.
    BERTH_FIELDS(JobSuspended, job, attempt, in_force, by_uid, turn)
};
// Partitions and nodes as `scontrol create|update|delete` wants them, above what the configuration
// says.
struct ClusterEdited {
    ClusterEdits edits;
    BERTH_FIELDS(ClusterEdited, edits)
};

// The run has come near its time limit, and who wanted to know is told: at most once.
struct JobNoticed {
    JobId job{0};
    Attempt attempt{0};
    std::uint8_t limit_notices = 0;  // As Job's: besides those it had.
    BERTH_FIELDS(JobNoticed, job, attempt, limit_notices)
};
// The site's programs on the controller's host are over for this run.
struct ControllerHookEnded {
    JobId job{0};
    Attempt attempt{0};
    ControllerHook hook = ControllerHook::none;
    std::string failure;  // Empty: all ended well.
    BERTH_FIELDS(ControllerHookEnded, job, attempt, hook, failure)
};
// A node that no file names was made, or is as it says now, or (`gone`) is no more. Its devices and
// amounts are in these dimensions, which begin as the cluster's do.
struct NodeDescribed {
    NodeSpec node;
    Dimensions dimensions;
    BERTH_FIELDS(NodeDescribed, node, dimensions)
};

// These runs must end, or stand still, so that a job ahead of them starts: at once, or when their
// grace time is over. Until they have, the room that they leave is that job's, and it does not
// choose others.
struct JobsPreempted {
    struct Victim {
        JobId job{0};
        Attempt attempt{0};
        PreemptMode mode = PreemptMode::cancel;
        Time ends_at{};
        BERTH_FIELDS(Victim, job, attempt, mode, ends_at)
    };
    JobId preemptor{0};
    std::vector<Victim> victims;
    // For a task of an array that has others: it gets its own record, which is the preemptor's.
    std::optional<JobId> array;
    std::uint32_t array_task = 0;
    BERTH_FIELDS(JobsPreempted, preemptor, victims, array, array_task)
};

// Every node of a run that lends its cores has said that nothing of it runs: they may be used. Of a
// run that went on without that: every node has carried out this order, so they may be asked again.
struct JobFrozen {
    JobId job{0};
    Attempt attempt{0};
    std::uint32_t change = 0;  // Of its Suspension.
    BERTH_FIELDS(JobFrozen, job, attempt, change)
};

// A cycle moves a pending job to another of the partitions that it names, or to another flavor of
// its queue, where it can start earlier or at all. It gives up its planned start.
struct JobMoved {
    JobId job{0};
    PartitionId partition{0};
    Duration time_limit{};  // In force there.
    FlavorChoice flavor;
    BERTH_FIELDS(JobMoved, job, partition, time_limit, flavor)
};

// The run has saved a checkpoint. What it does from here on is all that its end would lose; if it
// is preempted and was given time for this, it ends.
struct CheckpointSeen {
    JobId job{0};
    Attempt attempt{0};
    BERTH_FIELDS(CheckpointSeen, job, attempt)
};

// A running step has another time limit of its own from here on.
struct StepUpdated {
    JobId job{0};
    Attempt attempt{0};
    StepId step{0};
    std::optional<Duration> time_limit;  // nullopt: none but the job's.
    BERTH_FIELDS(StepUpdated, job, attempt, step, time_limit)
};
// The time limit of a running step is over: its nodes are to end it.
struct StepTimedOut {
    JobId job{0};
    Attempt attempt{0};
    StepId step{0};
    BERTH_FIELDS(StepTimedOut, job, attempt, step)
};

using Fact =
    std::variant<ControllerStarted, SpecInstalled, NodeRegistered, NodeNotResponding, NodeUpdated,
                 JobSubmitted, JobUpdated, JobHeld, JobCancelled, AttemptEnded, StepCreated,
                 StepEnded, JobForgotten, StartJob, EndJob, PlanJob, DependencyFailed, JobEligible,
                 UsageSet, TaskSplit, JobsPlanned, JobsEligible, DeadlineMissed, ReservationSet,
                 ReservationDeleted, AccountingEdited, JobWarned, NodeFenced, DevicesDrained,
                 JobSuspended, ClusterEdited, JobNoticed, ControllerHookEnded, NodeDescribed,
                 JobsPreempted, JobFrozen, JobMoved, CheckpointSeen, StepUpdated, StepTimedOut>;

// One entry of the journal: what one turn of the controller's loop recorded, all at one time.
struct Record {
    std::uint64_t sequence = 0;  // From 1, without gaps.
    Epoch epoch{0};
    Time now{};
    std::vector<Fact> facts;
    std::vector<std::pair<JobId, JobPayload>> payloads;  // Of the jobs submitted in this record.
    BERTH_FIELDS(Record, sequence, epoch, now, facts, payloads)
};

}  // namespace berth
