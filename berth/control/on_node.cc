#include "berth/control/on_node.h"

#include <algorithm>

namespace berth {
namespace {

// A node that is done with an attempt of this job may still be sent an old order for it. One that
// never ran has none; and the nodes of a first run that goes on protect themselves, since it is
// live there.
bool needs_tombstones(const Job& job) {
    if (job.state == JobState::pending) return job.attempt > Attempt{0};
    return job.attempt > Attempt{1} || job.state != JobState::running;
}

}  // namespace

bool holds(const ClusterState& state, NodeId node, AttemptId attempt) {
    const Job* const job = state.find_job(attempt.job);
    if (job == nullptr || !job->allocation || job->attempt != attempt.attempt) return false;
    const auto& shares = job->allocation->shares;
    return std::ranges::find(shares, node, &NodeShare::node) != shares.end();
}

bool runs_on(const Step& step, NodeId node) {
    return step.state == StepState::running &&
           std::ranges::find(step.shares, node, &StepShare::node) != step.shares.end();
}

const Step* find_step(const Job& job, StepId id) {
    const auto found = std::ranges::find(job.steps, id, &Step::id);
    return found == job.steps.end() ? nullptr : &*found;
}

JobId oldest_live_job(const ClusterState& state) {
    constexpr std::size_t kJobsLookedAt = 1000;  // So that a long queue costs nothing here.
    JobId oldest = state.next_job_id();
    const auto look_at = [&](const auto& jobs) {
        std::size_t seen = 0;
        for (const JobId id : jobs) {
            if (id >= oldest) return;
            if (++seen <= kJobsLookedAt && !needs_tombstones(*state.find_job(id))) continue;
            oldest = id;
            return;
        }
    };
    look_at(state.pending_jobs());
    look_at(state.holding_jobs());
    return oldest;
}

}  // namespace berth
