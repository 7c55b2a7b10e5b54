// Workload: the jobs that a simulation is fed, whatever trace, history or generator they come from.
//
// A reader is a pure parser of one format: text in; jobs, and what is wrong with which line, out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/quantity.h"
#include "berth/base/shared.h"
#include "berth/base/time.h"
#include "berth/model/job.h"

namespace berth::workload {

// How the job ends if it is given its whole run time.
enum class Outcome : std::uint8_t { completed, failed, cancelled };
std::string_view to_string(Outcome outcome);

// As the trace has it. What a trace does not say stays at its default, and the simulation chooses.
struct TraceJob {
    std::uint64_t number = 0;       // Its number in the trace; else its place, from 1.
    Duration submit{};              // Since the trace's begin.
    Duration run_time{};            // With all that it asks for, from its start to its own end.
    std::optional<Duration> limit;  // Asked for by its user.
    std::int64_t gpus = 0;          // In all; 0: a job for CPUs alone.
    std::int32_t gpu_milli = 1000;  // Of each GPU; less than 1000 only with gpus == 1.
    std::vector<std::string> gpu_types;     // Any of these will do; empty: any at all.
    std::optional<std::int64_t> cpu_milli;  // In all.
    std::optional<Bytes> memory;            // In all.
    std::optional<std::uint32_t> nodes;
    std::string user, account, name, partition, qos;
    Outcome outcome = Outcome::completed;
    Duration delay{};  // It was not to start before so long after its submission.
    // As its user put it, where that is known; it counts in place of the amounts above.
    std::optional<Shared<JobRequest>> request;

    BERTH_FIELDS(TraceJob, number, submit, run_time, limit, gpus, gpu_milli, gpu_types, cpu_milli,
                 memory, nodes, user, account, name, partition, qos, outcome, delay, request)
};

struct RowError {
    std::size_t line = 0;  // From 1; the header counts.
    std::string message;   // What is wrong, and what would be right.

    BERTH_FIELDS(RowError, line, message)
};

struct Workload {
    static constexpr std::size_t kErrorsKept = 100;

    std::vector<TraceJob> jobs;  // By submission; of equals, the one that the trace has first.
    std::vector<RowError> errors;
    std::size_t rows = 0;     // Read, good or bad.
    std::size_t bad = 0;      // Of them; the first kErrorsKept are in `errors`.
    std::size_t skipped = 0;  // Right, but nothing to run: a pod that was never scheduled.
    std::optional<std::int64_t> begin;  // Of the trace, in seconds since 1970, if it says.

    void reject(std::size_t line, std::string message);
};

// Sorts by submission, and has the first job come at 0.
void finish(Workload& workload);

// ---- What is done to a workload before it is run.

// GPU time asked for / (GPUs × the time from the first to the last submission). 0: no time at all.
double offered_load(const Workload& workload, std::int64_t gpus);
// Stretches or shrinks the time between submissions until the offered load is this.
void scale_load(Workload& workload, std::int64_t gpus, double load);

}  // namespace berth::workload
