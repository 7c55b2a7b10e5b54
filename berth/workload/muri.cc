#include "berth/workload/muri.h"

#include <array>

#include "berth/workload/formats.h"
#include "berth/workload/rows.h"
#include "berth/workload/trace_values.h"

namespace berth::workload {
namespace {

constexpr std::int64_t kIterationsMax = 1'000'000'000'000;
constexpr std::int64_t kIterationMsMax = 1'000'000;

Result<MuriJob> read_job(const Table& table) {
    MuriJob job;
    BERTH_TRY(const std::int64_t id, parse_count(table.field("job_id"), 0, kIterationsMax));
    BERTH_TRY(job.gpus, parse_count(table.field("num_gpu"), 1, kGpusMax));
    BERTH_TRY(job.submit_ms, parse_count(table.field("submit_time"), 0, kMillisMax));
    BERTH_TRY(job.iterations, parse_count(table.field("iterations"), 1, kIterationsMax));
    BERTH_TRY(job.iteration_ms, parse_count(table.field("iteration_time"), 1, kIterationMsMax));
    if (job.iterations > kMillisMax / job.iteration_ms) {
        return Error{ErrorCode::invalid_argument,
                     "iterations × iteration_time should be less than 3000 years"};
    }
    job.id = static_cast<std::uint64_t>(id);
    job.model = table.field("model_name");
    return job;
}

constexpr auto kColumns = std::to_array<std::string_view>(
    {"job_id", "num_gpu", "submit_time", "iterations", "model_name", "iteration_time"});

TraceJob trace_job(const MuriJob& muri) {
    TraceJob job;
    job.submit = Duration(muri.submit_ms);
    job.run_time = Duration(muri.iterations * muri.iteration_ms);
    job.gpus = muri.gpus;
    job.name = muri.model;
    return job;
}

}  // namespace

Result<MuriTrace> read_muri_jobs(std::string_view text) {
    MuriTrace trace;
    const auto keep = [&](const Table& table) -> Result<std::optional<TraceJob>> {
        BERTH_TRY(MuriJob job, read_job(table));
        trace.jobs.push_back(std::move(job));
        return std::optional<TraceJob>();
    };
    BERTH_TRY(Workload read, read_rows(text, ',', kColumns, keep));
    trace.errors = std::move(read.errors);
    trace.rows = read.rows;
    trace.bad = read.bad;
    return trace;
}

Result<Workload> read_muri(std::string_view text) {
    const auto read = [](const Table& table) -> Result<std::optional<TraceJob>> {
        BERTH_TRY(const MuriJob job, read_job(table));
        return trace_job(job);
    };
    BERTH_TRY(Workload workload, read_rows(text, ',', kColumns, read));
    finish(workload);
    return workload;
}

}  // namespace berth::workload
