// SimWorkload: a seed's cluster, and what its users do with it.
#pragma once

#include <vector>

#include "berth/control/turn/command.h"
#include "berth/sim/faults.h"
#include "berth/sim/script.h"

namespace berth::sim {

ClusterSpec random_cluster(Rng& rng);

// One submission, and what its user does with the job later.
struct PlannedJob {
    Duration submit_after{};
    JobSpec spec;
    std::string user = "ada";
    ScriptPlan script;
    // With `dependency`: the number of the earlier submission that it waits for.
    std::size_t after_number = 0;
    std::optional<DependencyKind> dependency;
    std::optional<Duration> begin_in, cancel_in, hold_in, release_in, requeue_in;
    std::optional<Duration> suspend_in, resume_in;  // By an operator.
};
std::vector<PlannedJob> random_jobs(Rng& rng, const ClusterSpec& cluster, std::size_t count,
                                    Duration within, std::int64_t bad_percent);

}  // namespace berth::sim
