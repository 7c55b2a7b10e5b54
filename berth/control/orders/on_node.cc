#include "berth/control/orders/on_node.h"

#include <algorithm>

namespace berth {

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

bool is_over(const ClusterState& state, JobId job) {
    return job < state.next_job_id() && !state.index().pending().contains(job) &&
           !state.index().holding().contains(job);
}

JobId oldest_live_job(const ClusterState& state) {
    JobId oldest = state.next_job_id();
    if (!state.index().pending().empty())
        oldest = std::min(oldest, *state.index().pending().begin());
    if (!state.index().holding().empty())
        oldest = std::min(oldest, *state.index().holding().begin());
    return oldest;
}

}  // namespace berth
