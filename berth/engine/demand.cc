#include "berth/engine/demand.h"

#include <algorithm>

#include "berth/engine/features.h"
#include "berth/engine/gpu_counts.h"

namespace berth {
namespace {

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return a / b + (a % b != 0 ? 1 : 0); }

std::int64_t total_of(const std::vector<GresRequest>& requests) {
    std::int64_t total = 0;
    for (const GresRequest& request : requests) total += request.count;
    return total;
}

void set_tasks(Demand& demand, const JobRequest& request, const GpuCounts& counts) {
    demand.tasks = counts.tasks ? counts.tasks : request.tasks;
    const auto per_node = counts.tasks_per_node ? counts.tasks_per_node : request.tasks_per_node;
    demand.tasks_per_node = per_node.value_or(demand.tasks ? 0 : 1);
    demand.cpus_per_task = std::max(request.cpus_per_task.value_or(1), 1U);
    demand.nodes_min = std::max(request.nodes_min, 1U);
    if (!request.nodes_given && demand.tasks && demand.tasks_per_node > 0) {
        demand.nodes_min =
            std::max(demand.nodes_min, ceil_div(*demand.tasks, demand.tasks_per_node));
    }
    demand.fewest_nodes = !request.nodes_given;
    if (request.nodes_max || request.nodes_given) {
        demand.nodes_max = request.nodes_max.value_or(demand.nodes_min);
    } else if (demand.tasks) {
        demand.nodes_max = *demand.tasks;
    } else {
        const std::int64_t gpus = std::clamp<std::int64_t>(total_of(request.gpus), 1, UINT32_MAX);
        demand.nodes_max = static_cast<std::uint32_t>(gpus);
    }
    if (counts.nodes) demand.nodes_min = demand.nodes_max = *counts.nodes;
    if (demand.tasks) {  // No node without a task.
        demand.nodes_min = std::min(demand.nodes_min, *demand.tasks);
        demand.nodes_max = std::min(demand.nodes_max, *demand.tasks);
    }
    demand.nodes_max = std::max(demand.nodes_max, demand.nodes_min);
}

// MaxMemPerCPU: who wants more of it per CPU gets more CPUs.
void cap_memory_per_cpu(Demand& demand, Bytes most) {
    if (demand.memory_rule != MemoryRule::per_cpu || most <= Bytes(0) || demand.memory <= most) {
        return;
    }
    const std::int64_t factor = (demand.memory.count() + most.count() - 1) / most.count();
    const std::int64_t cpus = demand.cpus_per_task * factor;
    demand.cpus_per_task = static_cast<std::uint32_t>(std::min<std::int64_t>(cpus, UINT32_MAX));
    demand.memory = Bytes((demand.memory.count() + factor - 1) / factor);
}

void set_memory(Demand& demand, const JobRequest& request, const PartitionSpec& partition) {
    std::optional<Bytes> per_node = request.memory_per_node;
    std::optional<Bytes> per_cpu = request.memory_per_cpu;
    const bool asked = per_node || per_cpu;
    if (!asked) {
        per_node = partition.default_memory_per_node;
        per_cpu = partition.default_memory_per_cpu;
    }
    const Bytes amount = per_cpu ? *per_cpu : per_node.value_or(Bytes(0));
    if (amount == Bytes(0)) {  // Asked for: all of it. A default of 0 says nothing.
        demand.memory_rule = asked ? MemoryRule::whole_node : MemoryRule::none;
        return;
    }
    demand.memory_rule = per_cpu ? MemoryRule::per_cpu : MemoryRule::per_node;
    demand.memory = amount;
    cap_memory_per_cpu(demand, partition.max_memory_per_cpu.value_or(Bytes(0)));
}

DimensionSet dimensions_of(const Dimensions& dimensions, const GresRequest& request) {
    DimensionSet set = 0;
    if (request.type.empty()) {
        for (const DimensionId d : dimensions.of_name(request.name)) set |= dimension_bit(d);
    } else if (const auto d = dimensions.find(request.name, request.type)) {
        set = dimension_bit(*d);
    }
    return set;
}

void add_gres(std::vector<GresDemand>& demands, const Dimensions& dimensions,
              const std::vector<GresRequest>& requests) {
    for (const GresRequest& request : requests) {
        if (request.count <= 0) continue;  // "gpu:0" asks for none.
        const DimensionSet set = dimensions_of(dimensions, request);
        const auto same = std::find_if(demands.begin(), demands.end(), [&](const GresDemand& one) {
            return one.dimensions == set;
        });
        if (same != demands.end()) {
            same->count += request.count;
        } else {
            demands.push_back({.dimensions = set, .count = request.count});
        }
    }
}

void set_gres(Demand& demand, const Dimensions& dimensions, const JobRequest& request,
              const GpuCounts& counts) {
    std::vector<GresRequest> per_node = request.gres_per_node;
    if (counts.per_node_follows) {
        std::erase_if(per_node, [](const GresRequest& one) { return one.name == "gpu"; });
    }
    add_gres(demand.gres_per_node, dimensions, per_node);
    if (!counts.per_node_follows) {
        add_gres(demand.gres_per_node, dimensions, request.gpus_per_node);
    }
    add_gres(demand.gres_per_task, dimensions, request.gpus_per_task);
    if (!counts.total_follows) add_gres(demand.gres_total, dimensions, request.gpus);
}

// The partition's nodes without those excluded.
BitSet candidates(const ClusterSpec& spec, const PartitionSpec& partition,
                  const JobRequest& request) {
    BitSet nodes(spec.nodes.size());
    for (const NodeId node : partition.nodes) nodes.set(node.index());
    for (const std::string& name : request.exclude) {
        if (const auto node = spec.find_node(name)) nodes.reset(node->index());
    }
    return nodes;
}

void set_choices(Demand& demand, const ClusterSpec& spec, BitSet nodes,
                 std::string_view constraint) {
    if (constraint.empty()) {
        demand.choices.push_back(std::move(nodes));
        return;
    }
    const Result<FeatureExpression> features = FeatureExpression::parse(constraint);
    if (!features.ok()) {  // Never admitted; whatever it meant, no node has it.
        demand.choices.emplace_back(spec.nodes.size());
        return;
    }
    for (std::size_t i = 0; i < features->alternatives(); ++i) {
        BitSet matching(spec.nodes.size());
        for (std::size_t n = nodes.find_first(); n != BitSet::kNone; n = nodes.find_next(n)) {
            if (features->matches(spec.nodes[n].features, i)) matching.set(n);
        }
        demand.choices.push_back(std::move(matching));
    }
}

void set_required(Demand& demand, const ClusterSpec& spec, const JobRequest& request) {
    demand.required = BitSet(spec.nodes.size());
    for (const std::string& name : request.nodelist) {
        if (const auto node = spec.find_node(name)) demand.required.set(node->index());
    }
}

void set_at_least(Demand& demand, std::size_t listed) {
    demand.nodes_min = std::max(demand.nodes_min, static_cast<std::uint32_t>(listed));
    demand.nodes_max = std::max(demand.nodes_max, demand.nodes_min);
}

Demand without_nodes(const ClusterSpec& spec, const Job& job) {
    const JobRequest& request = job.spec.request;
    const PartitionSpec& partition = spec.partition(job.partition);
    Demand demand;
    const GpuCounts counts = gpu_counts(request).value_or(GpuCounts{});  // Admission has looked.
    set_tasks(demand, request, counts);
    set_memory(demand, request, partition);
    set_gres(demand, spec.dimensions, request, counts);
    demand.exclusive = request.exclusive || partition.exclusive;
    return demand;
}

}  // namespace

Demand amounts_of(const ClusterSpec& spec, const Job& job) {
    Demand demand = without_nodes(spec, job);
    set_at_least(demand, job.spec.request.nodelist.size());
    return demand;
}

Demand demand_of(const ClusterSpec& spec, const Job& job) {
    const JobRequest& request = job.spec.request;
    Demand demand = without_nodes(spec, job);
    set_choices(demand, spec, candidates(spec, spec.partition(job.partition), request),
                request.constraint);
    set_required(demand, spec, request);
    set_at_least(demand, demand.required.count());
    return demand;
}

NodeNeed need_on(const Demand& demand, const NodeSpec& node, std::uint32_t tasks) {
    const std::uint64_t asked = std::uint64_t{tasks} * demand.cpus_per_task;
    const std::uint64_t cores =
        (asked + node.threads_per_core - 1) / std::max(node.threads_per_core, 1U);
    NodeNeed need;
    need.cores = demand.exclusive
                     ? node.cores()
                     : static_cast<std::uint32_t>(std::min<std::uint64_t>(cores, UINT32_MAX));
    need.cpus = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::uint64_t{need.cores} * node.threads_per_core, UINT32_MAX));
    switch (demand.memory_rule) {
        case MemoryRule::none: break;
        case MemoryRule::per_node: need.memory = demand.memory; break;
        case MemoryRule::per_cpu: need.memory = demand.memory * need.cpus; break;
        case MemoryRule::whole_node: need.memory = node.capacity.memory(); break;
    }
    return need;
}

}  // namespace berth
