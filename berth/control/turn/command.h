// Command: a parsed request of a client to the controller. Each is checked against the
// authorization table (authorize.h) before anything else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/event.h"
#include "berth/model/explanation.h"
#include "berth/model/job_change.h"
#include "berth/model/new_node.h"
#include "berth/model/order.h"
#include "berth/model/principal.h"
#include "berth/model/reason.h"
#include "berth/model/reservation_change.h"
#include "berth/model/start_estimate.h"

namespace berth {

// "12", "12_3", "12_[1-3,7]", "12+1": a job, tasks of an array, a component of a heterogeneous job.
struct JobRef {
    JobId job{0};
    std::vector<std::uint32_t> array_tasks;        // Empty: the job; for an array, all its tasks.
    std::optional<std::uint32_t> het_offset = {};  // "12+1"; nullopt: all components.
    friend bool operator==(const JobRef&, const JobRef&) = default;
};

struct SubmitJob {
    JobSpec spec;
    JobPayload payload;
    // The other components of a heterogeneous job; `spec` is the first.
    std::vector<JobSpec> components;
    bool site_set_priority = false;  // Priorities and negative nice values are job_submit.lua's.
};
// Asks when and where the job would start if it were submitted now. Changes nothing.
struct TestJob {
    SubmitJob submission;
};
struct CancelJob {
    JobRef job;
    std::optional<StepId> step;
    std::int32_t signal = 0;  // 0: cancel the job. Otherwise only send this signal.
    bool batch_only = false;  // scancel --batch
    bool whole_job = false;   // scancel --full
    bool only_pending = false, only_running = false;  // scancel --state
};
struct HoldJob {
    JobRef job;
    Hold hold = Hold::user;  // Hold::none releases the job.
};
struct RequeueJob {
    JobRef job;
    bool hold = false, special_exit = false;  // Which implies `hold`.
    bool incomplete = false;                  // Only if the job runs: others are left alone.
};
struct UpdateJob {
    JobRef job;
    JobChange change;
};
enum class NodeAction : std::uint8_t { drain, resume, down, idle, reboot, cancel_reboot };
struct UpdateNode {
    std::string node;
    std::optional<NodeAction> action;
    std::string reason;
    // If not empty, drain and resume concern only these GPUs.
    std::vector<std::uint32_t> gpus = {};
    bool asap = false;       // For reboot: take no new work until it happens.
    bool next_down = false;  // For reboot: stay down afterwards.
    NodeChange change;
};
// Suspends a run or resumes it.
struct SuspendJob {
    JobRef job;
    bool resume = false;
};
// Moves these jobs before the other pending jobs of the same user, partition, account and QOS, in
// the given order.
struct TopJobs {
    std::vector<JobRef> jobs;
};
// Prints a line on the standard error of the job's script, or of the sruns of an interactive job.
struct NotifyJob {
    JobRef job;
    std::string text;
};
// A program of the job says that it has saved a checkpoint.
struct CheckpointJob {
    JobRef job;
};
struct EditPartition {
    std::string name;
    bool is_new = false;
    PartitionChange change;
};
struct DeletePartition {
    std::string name;
};
// Create dynamic nodes; delete one.
struct CreateNodes {
    std::vector<std::string> names;
    NewNode node;
};
struct DeleteNode {
    std::string name;
};
// Creates a step within a running job. `launch` is the part of the LaunchStep that all nodes share;
// the controller adds the task placement.
struct CreateStep {
    JobRef job;
    StepRequest request;
    LaunchStep launch;
    bool truncate_output = false;  // Overrides JobFileAppend.
};
// Gives a running step, or all of a job's, another time limit of its own.
struct UpdateStep {
    JobRef job;
    std::optional<StepId> step;          // nullopt: all that run.
    std::optional<Duration> time_limit;  // nullopt: none but the job's.
};
// Asks for the address and token of the srun of a running step. Changes nothing.
struct AttachStep {
    JobRef job;
    StepId step{0};
};
// The client of an interactive job says that the job is over, and with what exit status.
struct CompleteJob {
    JobRef job;
    ExitStatus exit;
};
// The client of an interactive job is still alive.
struct KeepAlive {
    JobRef job;
};
// Asks why a job waits. Changes nothing.
struct ExplainJob {
    JobRef job;
};
// Sets the recorded usage of associations.
struct SetUsage {
    std::vector<UsageSet::Entry> entries;
};
// Creates, changes or deletes a reservation. On creation the name may be left to the controller.
struct EditReservation {
    std::string name;
    bool is_new = false;
    ReservationChange change;
};
struct DeleteReservation {
    std::string name;
};
struct EditAccounting {
    AccountingEdits edits;
};
// Asks for the hash of the controller's whole durable state. For `berth replay` and tests.
struct HashState {};
// Replaces the configuration in force: all of it, or nothing.
struct Reconfigure {
    // As read from the files. Null before it is read, and if reading failed.
    std::shared_ptr<const ClusterSpec> spec;
    std::string problem;  // Why reading failed; empty otherwise.
};

using Command =
    std::variant<SubmitJob, CancelJob, HoldJob, RequeueJob, UpdateJob, UpdateNode, CreateStep,
                 ExplainJob, HashState, SetUsage, EditReservation, DeleteReservation,
                 EditAccounting, CompleteJob, SuspendJob, TopJobs, NotifyJob, EditPartition,
                 DeletePartition, Reconfigure, KeepAlive, AttachStep, CreateNodes, DeleteNode,
                 TestJob, CheckpointJob, UpdateStep>;

struct Submitted {
    JobId job{0};
    std::vector<std::string> warnings;
};
struct StepPlaced {
    JobId job{0};
    Step step;
    std::vector<std::string> node_names;
    bool append_output = false;  // As the user asked, otherwise as JobFileAppend says.
};
struct StepAttached {
    StepPlaced placed;
    std::string io_address, io_token;
};
struct StateHashed {
    std::uint64_t hash = 0;
    std::uint64_t sequence = 0;
};

struct KeptAlive {
    Duration again_in{};  // When to send the next keepalive.
};
struct ReservationMade {
    std::string name;
};

struct Refused {
    Refusal why = Refusal::invalid_request;
    std::string message;  // For people: what was wrong, what would be right.
    // Lines that Slurm prints before its own ("Memory specification can not be satisfied").
    std::vector<std::string> details;
    std::optional<JobId> job;
};

using Answer = std::variant<Done, Submitted, StepPlaced, Explanation, StateHashed, Refused,
                            ReservationMade, KeptAlive, StepAttached, StartEstimate>;

}  // namespace berth
