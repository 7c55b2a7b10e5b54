// What accounting keeps of a job: one record per attempt, for ever. All by name, so that it still
// reads when the configuration has changed. `server` makes the API's rows of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/model/job.h"
#include "berth/model/step_totals.h"

namespace berth {

struct AccountedStep {
    StepId id{0};  // kBatchStep: the script itself.
    std::string name;
    StepState state = StepState::running;
    std::uint32_t tasks = 1, cpus = 0;
    std::vector<std::string> nodes;
    Resources allocated;
    Time started_at{};
    std::optional<Time> ended_at;
    ExitStatus exit;
    std::optional<StepTotals> used;  // Of the nodes that measured it.

    BERTH_FIELDS(AccountedStep, id, name, state, tasks, cpus, nodes, allocated, started_at,
                 ended_at, exit, used)
};

struct AccountingRecord {
    JobId job{0};
    Attempt attempt{0};  // The run it is about, or (not started yet) the run it will be.
    std::optional<JobId> array_job;
    std::optional<std::uint32_t> array_task;
    std::string array_pending;  // Of an array's own record: the tasks still in it, "0-5,7%2".
    Owner owner;
    std::string name, account, qos, partition, cluster;
    JobState state = JobState::pending;  // While completing: the end to come, where it is known.
    bool completing = false;             // It has ended, but not every node is clean yet.
    bool requeued = false;  // This run is over and the job went back to the queue. state: why, or
                            // pending where it was only asked to.
    std::optional<std::uint32_t> cancelled_by;  // uid.
    std::string reason;
    JobRequest request;
    std::uint32_t cpus = 0;  // Held.
    Resources allocated;
    std::vector<std::string> nodes;
    std::optional<Duration> time_limit;  // nullopt: none.
    Time submitted_at{};
    std::optional<Time> eligible_at, started_at, ended_at;
    ExitStatus exit, derived_exit;
    std::int64_t priority = 0;
    std::uint32_t restarts = 0;
    std::string work_dir, submit_line, comment;
    std::vector<AccountedStep> steps;  // The script first, then by id. Stored beside, not within.
    Duration suspended{};              // Of the time between start and end …
    std::optional<Time> suspended_since;  // … and, while it stands still, since then besides.
    std::optional<HetComponent> het;

    BERTH_FIELDS(AccountingRecord, job, attempt, array_job, array_task, array_pending, owner, name,
                 account, qos, partition, cluster, state, completing, requeued, cancelled_by,
                 reason, request, cpus, allocated, nodes, time_limit, submitted_at, eligible_at,
                 started_at, ended_at, exit, derived_exit, priority, restarts, work_dir,
                 submit_line, comment, steps, suspended, suspended_since, het)
};

// Which records are wanted. An empty list asks for all.
struct AccountingFilter {
    std::vector<JobId> jobs;  // An array's id means its tasks too.
    std::vector<std::string> users, accounts, partitions, names;
    std::vector<JobState> states;
    bool requeued_only = false;       // REQUEUED is no state of a job, but may be asked for.
    std::optional<Time> from, until;  // Those that were in the system at some time between the two.
    bool duplicates = false;          // Earlier attempts too.
    std::size_t limit = 1'000'000;
};

}  // namespace berth
