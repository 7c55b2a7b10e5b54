// Simulation: a workload on a cluster in virtual time, run by the real control::Loop and hence the
// real engine. Unlike in the World, nodes have no faults but Wear and the network loses nothing, so
// months of a large cluster take seconds.
//
// A simulation is single-threaded. Equal options give equal results, byte for byte.
#pragma once

#include <functional>

#include "berth/model/cluster_spec.h"
#include "berth/model/event.h"
#include "berth/sim/cost_meter.h"
#include "berth/sim/simulation_result.h"
#include "berth/sim/submission.h"
#include "berth/sim/wear.h"
#include "berth/workload/workload.h"

namespace berth::sim {

// Progress of a simulation.
struct Progress {
    std::size_t jobs = 0, ended = 0;  // All jobs, and those that have ended or were refused.
    std::uint64_t events = 0;
    Time now{};
};

struct SimulationOptions {
    ClusterSpec cluster;  // Includes the policy.
    SubmissionRules submission;
    Wear wear;
    // If set, replaces wear.restart_cost.
    std::function<Duration(const workload::TraceJob&)> restart_cost_of;
    // Interval at which an operator requeues running jobs that have had much more GPU time than a
    // waiting job, as a site's script would with scontrol requeue. 0: never.
    Duration time_slice{};
    bool keep_runs = false;       // Record every run with its place, for a Gantt chart.
    std::uint32_t moves_max = 0;  // See Engine::limit_moves().
    Duration agent_latency{};     // From an order to its effect, and from an end to its report.
    std::function<void(const Progress&)> progress;  // Called from time to time. May be null.
    std::function<void(const Record&)> recorded;    // Receives the journal's records. May be null.
    // Virtual time passes while the controller decides, once all nodes have registered: what it
    // decides has its effect that much later, and what happens meanwhile waits for its next turn.
    // Null: deciding takes no time.
    CostMeter* cost = nullptr;
};

// A job is hopeless after this many consecutive runs without progress.
inline constexpr std::uint32_t kRunsInVain = 1000;

SimulationResult simulate(const workload::Workload& workload, const SimulationOptions& options);

}  // namespace berth::sim
