// The options of `berth sim run`, and what it does.
#pragma once

#include <string>
#include <vector>

#include "berth/cli/output.h"

namespace berth::cli {

// With a long queue, moving everybody who could move after each early end would take most of the
// time (Engine::limit_moves).
inline constexpr std::uint32_t kSimulatedMoves = 4;

struct SimRunOptions {
    std::string trace;    // FORMAT:FILE, or generate:MIX:JOBS
    std::string cluster;  // berth.yaml, slurm.conf or a directory with them.
    std::vector<std::string> policies = {"own"};
    std::string json, csv, report;
    std::string node_mtbf, node_repair, restart_cost, checkpoint, time_slice;  // Lengths of time.
    double load = 0;                        // 0: as the trace has it.
    std::string limits;                     // rounded, exact, none, or a factor.
    std::uint32_t moves = kSimulatedMoves;  // Searches for an earlier start in a cycle; 0: all.
    std::uint64_t first = 0;                // So many jobs of the trace; 0: all.
    std::uint32_t agent_latency_ms = 0;
    std::uint32_t threads = 0;  // 0: as many as there are cores.
    std::uint64_t seed = 1;     // Of a generated workload.
    bool timings = true;
};
int sim_run(const SimRunOptions& options, Output& output);

}  // namespace berth::cli
