// SimulationResult: the results of a simulation: by job, by run and over time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"
#include "berth/model/ids.h"
#include "berth/model/job.h"
#include "berth/sim/series.h"

namespace berth::sim {

// The virtual time of the first submission.
inline constexpr Time kSimulationBegin = from_seconds(1'800'000'000);

// The outcome of one job of the workload. Times are relative to the first submission.
struct JobRecord {
    std::int64_t gpus = 0;  // Allocated.
    Duration submitted{}, first_start{}, last_start{}, ended{};
    Duration ran{};                      // All its runs together.
    JobState state = JobState::pending;  // pending: it still waited at the end.
    std::uint32_t starts = 0;
    bool refused = false;
    std::uint32_t lost = 0;  // Runs lost with a node.
    // Jobs × milliseconds: integral of the number of jobs in the system, itself included, while it
    // was there.
    std::int64_t company = 0;
    Duration launched{};  // When its nodes got the order for its last start.

    // Runs that were ended in favour of other jobs.
    std::uint32_t preemptions() const { return starts > lost + 1 ? starts - lost - 1 : 0; }

    BERTH_FIELDS(JobRecord, gpus, submitted, first_start, last_start, ended, ran, state, starts,
                 refused, lost, company, launched)
};

struct RunPlace {
    NodeId node{0};
    std::vector<int> devices;  // Its GPUs, by their index on the node.
    BERTH_FIELDS(RunPlace, node, devices)
};
struct RunRecord {
    std::size_t job = 0;  // Its index in the workload.
    Duration started{}, ended{};
    std::int64_t gpus = 0;
    std::vector<RunPlace> places;
    BERTH_FIELDS(RunRecord, job, started, ended, gpus, places)
};

struct SimulationResult {
    std::vector<JobRecord> jobs;  // In the order of the workload.
    std::vector<RunRecord> runs;  // With keep_runs; in the order of their ends.
    std::int64_t gpus = 0, nodes = 0;
    Series gpus_allocated, jobs_waiting, gpus_waited_for, jobs_running;
    Series gpus_fragmented;                          // In thousandths: see fragments.h.
    Duration length{};                               // Until the last job has ended.
    std::map<std::string, std::size_t> refusals;     // Number by message.
    std::uint64_t events = 0, turns = 0, facts = 0;  // `turns`: of the controller's loop.
    std::size_t stuck = 0;  // Jobs that still waited when nothing more happened.
    std::size_t nodes_lost = 0;
    // Index of a hopeless job, if one ended the simulation: its runs were cut short so often in a
    // row without progress that it would never end.
    std::optional<std::size_t> hopeless;
    std::uint64_t state_hash = 0;  // Of the controller's state at the end.

    explicit SimulationResult(Time begin)
        : gpus_allocated(begin),
          jobs_waiting(begin),
          gpus_waited_for(begin),
          jobs_running(begin),
          gpus_fragmented(begin) {}
};

}  // namespace berth::sim
