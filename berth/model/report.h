// Report: what an agent tells the controller. Reports of ends come from the agent's durable spool
// and are repeated until acknowledged; each report may arrive twice, late, or out of order.
#pragma once

#include <variant>

#include "berth/model/event.h"
#include "berth/model/gpu_fault.h"
#include "berth/model/gpu_reading.h"
#include "berth/model/new_node.h"
#include "berth/model/order.h"

namespace berth {

// That nothing of a run has begun on a node and nothing will, and why.
enum class NotBegun : std::uint8_t {
    unknown,   // Something of it may have run.
    for_job,   // The node does not have what this job asks for: its user, an account.
    for_node,  // The node lacks what every job needs: disk, inodes, descriptors, memory, a cgroup,
               // its launcher.
};

// One attempt as a node knows it.
struct AttemptReport {
    JobId job{0};
    Attempt attempt{0};
    bool live = true;  // False: ended, and in the spool.
    std::optional<ExitStatus> batch_exit;
    bool out_of_memory = false;
    bool never_ran = false;  // A tombstone's answer: it was not launched and never will be.
    NotBegun not_begun = NotBegun::unknown;  // Of a launch that failed.
    std::string failure;  // A launch that failed, and why; with batch_exit: why that is.
    std::vector<StepId> live_steps;
    Hook failed_hook = Hook::none;  // The node is then to be looked at.
    std::string hook_failure;       // How.
    std::optional<RunUsage> usage;  // Of the script, once it has ended.
    // When the script ended, by the node's clock. Set only if it ended before the node was told to
    // end it.
    std::optional<Time> ended_at;
    bool checkpointed = false;  // Of one that was warned: see AttemptCheckpointed.
    BERTH_FIELDS(AttemptReport, job, attempt, live, batch_exit, out_of_memory, never_ran, failure,
                 live_steps, failed_hook, hook_failure, usage, not_begun, ended_at, checkpointed)
};

struct StepReport {
    JobId job{0};
    Attempt attempt{0};
    StepId step{0};
    ExitStatus exit;
    bool out_of_memory = false;
    std::string failure;
    std::optional<RunUsage> usage;
    BERTH_FIELDS(StepReport, job, attempt, step, exit, out_of_memory, failure, usage)
};

// The first report of every connection: the node's whole inventory at once, never in parts.
struct Registration {
    std::string node;  // Its name.
    std::string boot_id;
    std::uint64_t session =
        0;                 // Goes up with each registration of this node; orders carry it back.
    std::string instance;  // One per agent process: two agents with one name are told apart by it.
    std::optional<Time> booted_at;
    Time agent_started_at{};
    std::string version, os;
    NodeSpec found;                       // What is really there: cores, memory, devices.
    std::vector<AttemptReport> attempts;  // All live ones and all ends not yet acknowledged.
    std::vector<StepReport> ended_steps;
    Epoch highest_epoch{0};        // It has taken orders of.
    std::string arch;              // "x86_64"
    std::vector<GpuFault> faults;  // All that this process has seen.
    // It may be configured nowhere, and joins as this. Said until it has been welcomed once.
    std::optional<JoiningNode> joins;
    std::vector<JobId> tombstones;  // Jobs of which it remembers ended attempts: see Welcome::over.
    BERTH_FIELDS(Registration, node, boot_id, session, instance, booted_at, agent_started_at,
                 version, os, found, attempts, ended_steps, highest_epoch, arch, faults, joins,
                 tombstones)
};
struct Heartbeat {
    std::vector<GpuReading> gpus;  // Those of which something was read since the last one.
    BERTH_FIELDS(Heartbeat, gpus)
};
struct AttemptStarted {  // Its cgroups stand; on the batch host the script is running.
    JobId job{0};
    Attempt attempt{0};
    BERTH_FIELDS(AttemptStarted, job, attempt)
};
struct StepStarted {
    JobId job{0};
    Attempt attempt{0};
    StepId step{0};
    BERTH_FIELDS(StepStarted, job, attempt, step)
};
struct GpusFaulted {  // Of late; the next registration has them again.
    std::vector<GpuFault> faults;
    BERTH_FIELDS(GpusFaulted, faults)
};
struct UsageSampled {  // Of all that runs here.
    std::vector<StepUsage> runs;
    BERTH_FIELDS(UsageSampled, runs)
};
struct NodeProgramEnded {  // Said once: nothing waits for it.
    NodeProgram program = NodeProgram::health_check;
    std::string failure;  // Empty: it ended well.
    BERTH_FIELDS(NodeProgramEnded, program, failure)
};

struct AttemptFrozen {  // The order of that number is carried out.
    JobId job{0};
    Attempt attempt{0};
    std::uint32_t change = 0;
    bool proved = false;  // The node has said so. Older agents tell what they have only asked for.
    BERTH_FIELDS(AttemptFrozen, job, attempt, change, proved)
};

struct AttemptCheckpointed {  // It has saved its checkpoint since it was warned.
    JobId job{0};
    Attempt attempt{0};
    BERTH_FIELDS(AttemptCheckpointed, job, attempt)
};

// Processes of it have lived on for its `unkillable_wait` after SIGKILL. Said again for as long.
struct AttemptUnkillable {
    JobId job{0};
    Attempt attempt{0};
    BERTH_FIELDS(AttemptUnkillable, job, attempt)
};

using ReportBody = std::variant<Registration, Heartbeat, AttemptStarted, StepStarted, AttemptReport,
                                StepReport, GpusFaulted, UsageSampled, NodeProgramEnded,
                                AttemptFrozen, AttemptCheckpointed, AttemptUnkillable>;

struct Report {
    std::string boot_id;
    std::uint64_t session = 0;
    ReportBody body;
    BERTH_FIELDS(Report, boot_id, session, body)
};

}  // namespace berth
