// Recorder: reads the controller's snapshots, as squeue would, and collects the results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/control/core/ports.h"
#include "berth/sim/fragments.h"
#include "berth/sim/simulation_result.h"
#include "berth/workload/workload.h"

namespace berth::sim {

class Recorder : public Readers {
public:
    Recorder(const workload::Workload& workload, SimulationResult& result, Fragments fragments,
             bool keep_runs);

    // A submission is recognised by its submit line, which is this number: readers see a job before
    // its submitter is answered.
    static std::string submit_line(std::size_t number) { return std::to_string(number); }
    void refused(std::size_t number, Time now, const std::string& why);

    void publish(const ClusterState& state, const Changes& changes) override;

    // REQUIRES: the job has been seen.
    std::size_t number_of(JobId job) const { return numbers_[job.index()] - 1; }
    // Jobs that have ended or were refused.
    std::size_t ended() const { return ended_; }
    std::size_t running() const { return static_cast<std::size_t>(running_); }
    void finish(Time now);
    void lost_run(JobId job) { ++result_.jobs[number_of(job)].lost; }  // Lost with its node.

private:
    void pass(Time now);
    void end_run(std::size_t number);
    void look_at(const ClusterState& state, const Job& job);
    std::size_t number_of(const Job& job);

    const workload::Workload& workload_;
    SimulationResult& result_;
    bool keep_runs_;
    std::vector<std::uint32_t> numbers_;  // By job id: the job's number plus 1.
    struct Seen {
        bool holds = false;  // Has an allocation.
        bool waits = false;
        std::int64_t gpus = 0;
        Time started_at{};
        std::int64_t company = 0;  // Value of company_ when it came.
        std::vector<RunPlace> places;
    };
    std::vector<Seen> seen_;
    std::int64_t allocated_ = 0, waiting_ = 0, waited_for_ = 0, running_ = 0;
    std::int64_t company_ = 0;  // Jobs in the system × milliseconds so far.
    Fragments fragments_;
    bool looked_ = false;  // Has read the nodes once.
    std::size_t ended_ = 0;
    Time at_;
};

}  // namespace berth::sim
