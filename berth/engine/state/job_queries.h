// What the state says of one job beyond its record.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/engine/state/cluster_state.h"

namespace berth {

// As users write it: "12"; a task of an array "12_3", whatever its record's id is.
std::string name_of_job(const ClusterState& state, JobId id);

// The components of its heterogeneous job, in order; otherwise the job alone.
std::vector<JobId> components_with(const Job& job);

// Whether it may run again: never an interactive job, since there is no script to run.
bool may_requeue(const ClusterState& state, const Job& job);

// Whether its run was ended for its time limit or deadline. Its nodes may not be clean yet.
bool was_ended_by_limit(const Job& job);

// Whether a run of it that is warned can save a checkpoint, which one is then waited for. Only a
// batch script, of no heterogeneous job, names one. What stands still, or has not begun, saves
// none.
bool may_save_checkpoint(const Job& run);

// When the job's maxWaitTime, counted from its submission, is over. nullopt: it has none, or has
// started before.
std::optional<Time> wait_end(const Job& job);

// The array's record and those of its tasks that are still known.
std::vector<JobId> array_members(const ClusterState& state, JobId array);

// The array's, if the job is a task of one that is still known; otherwise its own.
JobId record_of_array(const ClusterState& state, const Job& job);

// The partitions that a job names, in the order in which it is tried in them: by PriorityTier, then
// as its user wrote them. Those that are gone are left out. If it names but one: where it stands.
bool names_several_partitions(const JobSpec& spec);
std::vector<PartitionId> partitions_of(const ClusterSpec& spec, const Job& job);
// "main,debug" until it starts, then the one in which it runs.
std::string partition_text(const ClusterSpec& spec, const Job& job);
// The QOS whose MaxWall bounds the job: that of its partition, or its own. nullptr: neither does.
const QosSpec* wall_qos(const ClusterSpec& spec, PartitionId partition, QosId own);
// The time limit of a job that names none.
Duration default_time_limit(const ClusterSpec& spec, PartitionId partition, QosId qos);
// The job as it would be in another of its partitions, and there in a flavor of its queue.
Job moved_to(const ClusterSpec& spec, const Job& job, PartitionId partition,
             const FlavorChoice& flavor = {});

// Of a pending job as of the last cycle, 0 if it is held. A started job has the priority with which
// it started, unless priorities of running jobs are computed, too.
std::int64_t current_priority(const ClusterState& state, JobId id);

}  // namespace berth
