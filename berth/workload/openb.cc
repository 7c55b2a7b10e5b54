// openb: Alibaba's GPU sharing trace of 2023 (Weng et al., ATC '23): pods that ask for CPUs, memory
// and parts of GPUs. One that was never scheduled has no run time and is passed over.
#include <array>

#include "berth/base/text.h"
#include "berth/workload/formats.h"
#include "berth/workload/rows.h"
#include "berth/workload/values.h"

namespace berth::workload {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

Result<std::optional<TraceJob>> read_row(const Table& table) {
    if (table.field("scheduled_time").empty()) return std::optional<TraceJob>();
    BERTH_TRY(const Duration submit, parse_seconds(table.field("creation_time")));
    BERTH_TRY(const Duration start, parse_seconds(table.field("scheduled_time")));
    BERTH_TRY(const Duration end, parse_seconds(table.field("deletion_time")));
    BERTH_TRY(const std::int64_t cpus, parse_count(table.field("cpu_milli"), 0, kCpusMax * 1000));
    BERTH_TRY(const std::int64_t mebibytes,
              parse_count(table.field("memory_mib"), 0, std::int64_t{1} << 40));
    BERTH_TRY(const std::int64_t gpus, parse_count(table.field("num_gpu"), 0, kGpusMax));
    BERTH_TRY(const std::int64_t milli, parse_count(table.field("gpu_milli"), 0, 1000));
    if (start < submit || end < start) {
        return Error{ErrorCode::invalid_argument,
                     "creation, scheduled and deletion time should come in this order"};
    }
    if (gpus > 1 && milli != 1000) {
        return Error{ErrorCode::invalid_argument,
                     "more than one GPU should be whole ones, gpu_milli 1000"};
    }
    TraceJob job;
    job.submit = submit;
    job.run_time = end - start;
    job.gpus = gpus;
    if (gpus == 1 && milli > 0) job.gpu_milli = static_cast<std::int32_t>(milli);
    for (const std::string_view type : split(table.field("gpu_spec"), '|')) {
        if (!trim(type).empty()) job.gpu_types.push_back(to_lower(trim(type)));
    }
    if (cpus > 0) job.cpu_milli = cpus;
    if (mebibytes > 0) job.memory = Bytes(mebibytes * kMebibyte);
    job.name = table.field("name");
    job.account = table.field("qos");
    const std::string_view phase = table.field("pod_phase");
    if (phase == "Failed") job.outcome = Outcome::failed;
    return job;
}

}  // namespace

Result<Workload> read_openb(std::string_view text) {
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "creation_time",
         "deletion_time", "scheduled_time"});
    BERTH_TRY(Workload workload, read_rows(text, ',', kColumns, read_row));
    finish(workload);
    return workload;
}

}  // namespace berth::workload
