// JSON of simulations, for programs: the same bytes for the same results.
#pragma once

#include <string>
#include <vector>

#include "berth/report/simulation_metrics.h"

namespace berth::report {

// One policy's run, and how long it took here: that alone differs from run to run.
struct PolicyRun {
    std::string policy;
    sim::SimulationResult result;
    Metrics metrics;
    double wall_seconds = 0;
    double cpu_seconds = 0;  // Of its thread.
};

struct RunSettings {
    std::string trace, cluster;
    std::size_t rows = 0, bad_rows = 0, skipped_rows = 0;
    double offered_load = 0;  // Of the cluster's GPUs, as simulated.
    std::uint64_t seed = 0;
    std::int64_t peak_memory = 0;  // Of the process, in bytes, with all its runs; 0: not known.
};

// With `timings` false nothing in it depends on the machine.
std::string to_json(const RunSettings& settings, const std::vector<PolicyRun>& runs, bool timings);

// One row for each job and policy.
std::string to_csv(const workload::Workload& workload, const std::vector<PolicyRun>& runs);

}  // namespace berth::report
