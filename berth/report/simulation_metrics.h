// Metrics: the figures of one simulation, in seconds and fractions, as papers print them.
#pragma once

#include <string>
#include <vector>

#include "berth/sim/simulation.h"
#include "berth/workload/workload.h"

namespace berth::report {

// Of the sorted values, the p-th is the one at floor(p × n). In seconds where they are times.
struct Distribution {
    std::size_t count = 0;
    double mean = 0, median = 0, p90 = 0, p99 = 0, highest = 0;
};
Distribution distribution_of(std::vector<double> values);

// Some of the jobs: of a size, of a user.
struct JobGroup {
    std::string name;
    Distribution completion;  // JCT: from submission to the end.
    Distribution waiting;     // From submission to the first start.
    Distribution slowdown;    // JCT / time run, at least 1; runs under 10 s count as 10 s.
    Distribution fairness;    // Finish-time fairness: see finish_time_fairness().
    std::size_t starved = 0;  // Waited over a day, and over ten times as long as they ran.
    double gpu_hours = 0;     // That they ran.
};

struct Metrics {
    JobGroup all;
    std::vector<JobGroup> by_size;     // By GPUs asked for.
    std::vector<JobGroup> by_user;     // Most GPU time first.
    std::vector<JobGroup> by_account;  // Likewise.
    std::size_t submitted = 0, ended = 0, refused = 0, stuck = 0, restarts = 0, timeouts = 0;
    double makespan = 0;        // From the first submission to the last end.
    double gpu_allocation = 0;  // Fraction of GPU time that was given to jobs, over the makespan.
    double gpu_allocation_arrivals = 0;  // … until the last submission.
    double queue_mean = 0;
    std::int64_t queue_highest = 0;
    double jain_users = 1;  // Of the users' mean slowdowns (Jain's index): 1 is even.
    double jain_accounts = 1;
    double unfair = 0;  // Fraction of the jobs that were done later than in a share of their own.
    std::size_t preemptions = 0;  // Runs ended for others' sake.
    std::size_t lost_runs = 0;    // With their node.
    // GPUs that are free and of no use to jobs as usually come: mean until the last submission, and
    // as a fraction of the free ones.
    double fragmented = 0, fragmented_of_free = 0;
};

// Themis' rho: JCT / what it would have taken in a cluster of its own of 1/N of the GPUs, where N
// is the mean number of jobs in the system while this one was. There a job for more GPUs takes in
// proportion longer, and it waits for nobody. At most 1: it was not done later for sharing. Runs
// under 10 s count as 10 s.
double finish_time_fairness(const sim::JobRecord& record, const workload::TraceJob& job,
                            std::int64_t gpus);

Metrics metrics_of(const workload::Workload& workload, const sim::SimulationResult& result);

// "1 GPU", "2-4 GPUs" …
std::string size_class(std::int64_t gpus);

}  // namespace berth::report
