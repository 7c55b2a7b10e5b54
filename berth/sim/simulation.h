// Simulation: a workload on a cluster in virtual time, run by the real control::Loop and so by the
// real engine. Unlike the World its nodes are well-behaved and its network loses nothing, so that
// months of a large cluster take seconds.
//
// One simulation has one thread, and the same options give the same result, byte for byte.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/model/event.h"
#include "berth/model/job.h"
#include "berth/sim/series.h"
#include "berth/sim/submission.h"
#include "berth/workload/workload.h"

namespace berth::sim {

// How far it has come.
struct Progress {
    std::size_t jobs = 0, ended = 0;  // All, and those that are over or were refused.
    std::uint64_t events = 0;
    Time now{};
};

// What goes wrong with nodes, and what runs that are begun again cost.
struct Wear {
    Duration time_between_losses{};  // Of one node, on average; 0: none is lost.
    Duration repair = std::chrono::hours(4);
    Duration detection = std::chrono::minutes(5);  // Until somebody vouches that it is down.
    Duration restart_cost{};                       // Of every run but the first.
    Duration checkpoint{};  // Progress is kept in steps of this; 0: a lost run starts from nothing.
    std::uint64_t seed = 1;
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

// What became of one job of the workload. Times are since the first submission.
struct JobRecord {
    std::int64_t gpus = 0;  // That it was given.
    Duration submitted{}, first_start{}, last_start{}, ended{};
    Duration ran{};                      // All its runs together.
    JobState state = JobState::pending;  // pending: it was still waiting at the end.
    std::uint32_t starts = 0;
    bool refused = false;
    std::uint32_t lost = 0;  // Runs that went down with a node.
    // Jobs × milliseconds: how many were in the system while it was, itself included.
    std::int64_t company = 0;

    // Runs that were ended for others' sake.
    std::uint32_t preemptions() const { return starts > lost + 1 ? starts - lost - 1 : 0; }

    BERTH_FIELDS(JobRecord, gpus, submitted, first_start, last_start, ended, ran, state, starts,
                 refused, lost, company)
};

struct RunPlace {
    NodeId node{0};
    std::vector<int> devices;  // Its GPUs, by their place on the node.
    BERTH_FIELDS(RunPlace, node, devices)
};
struct RunRecord {
    std::size_t job = 0;  // In the workload.
    Duration started{}, ended{};
    std::int64_t gpus = 0;
    std::vector<RunPlace> places;
    BERTH_FIELDS(RunRecord, job, started, ended, gpus, places)
};

struct SimulationResult {
    std::vector<JobRecord> jobs;  // As in the workload.
    std::vector<RunRecord> runs;  // With keep_runs; as they ended.
    std::int64_t gpus = 0, nodes = 0;
    Series gpus_allocated, jobs_waiting, gpus_waited_for, jobs_running;
    Series gpus_fragmented;                          // In thousandths: see fragments.h.
    Duration length{};                               // To the end of the last job.
    std::map<std::string, std::size_t> refusals;     // By what was said.
    std::uint64_t events = 0, turns = 0, facts = 0;  // Turns of the controller's loop.
    std::size_t stuck = 0;                           // Waited when nothing more happened.
    std::size_t nodes_lost = 0;
    // Ended the simulation: its runs were cut short so often in a row without progress that it
    // would never end. Its number in the workload.
    std::optional<std::size_t> hopeless;
    std::uint64_t state_hash = 0;  // Of the controller's state at the end.

    explicit SimulationResult(Time begin)
        : gpus_allocated(begin),
          jobs_waiting(begin),
          gpus_waited_for(begin),
          jobs_running(begin),
          gpus_fragmented(begin) {}
};

// So many runs in a row that come to nothing make a job hopeless.
inline constexpr std::uint32_t kRunsInVain = 1000;

SimulationResult simulate(const workload::Workload& workload, const SimulationOptions& options);

// The virtual time at which the first job comes.
inline constexpr Time kSimulationBegin = from_seconds(1'800'000'000);

}  // namespace berth::sim
