#include "berth/engine/state/job_queries.h"

#include <algorithm>
#include <functional>

#include "berth/base/text.h"

namespace berth {

std::string name_of_job(const ClusterState& state, JobId id) {
    const Job* const job = state.find_job(id);
    if (job == nullptr || !job->array_job || !job->array_task) return to_string(id);
    return to_string(*job->array_job) + "_" + std::to_string(*job->array_task);
}

std::vector<JobId> components_with(const Job& job) {
    if (!job.het) return {job.id};
    std::vector<JobId> all;
    all.reserve(job.het->size);
    for (std::uint32_t i = 0; i < job.het->size; ++i) all.push_back(job.het->id(i));
    return all;
}

bool may_requeue(const ClusterState& state, const Job& job) {
    if (job.het && job.het->offset > 0) {  // All components are requeued, or none.
        const Job* const first = state.find_job(job.het->first);
        return first != nullptr && may_requeue(state, *first);
    }
    return !job.spec.command->interactive &&
           job.spec.requeue.value_or(state.spec().scheduling.requeue_by_default);
}

bool was_ended_by_limit(const Job& job) {
    const bool by_limit = job.outcome == JobState::timeout || job.outcome == JobState::deadline;
    return by_limit && (job.state == JobState::completing || job.state == job.outcome);
}

bool may_save_checkpoint(const Job& run) {
    const JobCommand& command = run.spec.command;
    return !command.checkpoint.empty() && !command.interactive && !run.het && !run.is_suspended() &&
           !run.is_configuring();
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

JobId record_of_array(const ClusterState& state, const Job& job) {
    const bool known = job.array_job && state.find_job(*job.array_job) != nullptr;
    return known ? *job.array_job : job.id;
}

bool names_several_partitions(const JobSpec& spec) {
    return spec.partition.find(',') != std::string::npos;
}

std::vector<PartitionId> partitions_of(const ClusterSpec& spec, const Job& job) {
    if (!names_several_partitions(job.spec)) return {job.partition};
    std::vector<PartitionId> partitions;
    for (const std::string_view name : split(*job.spec.partition, ',')) {
        if (const auto partition = spec.find_partition(name)) partitions.push_back(*partition);
    }
    std::ranges::stable_sort(partitions, std::greater{},
                             [&](PartitionId one) { return spec.partition(one).priority_tier; });
    return partitions;
}

std::string partition_text(const ClusterSpec& spec, const Job& job) {
    const bool has_run = job.state != JobState::pending && job.started_at;
    return !has_run && names_several_partitions(job.spec) ? *job.spec.partition
                                                          : spec.partition(job.partition).name;
}

const QosSpec* wall_qos(const ClusterSpec& spec, PartitionId partition, QosId own) {
    const auto limiting = [&](std::optional<QosId> qos) {
        const bool limits =
            qos && qos->index() < spec.qos.size() && spec.qos[qos->index()].max_wall;
        return limits ? &spec.qos[qos->index()] : nullptr;
    };
    const std::string& name = spec.partition(partition).qos;
    const QosSpec* const mine = limiting(own);
    const QosSpec* const theirs = name.empty() ? nullptr : limiting(spec.find_qos(name));
    if (theirs == nullptr || (mine != nullptr && mine->over_partition_qos)) return mine;
    return theirs;
}

Duration default_time_limit(const ClusterSpec& spec, PartitionId partition, QosId qos) {
    const PartitionSpec& in = spec.partition(partition);
    const Duration limit = in.default_time.value_or(in.max_time.value_or(Duration::max()));
    const QosSpec* const bounds = wall_qos(spec, partition, qos);
    return bounds == nullptr ? limit : std::min(limit, *bounds->max_wall);
}

Job moved_to(const ClusterSpec& spec, const Job& job, PartitionId partition,
             const FlavorChoice& flavor) {
    Job moved = job;
    moved.partition = partition;
    moved.spec.flavor = flavor;
    if (!job.spec.request->time_limit)
        moved.time_limit = default_time_limit(spec, partition, job.qos);
    return moved;
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
