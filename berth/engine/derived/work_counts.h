// WorkCounts: how often each request occurs, on clusters that share GPUs. Counted over the jobs
// that the state knows; placement scores weight free capacity by it.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "berth/engine/state/cluster_state.h"
#include "berth/policy/gpu_room.h"

namespace berth {

class WorkCounts {
public:
    void rebuild(const ClusterState& state);
    // Call it after a fact about this job.
    void refresh(const ClusterState& state, JobId job);

    bool gpus_are_shared() const { return shared_; }
    std::span<const WorkShape> usual() const;

private:
    using Key = std::tuple<Millicpu, std::int32_t, std::int32_t, DimensionSet>;
    void count(const WorkShape& shape, std::int64_t more);

    bool shared_ = false;
    std::map<Key, std::int64_t> counts_;
    std::map<JobId, WorkShape> jobs_;
    mutable std::vector<WorkShape> usual_;
    mutable bool changed_ = true;  // Since usual_ was made.
};

// What the job asks of its first node; `count` is the number of jobs that the record stands for.
WorkShape work_shape_of(const ClusterSpec& spec, const Job& job);

}  // namespace berth
