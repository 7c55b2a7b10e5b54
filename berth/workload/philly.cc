// Philly (Jeon et al., ATC '19), as ElasticFlow ships it: one row a job with its submission, its
// run time in seconds, its GPUs, and its virtual cluster, which is the account here.
#include <array>

#include "berth/workload/formats.h"
#include "berth/workload/rows.h"
#include "berth/workload/trace_values.h"

namespace berth::workload {
namespace {

Result<std::optional<TraceJob>> read_philly_row(const Table& table) {
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
    BERTH_TRY(Workload workload, read_rows(text, ',', kColumns, read_philly_row));
    workload.begin = 0;
    finish(workload);
    return workload;
}

}  // namespace berth::workload
