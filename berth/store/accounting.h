// Accounting records: one per attempt of a job, kept for ever. They name everything, so that they
// stay readable after the configuration has changed. `server` builds the API's rows from them.
#pragma once

#include <optional>
#include <string>
#include <utility>
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

// The most spans that a row keeps of the times in which its run stood still.
inline constexpr std::size_t kStoodStillMax = 64;

struct AccountingRecord {
    JobId job{0};
    Attempt attempt{0};  // The attempt, or, before the start, the next one.
    std::optional<JobId> array_job;
    std::optional<std::uint32_t> array_task;
    std::string array_pending;  // Of an array's own record: the tasks still in it, "0-5,7%2".
    Owner owner;
    std::string name, account, qos, partition, cluster;
    JobState state = JobState::pending;  // While completing: the final state, if known.
    bool completing = false;             // It has ended, but not every node is clean yet.
    // This run is over and the job went back to the queue. `state` then says why the run ended, or
    // is pending if a requeue was merely requested.
    bool requeued = false;
    std::optional<std::uint32_t> cancelled_by;  // uid.
    std::string reason;
    JobRequest request;
    std::uint32_t cpus = 0;  // Allocated CPUs.
    Resources allocated;
    std::vector<std::string> nodes;
    std::optional<Duration> time_limit;  // nullopt: unlimited.
    Time submitted_at{};
    std::optional<Time> eligible_at, started_at, ended_at;
    ExitStatus exit, derived_exit;
    std::int64_t priority = 0;
    std::uint32_t restarts = 0;
    std::string work_dir, submit_line, comment;
    // The script first, then by id. Stored in a table of their own.
    std::vector<AccountedStep> steps;
    // Time suspended between start and end, without the present suspension, which began at
    // suspended_since.
    Duration suspended{};
    std::optional<Time> suspended_since;
    std::optional<HetComponent> het;
    std::string wckey;
    // When it stood still, from and until, as far as that is known: in order, apart from each
    // other, and without the present suspension. Of a list that is full a span may stand for
    // several: it begins with the first and is as long as all. Rows of earlier programs lack the
    // spans, so that `suspended` may be more than their sum.
    std::vector<std::pair<Time, Time>> stood_still;
    std::string admin_comment;
    // A script's files as patterns, with Slurm's defaults; empty: it has none, as a job of srun's.
    std::string std_out, std_err, std_in;
    std::string extra;
    std::string requested_qos;  // As the job named it; empty: it named none.

    BERTH_FIELDS(AccountingRecord, job, attempt, array_job, array_task, array_pending, owner, name,
                 account, qos, partition, cluster, state, completing, requeued, cancelled_by,
                 reason, request, cpus, allocated, nodes, time_limit, submitted_at, eligible_at,
                 started_at, ended_at, exit, derived_exit, priority, restarts, work_dir,
                 submit_line, comment, steps, suspended, suspended_since, het, wckey, stood_still,
                 admin_comment, std_out, std_err, std_in, requested_qos, extra)
};

// Which records are wanted. An empty list matches all.
struct AccountingFilter {
    std::vector<JobId> jobs;  // The id of an array also matches its tasks.
    std::vector<std::string> users, accounts, partitions, names;
    std::vector<JobState> states;
    bool requeued_only = false;       // REQUEUED is not a job state, but can be asked for.
    bool nothing = false;             // Only states that no job is ever in are asked for.
    std::optional<Time> from, until;  // Jobs that were in the system at some time in this interval.
    bool duplicates = false;          // Include earlier attempts.
    std::size_t limit = 1'000'000;
};

// Which runs are wanted of StoreReader::each_run().
struct RunFilter {
    Time from{}, until{};  // Those that waited or ran at some time in this interval.
};

}  // namespace berth
