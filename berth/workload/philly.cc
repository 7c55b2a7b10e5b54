// Philly (Jeon et al., ATC '19), as ElasticFlow ships it: one row a job with its submission, its
// run time in seconds, its GPUs, and its virtual cluster, which is the account here.
#include <array>

#include "berth/workload/formats.h"
#include "berth/workload/table.h"
#include "berth/workload/values.h"

namespace berth::workload {
namespace {

constexpr std::int64_t kGpusMax = 100'000;

Result<TraceJob> read_row(const Table& table) {
    if (!table.is_whole()) {
        return Error{ErrorCode::invalid_argument, "has " + std::to_string(table.fields()) +
                                                      " fields; the header has " +
                                                      std::to_string(table.columns())};
    }
    BERTH_TRY(const Time submit, parse_moment(table.field("timestamp")));
    BERTH_TRY(const Duration run_time, parse_seconds(table.field("duration")));
    BERTH_TRY(const std::int64_t gpus, parse_count(table.field("num_gpus"), 1, kGpusMax));
    TraceJob job;
    job.submit = submit.time_since_epoch();
    job.run_time = run_time;
    job.gpus = gpus;
    job.account = table.field("cluster");
    job.user = job.account;
    return job;
}

}  // namespace

Result<Workload> read_philly(std::string_view text) {
    constexpr auto kColumns =
        std::to_array<std::string_view>({"timestamp", "duration", "num_gpus", "cluster"});
    Table table(text, ',');
    BERTH_CHECK(table.require(kColumns));
    Workload workload;
    workload.begin = 0;
    while (table.next()) {
        ++workload.rows;
        Result<TraceJob> job = read_row(table);
        if (!job.ok()) {
            workload.reject(table.line(), job.error().message);
            continue;
        }
        job->number = workload.rows;
        workload.jobs.push_back(*std::move(job));
    }
    finish(workload);
    return workload;
}

}  // namespace berth::workload
