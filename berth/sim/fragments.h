// Fragments: how many of the free GPUs the jobs that usually come could not use where they are: the
// measure of the paper on the fragmentation gradient (Weng et al., ATC '23), kept as nodes change.
#pragma once

#include <vector>

#include "berth/engine/state/cluster_state.h"
#include "berth/policy/fragmentation.h"
#include "berth/sim/submission.h"

namespace berth::sim {

class Fragments {
public:
    // Usual are the requests of this workload, as they are submitted.
    Fragments(const workload::Workload& workload, const Submission& submission,
              const ClusterSpec& cluster);

    // What is free there has changed.
    void look_at(const ClusterState& state, NodeId node);
    void look_at_all(const ClusterState& state);
    // Thousandths of GPUs, of all nodes.
    std::int64_t milli() const {
        return weight_ == 0 ? 0 : static_cast<std::int64_t>(sum_ / weight_);
    }

private:
    std::vector<WorkShape> usual_;
    std::int64_t weight_ = 0;  // Of all of them.
    DimensionSet gpus_ = 0;
    std::vector<std::int64_t> nodes_;  // Each one's share in the sum.
    Wide sum_ = 0;
};

}  // namespace berth::sim
