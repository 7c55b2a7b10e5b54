#include "berth/report/openb_trace.h"

#include "berth/workload/openb_pods.h"

namespace berth::report {
namespace {

OpenbWork work_of(const ClusterSpec& cluster, const workload::OpenbPod& pod) {
    OpenbWork work{.shape = {.cpu = pod.cpu, .gpus = pod.gpus, .milli = pod.milli},
                   .memory = pod.memory};
    if (pod.models.empty()) return work;  // Any model.
    work.shape.types = 0;
    for (const std::string& model : pod.models) {
        if (const auto type = cluster.dimensions.find("gpu", model)) {
            work.shape.types |= dimension_bit(*type);
        }
    }
    return work;
}

}  // namespace

Result<OpenbTrace> openb_trace(std::string_view nodes, std::string_view pods) {
    OpenbTrace trace;
    BERTH_TRY(trace.cluster, workload::read_openb_nodes(nodes));
    for (const NodeSpec& node : trace.cluster.nodes) {
        trace.gpu_milli += static_cast<std::int64_t>(node.devices.size()) * kWholeGpu;
    }
    BERTH_TRY(const workload::OpenbPods read, workload::read_openb_pods(pods));
    if (read.bad > 0) {
        return Error{ErrorCode::invalid_argument,
                     "line " + std::to_string(read.errors[0].line) + ": " + read.errors[0].message};
    }
    for (const workload::OpenbPod& pod : read.pods) {
        trace.pods.push_back(work_of(trace.cluster, pod));
    }
    return trace;
}

}  // namespace berth::report
