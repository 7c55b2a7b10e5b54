// openb's pods as jobs. One that was never scheduled has no run time and is passed over.
#include <array>

#include "berth/workload/formats.h"
#include "berth/workload/openb_pods.h"
#include "berth/workload/rows.h"
#include "berth/workload/trace_values.h"

namespace berth::workload {
namespace {

Result<std::optional<TraceJob>> read_openb_row(const Table& table) {
    if (table.field("scheduled_time").empty()) return std::optional<TraceJob>();
    BERTH_TRY(const Duration submit, parse_seconds(table.field("creation_time")));
    BERTH_TRY(const Duration start, parse_seconds(table.field("scheduled_time")));
    BERTH_TRY(const Duration end, parse_seconds(table.field("deletion_time")));
    BERTH_TRY(OpenbPod pod, openb_pod(table));
    if (start < submit || end < start) {
        return Error{ErrorCode::invalid_argument,
                     "creation, scheduled and deletion time should come in this order"};
    }
    TraceJob job;
    job.submit = submit;
    job.run_time = end - start;
    job.gpus = pod.gpus;
    if (pod.gpus == 1 && pod.milli > 0) job.gpu_milli = pod.milli;
    job.gpu_types = std::move(pod.models);
    if (pod.cpu > Millicpu(0)) job.cpu_milli = pod.cpu.count();
    if (pod.memory > Bytes(0)) job.memory = pod.memory;
    job.name = std::move(pod.name);
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
    BERTH_TRY(Workload workload, read_rows(text, ',', kColumns, read_openb_row));
    finish(workload);
    return workload;
}

}  // namespace berth::workload
