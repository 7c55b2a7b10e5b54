// Tiresias (Gu et al., NSDI '19): the trace of its repository; all times are seconds.
#include <array>

#include "berth/workload/formats.h"
#include "berth/workload/rows.h"
#include "berth/workload/trace_values.h"

namespace berth::workload {
namespace {

Result<std::optional<TraceJob>> read_tiresias_row(const Table& table) {
    BERTH_TRY(const Duration submit, parse_seconds(table.field("submit_time")));
    BERTH_TRY(const Duration run_time, parse_seconds(table.field("duration")));
    BERTH_TRY(const std::int64_t gpus, parse_count(table.field("num_gpu"), 1, kGpusMax));
    TraceJob job;
    job.submit = submit;
    job.run_time = run_time;
    job.gpus = gpus;
    job.name = table.field("model_name");
    return job;
}

}  // namespace

Result<Workload> read_tiresias(std::string_view text) {
    constexpr auto kColumns =
        std::to_array<std::string_view>({"num_gpu", "submit_time", "model_name", "duration"});
    BERTH_TRY(Workload workload, read_rows(text, ',', kColumns, read_tiresias_row));
    finish(workload);
    return workload;
}

}  // namespace berth::workload
