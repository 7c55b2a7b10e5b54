// Helios (Hu et al., SC '21): a cluster's cluster_log.csv as published. Its virtual cluster is the
// account. Not tried on the original, which is not here.
#include <array>

#include "berth/workload/formats.h"
#include "berth/workload/rows.h"
#include "berth/workload/trace_values.h"

namespace berth::workload {
namespace {

Outcome helios_outcome(std::string_view state) {
    if (state == "COMPLETED") return Outcome::completed;
    return state == "CANCELLED" ? Outcome::cancelled : Outcome::failed;
}

Result<std::optional<TraceJob>> read_helios_row(const Table& table) {
    BERTH_TRY(const Time submit, parse_moment(table.field("submit_time")));
    BERTH_TRY(const Duration run_time, parse_seconds(table.field("duration")));
    BERTH_TRY(const std::int64_t gpus, parse_count(table.field("gpu_num"), 0, kGpusMax));
    BERTH_TRY(const std::int64_t cpus, parse_count(table.field("cpu_num"), 0, kCpusMax));
    TraceJob job;
    job.submit = submit.time_since_epoch();
    job.run_time = run_time;
    job.gpus = gpus;
    if (cpus > 0) job.cpu_milli = cpus * 1000;
    job.user = table.field("user");
    job.account = table.field("vc");
    job.name = table.field("jobname");
    job.outcome = helios_outcome(table.field("state"));
    return job;
}

}  // namespace

Result<Workload> read_helios(std::string_view text) {
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"user", "gpu_num", "cpu_num", "state", "submit_time", "duration"});
    BERTH_TRY(Workload workload, read_rows(text, ',', kColumns, read_helios_row));
    workload.begin = 0;
    finish(workload);
    return workload;
}

}  // namespace berth::workload
