// WorkCounts: which requests come how often, on clusters that give out GPUs in parts. From the jobs
// that the state knows; placement scores weigh what is free by it.
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
    // After a fact about this job.
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

// What the first node of such a job is asked for; count is how many jobs the record stands for.
WorkShape work_shape_of(const ClusterSpec& spec, const Job& job);

}  // namespace berth
