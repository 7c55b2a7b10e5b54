// PAI (Weng et al., NSDI '22): the job list of the published simulator, pai_job_*.csv. GPUs and
// CPUs are whole or parts; the group of recurring jobs is the name. Not tried on the original,
// which is not here.
#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/workload/formats.h"
#include "berth/workload/rows.h"
#include "berth/workload/trace_values.h"

namespace berth::workload {
namespace {

// An empty one is none.
Result<std::int64_t> milli_of(std::string_view text, std::int64_t most) {
    if (text.empty()) return 0;
    const auto value = parse_thousandths(text);
    if (!value.ok() || *value < 0 || *value > most * 1000) {
        return Error{ErrorCode::invalid_argument, "'" + std::string(text.substr(0, 40)) +
                                                      "' should be a number from 0 to " +
                                                      std::to_string(most)};
    }
    return *value;
}

// Part of one GPU stays that; of several, each is whole.
void set_gpus(TraceJob& job, std::int64_t milli) {
    if (milli > 0 && milli < 1000) {
        job.gpus = 1;
        job.gpu_milli = static_cast<std::int32_t>(milli);
    } else {
        job.gpus = (milli + 999) / 1000;
    }
}

Result<std::optional<TraceJob>> read_pai_row(const Table& table) {
    BERTH_TRY(const Duration submit, parse_seconds(table.field("submit_time")));
    BERTH_TRY(const Duration run_time, parse_seconds(table.field("duration")));
    BERTH_TRY(const std::int64_t gpus, milli_of(table.field("num_gpu"), kGpusMax));
    BERTH_TRY(const std::int64_t cpus, milli_of(table.field("num_cpu"), kCpusMax));
    TraceJob job;
    job.submit = submit;
    job.run_time = std::max<Duration>(run_time, std::chrono::seconds(1));  // As its simulator.
    set_gpus(job, gpus);
    if (cpus > 0) job.cpu_milli = cpus;
    job.user = table.field("user");
    job.name = table.field("group");
    const std::string_view type = table.field("gpu_type");
    if (job.gpus > 0 && !type.empty() && type != "MISC" && type != "CPU") {
        job.gpu_types = {to_lower(type)};
    }
    return job;
}

}  // namespace

Result<Workload> read_pai(std::string_view text) {
    constexpr auto kColumns =
        std::to_array<std::string_view>({"submit_time", "duration", "num_gpu", "num_cpu", "user"});
    BERTH_TRY(Workload workload, read_rows(text, ',', kColumns, read_pai_row));
    finish(workload);
    return workload;
}

}  // namespace berth::workload
