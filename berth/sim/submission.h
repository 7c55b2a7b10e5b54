// Submission: how a job of a trace is submitted to the present cluster, as its user would do it.
#pragma once

#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"
#include "berth/workload/workload.h"

namespace berth::sim {

// The time limit of a job whose trace has none. Users ask for more than they need, and for round
// numbers.
enum class LimitRule : std::uint8_t {
    rounded,  // The next of 10 min, 30 min, 1 h, 2 h, 4 h … that leaves a quarter to spare.
    exact,    // Its duration plus one second.
    times,    // A multiple of its duration.
    same,     // The same for all jobs.
    none,
};

struct SubmissionRules {
    LimitRule limit = LimitRule::rounded;
    std::int64_t limit_percent = 100;  // With LimitRule::times.
    Duration limit_for_all{};          // With LimitRule::same.
    bool trace_limits = true;          // A limit in the trace takes precedence.
};

class Submission {
public:
    Submission(const ClusterSpec& cluster, const SubmissionRules& rules);

    JobSpec spec_of(const workload::TraceJob& job) const;
    Duration limit_of(const workload::TraceJob& job) const;  // Duration::max(): no limit.

private:
    void ask_for_gpus(const workload::TraceJob& job, JobRequest& request) const;
    bool ask_for_a_part(const workload::TraceJob& job, JobRequest& request) const;

    const ClusterSpec& cluster_;
    SubmissionRules rules_;
    std::int64_t most_gpus_ = 0;  // On one node.
    std::string part_;            // How GPUs are shared: mps or shard; empty: they are not.
    std::int64_t parts_ = 0;      // Of one GPU.
};

}  // namespace berth::sim
