// The openb trace: the nodes and the pods of Alibaba's GPU cluster of 2023 (gpu-v2023), which the
// paper on fragmentation was measured with.
#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/policy/gpu_room.h"

namespace berth::openb {

struct Pod {
    WorkShape shape;
    Bytes memory;
    std::int64_t gpu_milli() const { return std::int64_t{shape.gpus} * shape.milli; }
    friend bool operator==(const Pod&, const Pod&) = default;
};

struct Trace {
    ClusterSpec cluster;         // Nodes in the order of the file.
    std::vector<Pod> pods;       // By name.
    std::int64_t gpu_milli = 0;  // Of all nodes.
};

// From <folder>/openb_node_list_gpu_node.csv and <folder>/openb_pod_list_<name>.csv.zst. Ends the
// program, and says why, where they cannot be read.
Trace read_trace(const std::string& folder, const std::string& name);

}  // namespace berth::openb
