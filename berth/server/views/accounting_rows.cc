#include "berth/server/views/accounting_rows.h"

#include "berth/api/job_states.h"
#include "berth/base/text.h"
#include "berth/server/views/asked.h"
#include "berth/server/views/names.h"

namespace berth {
namespace {

std::string state_text(const AccountingRecord& record) {
    if (!record.requeued && record.suspended_since && record.state == JobState::running) {
        return "SUSPENDED";
    }
    if (!record.requeued) return std::string(slurm_name(record.state));
    // A run that went back to the queue: why it ended, where there is more to say than that.
    if (record.state == JobState::pending) return "REQUEUED";
    return std::string(slurm_name(record.state));
}

api::StepRow step_row_of(const ClusterSpec& spec, JobId job, const AccountedStep& step) {
    const Tres tres{.cpus = step.cpus,
                    .memory = step.allocated.memory(),
                    .nodes = static_cast<std::int64_t>(step.nodes.size()),
                    .billing = false,
                    .gres = step.allocated};
    return {.job = job,
            .id = step.id,
            .name = step.name,
            .state = std::string(slurm_name(step.state)),
            .tasks = step.tasks,
            .cpus = step.cpus,
            .nodes = step.nodes,
            .tres = tres_text(spec, tres, TresOrder::by_name),
            .started_at = step.started_at,
            .ended_at = step.ended_at,
            .exit = step.exit,
            .used = step.used};
}

}  // namespace

// The partition may be gone: then its defaults are no part of what was asked.
Asked asked_of_record(const ClusterSpec& spec, const AccountingRecord& record) {
    static const PartitionSpec unknown;
    Job job;
    job.spec.request = record.request;
    if (const auto partition = spec.find_partition(record.partition)) {
        job.partition = *partition;
        return asked_of(spec, job);
    }
    ClusterSpec bare;
    bare.dimensions = spec.dimensions;
    bare.partitions.push_back(unknown);
    return asked_of(bare, job);
}

namespace {

void set_amounts(api::AccountingRow& row, const ClusterSpec& spec, const AccountingRecord& record) {
    const Asked asked = asked_of_record(spec, record);
    row.requested_cpus = asked.cpus;
    row.requested_nodes = asked.nodes;
    row.tasks = asked.tasks;
    row.requested_tres = tres_text(spec, asked.tres, TresOrder::by_name);
    row.allocated_cpus = record.cpus;
    row.nodes = record.nodes;
    const auto nodes = static_cast<std::int64_t>(record.nodes.size());
    const auto partition = spec.find_partition(record.partition);
    row.allocated_tres = tres_text(
        spec,
        {.cpus = record.cpus,
         .memory = record.allocated.memory(),
         .nodes = nodes,
         .billed = partition ? billed_in(spec, *partition, nodes, record.allocated) : std::nullopt,
         .gres = record.allocated},
        TresOrder::by_name);
}

}  // namespace

api::AccountingRow accounting_row(const ClusterSpec& spec, const AccountingRecord& record) {
    api::AccountingRow row;
    row.job = record.job;
    row.array_job = record.array_job;
    row.array_task = record.array_task;
    row.het = record.het;
    row.array_pending = record.array_pending;
    row.attempt = record.attempt.value();
    row.owner = record.owner;
    row.name = record.name;
    row.account = record.account;
    row.qos = record.qos;
    row.partition = record.partition;
    row.cluster = record.cluster;
    row.state = state_text(record);
    row.cancelled_by = record.cancelled_by;
    row.reason = record.reason;
    set_amounts(row, spec, record);
    row.time_limit = record.time_limit;
    row.submitted_at = record.submitted_at;
    row.eligible_at = record.eligible_at;
    row.started_at = record.started_at;
    row.ended_at = record.ended_at;
    row.exit = record.exit;
    row.derived_exit = record.derived_exit;
    row.priority = record.priority;
    row.work_dir = record.work_dir;
    row.submit_line = record.submit_line;
    row.comment = record.comment;
    row.constraints = record.request.constraint;
    row.reservation = record.request.reservation;
    row.wckey = record.wckey;
    row.admin_comment = record.admin_comment;
    row.extra = record.extra;
    row.std_out = record.std_out;
    row.std_err = record.std_err;
    row.std_in = record.std_in;
    row.requested_qos = record.requested_qos;
    row.licenses = to_text(record.request.licenses);
    row.segment = record.request.nearness->segment;
    row.suspended = record.suspended;
    row.suspended_since = record.suspended_since;
    for (const AccountedStep& step : record.steps)
        row.steps.push_back(step_row_of(spec, record.job, step));
    return row;
}

Result<AccountingFilter> accounting_filter(const api::AccountingQuery& query) {
    AccountingFilter filter;
    filter.jobs = query.jobs;
    filter.users = query.users;
    filter.accounts = query.accounts;
    filter.partitions = query.partitions;
    filter.names = query.names;
    filter.from = query.from;
    filter.until = query.until;
    filter.duplicates = query.duplicates;
    for (const std::string& name : query.states) {
        if (iequals(name, "REQUEUED")) {
            filter.requeued_only = true;
        } else if (api::has_no_jobs(name) || iequals(name, "SPECIAL_EXIT")) {
            continue;
        } else if (const auto state = job_state_of(name)) {
            filter.states.push_back(*state);
        } else {
            return Error{ErrorCode::invalid_argument, "query: there is no job state " + name};
        }
    }
    filter.nothing = !query.states.empty() && filter.states.empty() && !filter.requeued_only;
    return filter;
}

}  // namespace berth
