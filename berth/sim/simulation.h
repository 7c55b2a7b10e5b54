// Simulation: a workload on a cluster in virtual time, run by the real control::Loop and so by the
// real engine. Unlike the World its nodes are well-behaved and its network loses nothing, so that
// months of a large cluster take seconds.
//
// One simulation has one thread, and the same options give the same result, byte for byte.
#pragma once

#include <functional>

#include "berth/model/cluster_spec.h"
#include "berth/model/event.h"
#include "berth/sim/simulation_result.h"
#include "berth/sim/submission.h"
#include "berth/sim/wear.h"
#include "berth/workload/workload.h"

namespace berth::sim {

// How far it has come.
struct Progress {
    std::size_t jobs = 0, ended = 0;  // All, and those that are over or were refused.
    std::uint64_t events = 0;
    Time now{};
};

struct SimulationOptions {
    ClusterSpec cluster;  // Its policy included.
    SubmissionRules submission;
    Wear wear;
    // Instead of wear.restart_cost, if it is not empty.
    std::function<Duration(const workload::TraceJob&)> restart_cost_of;
    // So often an operator puts back into the queue whoever runs and has had much more GPU time
    // than somebody who waits, as a site's script would with scontrol requeue. 0: never.
    Duration time_slice{};
    bool keep_runs = false;       // Every run with its place, for a Gantt chart.
    std::uint32_t moves_max = 0;  // Engine::limit_moves().
    Duration agent_latency{};     // From an order to its effect, and from an end to its report.
    std::function<void(const Progress&)> progress;  // Now and then; may be empty.
    std::function<void(const Record&)> recorded;    // What a journal would hold; may be empty.
};

// So many runs in a row that come to nothing make a job hopeless.
inline constexpr std::uint32_t kRunsInVain = 1000;

SimulationResult simulate(const workload::Workload& workload, const SimulationOptions& options);

}  // namespace berth::sim
