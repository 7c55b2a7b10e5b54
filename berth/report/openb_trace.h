// The openb trace as the paper on fragmentation (Weng et al., ATC '23) was measured with it.
#pragma once

#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"
#include "berth/policy/gpu_room.h"

namespace berth::report {

struct OpenbWork {
    WorkShape shape;
    Bytes memory;
    std::int64_t gpu_milli() const { return std::int64_t{shape.gpus} * shape.milli; }
    friend bool operator==(const OpenbWork&, const OpenbWork&) = default;
};

struct OpenbTrace {
    ClusterSpec cluster;          // Nodes in the order of the file.
    std::vector<OpenbWork> pods;  // By name.
    std::int64_t gpu_milli = 0;   // Of all nodes.
};

// Of the two files' texts.
Result<OpenbTrace> openb_trace(std::string_view nodes, std::string_view pods);

}  // namespace berth::report
