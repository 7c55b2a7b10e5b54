#include "berth/engine/state/job_queries.h"

#include <algorithm>

namespace berth {

std::string name_of_job(const ClusterState& state, JobId id) {
    const Job* const job = state.find_job(id);
    if (job == nullptr || !job->array_job || !job->array_task) return to_string(id);
    return to_string(*job->array_job) + "_" + std::to_string(*job->array_task);
}

bool may_requeue(const ClusterState& state, const Job& job) {
    if (job.het && job.het->offset > 0) {  // All components are requeued, or none.
        const Job* const first = state.find_job(job.het->first);
        return first != nullptr && may_requeue(state, *first);
    }
    return !job.spec.command->interactive &&
           job.spec.requeue.value_or(state.spec().scheduling.requeue_by_default);
}

std::optional<Time> wait_end(const Job& job) {
    const Maybe<Duration>& most = job.spec.request->max_wait;
    if (!most || job.attempt > Attempt(0)) return std::nullopt;
    return job.submitted_at + std::min<Duration>(*most, kNever - job.submitted_at);
}

std::vector<JobId> array_members(const ClusterState& state, JobId array) {
    std::vector<JobId> members = state.index().array_tasks(array);
    const Job* const record = state.find_job(array);
    if (record != nullptr && (record->spec.array || record->array_job == array)) {
        members.push_back(array);
        std::inplace_merge(members.begin(), members.end() - 1, members.end());
    }
    return members;
}

std::int64_t current_priority(const ClusterState& state, JobId id) {
    const Job* const job = state.find_job(id);
    const bool started = job != nullptr && job->state != JobState::pending;
    const bool still_moves =
        !started || (state.spec().scheduling.prioritize_running && job->state == JobState::running);
    if (!still_moves) return job->start_priority;
    return state.schedule().priority(id).value_or(started ? job->start_priority : 0);
}

}  // namespace berth
