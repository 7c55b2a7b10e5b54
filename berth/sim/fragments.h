// Fragments: how many free GPUs the workload's typical jobs could not use where they are. This is
// the measure of the paper on the fragmentation gradient (Weng et al., ATC '23), updated as nodes
// change.
#pragma once

#include <vector>

#include "berth/engine/state/cluster_state.h"
#include "berth/policy/fragmentation.h"
#include "berth/sim/submission.h"

namespace berth::sim {

class Fragments {
public:
    // The typical requests are those of this workload, as submitted.
    Fragments(const workload::Workload& workload, const Submission& submission,
              const ClusterSpec& cluster);

    // Call when the free resources of the node have changed.
    void look_at(const ClusterState& state, NodeId node);
    void look_at_all(const ClusterState& state);
    // Thousandths of GPUs, over all nodes.
    std::int64_t milli() const {
        return weight_ == 0 ? 0 : static_cast<std::int64_t>(sum_ / weight_);
    }

private:
    std::vector<WorkShape> usual_;
    std::int64_t weight_ = 0;  // Sum of the weights of all requests.
    DimensionSet gpus_ = 0;
    std::vector<std::int64_t> nodes_;  // Each node's part of the sum.
    Wide sum_ = 0;
};

}  // namespace berth::sim
