// Command: what a client may ask of the controller, already parsed. Each is checked against the one
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

namespace berth {

// "12", "12_3", "12_[1-3,7]", "12+1": a job, tasks of an array, a component of a heterogeneous job.
struct JobRef {
    JobId job{0};
    std::vector<std::uint32_t> array_tasks;  // Empty: the job itself; for an array: all of it.
    std::optional<std::uint32_t> het_offset = {};  // "12+1"; none: all components.
    friend bool operator==(const JobRef&, const JobRef&) = default;
};

struct SubmitJob {
    JobSpec spec;
    JobPayload payload;
    std::vector<JobSpec> components;  // The others of a heterogeneous job; `spec` is the first.
};
struct CancelJob {
    JobRef job;
    std::optional<StepId> step;
    std::int32_t signal = 0;                          // 0: end it. Otherwise only send this signal.
    bool batch_only = false;                          // scancel --batch
    bool whole_job = false;                           // scancel --full
    bool only_pending = false, only_running = false;  // scancel --state
};
struct HoldJob {
    JobRef job;
    Hold hold = Hold::user;  // none: release.
};
struct RequeueJob {
    JobRef job;
    bool hold = false;
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
    std::vector<std::uint32_t> gpus = {};  // Not empty: drain and resume are about these alone.
    bool asap = false;                     // A reboot: no new work until then.
    bool next_down = false;                // Likewise: it stays down when it is back.
    NodeChange change;
};
// Stops a run where it is, or lets it go on.
struct SuspendJob {
    JobRef job;
    bool resume = false;
};
// Before the other jobs of their user that wait in the same partition, account and QOS; the first
// one first.
struct TopJobs {
    std::vector<JobRef> jobs;
};
// A line for the standard error of its script, or of the sruns that an interactive job runs.
struct NotifyJob {
    JobRef job;
    std::string text;
};
struct EditPartition {
    std::string name;
    bool is_new = false;
    PartitionChange change;
};
struct DeletePartition {
    std::string name;
};
// Nodes that no configuration names; and one of those taken out again.
struct CreateNodes {
    std::vector<std::string> names;
    NewNode node;
};
struct DeleteNode {
    std::string name;
};
// A step within a running job. `launch` is what each node's LaunchStep has in common; the
// controller adds where the tasks go.
struct CreateStep {
    JobRef job;
    StepRequest request;
    LaunchStep launch;
    bool truncate_output = false;  // Whatever JobFileAppend says.
};
// Where the srun of a running step listens, and its token. Changes nothing.
struct AttachStep {
    JobRef job;
    StepId step{0};
};
// Its client says that an interactive job is over, and with what exit status.
struct CompleteJob {
    JobRef job;
    ExitStatus exit;
};
// The client of an interactive job is still there.
struct KeepAlive {
    JobRef job;
};
// Answers why a job waits, with numbers. Changes nothing.
struct ExplainJob {
    JobRef job;
};
// What associations have used, from here on.
struct SetUsage {
    std::vector<UsageSet::Entry> entries;
};
// A reservation made, changed or deleted. Making one may leave the name to the controller.
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
// Asks for the hash of the controller's whole durable state, for `berth replay` and tests.
struct HashState {};
// Another configuration takes the place of the one in force: all of it, or nothing.
struct Reconfigure {
    std::shared_ptr<const ClusterSpec> spec;  // As it was read; null while nobody has read it, or …
    std::string problem;                      // … what is wrong with it.
};

using Command =
    std::variant<SubmitJob, CancelJob, HoldJob, RequeueJob, UpdateJob, UpdateNode, CreateStep,
                 ExplainJob, HashState, SetUsage, EditReservation, DeleteReservation,
                 EditAccounting, CompleteJob, SuspendJob, TopJobs, NotifyJob, EditPartition,
                 DeletePartition, Reconfigure, KeepAlive, AttachStep, CreateNodes, DeleteNode>;

struct Submitted {
    JobId job{0};
    std::vector<std::string> warnings;
};
struct StepPlaced {
    JobId job{0};
    Step step;
    std::vector<std::string> node_names;
    bool append_output = false;  // To its files, as the user or else JobFileAppend says.
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
    Duration again_in{};  // When to say so again.
};
struct ReservationMade {
    std::string name;
};

struct Refused {
    Refusal why = Refusal::invalid_request;
    std::string message;               // For a person: what was wrong, what would be right.
    std::vector<std::string> details;  // Lines that Slurm prints before its own ("Memory
                                       // specification can not be satisfied").
    std::optional<JobId> job;
};

using Answer = std::variant<Done, Submitted, StepPlaced, Explanation, StateHashed, Refused,
                            ReservationMade, KeptAlive, StepAttached>;

}  // namespace berth
