// openb (Weng et al., ATC '23): Alibaba's GPU cluster of 2023, its nodes and its pods, which ask
// for CPUs, memory and parts of GPUs. What the paper's own protocol needs; as jobs: formats.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"
#include "berth/workload/table.h"
#include "berth/workload/workload.h"

namespace berth::workload {

struct OpenbPod {
    std::string name;
    Millicpu cpu;
    Bytes memory;
    std::int32_t gpus = 0;
    std::int32_t milli = 0;           // Of each GPU.
    std::vector<std::string> models;  // Any of these, in lower case; empty: any at all.

    BERTH_FIELDS(OpenbPod, name, cpu, memory, gpus, milli, models)
};
Result<OpenbPod> openb_pod(const Table& table);  // Of the row that it stands at.

struct OpenbPods {
    std::vector<OpenbPod> pods;  // In the order of the file, scheduled or not.
    std::vector<RowError> errors;
    std::size_t rows = 0, bad = 0;
};
Result<OpenbPods> read_openb_pods(std::string_view text);

// Nodes in the order of the file, with their GPUs by model. A bad row is an error.
Result<ClusterSpec> read_openb_nodes(std::string_view text);

}  // namespace berth::workload
