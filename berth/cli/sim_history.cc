#include "berth/cli/sim_history.h"

#include "berth/base/text.h"
#include "berth/store/reader.h"

namespace berth::cli {
namespace {

// Of `each` so many; typed only if all are of one type.
void add_gpus_asked(const std::vector<GresRequest>& requests, std::int64_t each,
                    workload::TraceJob& job) {
    for (const GresRequest& one : requests) {
        if (one.name != "gpu") continue;
        job.gpus += one.count * each;
        if (!one.type.empty()) job.gpu_types = {to_lower(one.type)};
    }
}

workload::TraceJob job_of(const AccountingRecord& record) {
    workload::TraceJob job;
    const JobRequest& request = record.request;
    job.number = record.job.value();
    job.submit = record.submitted_at.time_since_epoch();
    job.run_time = *record.ended_at - *record.started_at;
    job.limit = record.time_limit;
    const auto nodes = static_cast<std::int64_t>(request.nodes_min);
    add_gpus_asked(request.gpus, 1, job);
    add_gpus_asked(request.gpus_per_node, nodes, job);
    add_gpus_asked(request.gres_per_node, nodes, job);
    add_gpus_asked(request.gpus_per_task, request.tasks.value_or(1), job);
    if (record.cpus > 0) job.cpu_milli = std::int64_t{record.cpus} * 1000;
    if (request.memory_per_node) job.memory = *request.memory_per_node * nodes;
    if (request.memory_per_cpu) job.memory = *request.memory_per_cpu * record.cpus;
    if (request.nodes_given) job.nodes = request.nodes_min;
    job.user = record.owner.user;
    job.account = record.account;
    job.name = record.name;
    job.partition = record.partition;
    job.qos = record.qos;
    // What kept it back: a begin time, a hold, jobs that it depended on.
    if (record.eligible_at && *record.eligible_at - record.submitted_at > std::chrono::seconds(1)) {
        job.delay = *record.eligible_at - record.submitted_at;
    }
    JobRequest asked = request;
    asked.reservation.clear();  // Accounting has its name alone.
    job.request = std::move(asked);
    job.outcome = record.state == JobState::completed   ? workload::Outcome::completed
                  : record.state == JobState::cancelled ? workload::Outcome::cancelled
                                                        : workload::Outcome::failed;
    return job;
}

}  // namespace

workload::Workload workload_of(const std::vector<AccountingRecord>& records) {
    workload::Workload workload;
    workload.begin = 0;
    for (const AccountingRecord& record : records) {
        ++workload.rows;
        if (!is_final(record.state) || !record.started_at || !record.ended_at || record.requeued) {
            ++workload.skipped;
            continue;
        }
        workload.jobs.push_back(job_of(record));
    }
    workload::finish(workload);
    return workload;
}

Result<workload::Workload> read_history(const std::string& directory) {
    BERTH_TRY(StoreReader reader, StoreReader::open(directory));
    constexpr std::size_t kMost = 10'000'000;
    BERTH_TRY(const AccountingAnswer answer, reader.accounting({.limit = kMost}));
    if (answer.more) {
        return Error{ErrorCode::resource_exhausted, "the history has more than 10 000 000 runs"};
    }
    workload::Workload workload = workload_of(answer.records);
    if (workload.jobs.empty()) {
        return Error{ErrorCode::failed_precondition,
                     "the history in " + directory + " has no job that ran to its end"};
    }
    return workload;
}

}  // namespace berth::cli
