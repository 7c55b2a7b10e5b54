#include "berth/sim/fragments.h"

#include <map>
#include <tuple>

#include "berth/engine/derived/work_counts.h"
#include "berth/engine/plan/placement_shared.h"

namespace berth::sim {
namespace {

// The number of jobs that define what is typical. Of a longer workload, every n-th job is taken.
constexpr std::size_t kLooks = 20'000;

std::vector<WorkShape> shapes_of(const workload::Workload& workload, const Submission& submission,
                                 const ClusterSpec& cluster) {
    const auto key = [](const WorkShape& shape) {
        return std::tuple(shape.cpu, shape.gpus, shape.milli, shape.types);
    };
    std::map<decltype(key(WorkShape{})), WorkShape> counted;
    const std::size_t step = workload.jobs.size() / kLooks + 1;
    for (std::size_t i = 0; i < workload.jobs.size(); i += step) {
        Job job;
        job.spec = submission.spec_of(workload.jobs[i]);
        const WorkShape shape = work_shape_of(cluster, job);
        const auto [at, is_new] = counted.try_emplace(key(shape), shape);
        if (!is_new) at->second.count += shape.count;
    }
    std::vector<WorkShape> shapes;
    shapes.reserve(counted.size());
    for (const auto& [unused, shape] : counted) shapes.push_back(shape);
    return shapes;
}

}  // namespace

Fragments::Fragments(const workload::Workload& workload, const Submission& submission,
                     const ClusterSpec& cluster)
    : usual_(usual_of(shapes_of(workload, submission, cluster))),
      weight_(total_count(usual_)),
      nodes_(cluster.nodes.size()) {
    for (const DimensionId gpu : cluster.dimensions.of_name("gpu")) gpus_ |= dimension_bit(gpu);
}

void Fragments::look_at(const ClusterState& state, NodeId node) {
    const NodeFree& free = state.nodes().free(node);
    const NodeGpus gpus = gpus_of(state.spec(), gpus_, node, free);
    const std::int64_t now = fragmentation({free.amount.cpu(), gpus.left}, usual_);
    sum_ += now - nodes_[node.index()];
    nodes_[node.index()] = now;
}

void Fragments::look_at_all(const ClusterState& state) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) look_at(state, NodeId::from_index(i));
}

}  // namespace berth::sim
