#include "berth/engine/derived/work_counts.h"

#include <algorithm>

#include "berth/engine/derived/order.h"
#include "berth/engine/placement/placement_fit.h"
#include "berth/policy/fragmentation.h"

namespace berth {
namespace {

bool gives_parts(const NodeSpec& node) {
    return std::ranges::any_of(node.devices,
                               [](const Device& device) { return !device.shares.empty(); });
}

DimensionSet all_gpus(const ClusterSpec& spec) {
    DimensionSet types = 0;
    for (const DimensionId type : spec.dimensions.of_name("gpu")) types |= dimension_bit(type);
    return types;
}

// The largest number of parts that a device has: the denominator of a fraction.
std::int64_t parts_of_one(const ClusterSpec& spec, DimensionId kind) {
    std::int64_t most = 1;
    for (const NodeSpec& node : spec.nodes) {
        for (const Device& device : node.devices) {
            for (const ShareKind& own : device.shares) {
                if (own.dimension == kind) most = std::max(most, own.parts);
            }
        }
    }
    return most;
}

void add_gpus(WorkShape& shape, const std::vector<GresDemand>& wanted, std::int64_t times,
              DimensionSet gpus) {
    for (const GresDemand& gres : wanted) {
        if ((gres.dimensions & gpus) == 0) continue;
        const std::int64_t count = std::min<std::int64_t>(gres.count * times, kDevicesPerNodeMax);
        shape.gpus += static_cast<std::int32_t>(count);
        shape.types &= gres.dimensions;
    }
}

}  // namespace

WorkShape work_shape_of(const ClusterSpec& spec, const Job& job) {
    const Demand demand = amounts_of(spec, job);
    const std::uint32_t tasks = tasks_per_node_min(demand);
    WorkShape shape;
    shape.cpu = cores(asked_cpus(demand, tasks, 1));
    shape.types = all_gpus(spec);
    const DimensionSet gpus = shape.types;
    add_gpus(shape, demand.gres_per_node, 1, gpus);
    add_gpus(shape, demand.gres_per_task, tasks, gpus);
    if (demand.nodes_max == 1) add_gpus(shape, demand.gres_total, 1, gpus);
    if (shape.gpus == 0) shape.milli = 0;
    if (demand.share) {
        const std::int64_t whole = parts_of_one(spec, demand.share->dimension);
        shape.milli = static_cast<std::int32_t>(
            std::clamp<std::int64_t>(demand.share->parts * kWholeGpu / whole, 1, kWholeGpu));
    }
    shape.count = job.spec.array ? static_cast<std::int64_t>(job.spec.array->tasks.size()) : 1;
    return shape;
}

void WorkCounts::rebuild(const ClusterState& state) {
    counts_.clear();
    jobs_.clear();
    shared_ = std::ranges::any_of(state.spec().nodes, gives_parts);
    if (!shared_) return;
    for (const auto& [id, job] : state.jobs()) refresh(state, id);
}

void WorkCounts::refresh(const ClusterState& state, JobId id) {
    if (!shared_) return;
    const Job* job = state.find_job(id);
    const auto known = jobs_.find(id);
    if (known != jobs_.end()) {
        // The job stays counted, whatever became of it.
        if (job != nullptr && !job->spec.array) return;
        count(known->second, -known->second.count);
        jobs_.erase(known);
    }
    if (job == nullptr) return;
    const WorkShape shape = work_shape_of(state.spec(), *job);
    jobs_.emplace(id, shape);
    count(shape, shape.count);
}

void WorkCounts::count(const WorkShape& shape, std::int64_t more) {
    const Key key{shape.cpu, shape.gpus, shape.milli, shape.types};
    std::int64_t& counted = counts_[key];
    counted += more;
    if (counted == 0) counts_.erase(key);
    changed_ = true;
}

std::span<const WorkShape> WorkCounts::usual() const {
    if (changed_) {
        std::vector<WorkShape> all;
        for (const auto& [key, counted] : counts_) {
            const auto& [cpu, gpus, milli, types] = key;
            all.push_back({cpu, gpus, milli, types, counted});
        }
        usual_ = usual_of(std::move(all));
        changed_ = false;
    }
    return usual_;
}

}  // namespace berth
