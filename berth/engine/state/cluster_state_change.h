// The primitive changes of a ClusterState. Each records the old value while a checkpoint is open,
// updates the indexes, and marks what readers must read again. For the source files of ClusterState
// only.
#pragma once

#include "berth/engine/state/cluster_state.h"

namespace berth {

// Whether the job's account is charged for what it holds: not while an operator has suspended it.
inline bool is_using(const Job& job) {
    return job.state == JobState::running && !job.is_suspended();
}

template <class Change>
void ClusterState::change_job(JobId id, Change change) {
    Job& job = jobs_.at(id);
    remember_job(id);
    remove_from_indexes(job);
    change(job);
    add_to_indexes(job);
    touch(id);
}

template <class Change>
void ClusterState::change_unindexed(JobId id, Change change) {
    remember_job(id);
    change(jobs_.at(id));
    touch(id);
}

template <class Change>
void ClusterState::change_condition(NodeId id, Change change) {
    nodes_.change_condition(id, undo_, change);
    touch(id);
}

}  // namespace berth
