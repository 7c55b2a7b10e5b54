#include "berth/engine/placement/demand.h"

#include <algorithm>

#include "berth/engine/placement/features.h"
#include "berth/engine/placement/gpu_counts.h"
#include "berth/engine/placement/linked_gpus.h"
#include "berth/engine/placement/socket_gpus.h"
#include "berth/engine/state/turns.h"
#include "berth/model/partition_cpus.h"

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
    if (demand.tasks) {  // Every node needs a task.
        demand.nodes_min = std::min(demand.nodes_min, *demand.tasks);
        demand.nodes_max = std::min(demand.nodes_max, *demand.tasks);
    }
    demand.nodes_max = std::max(demand.nodes_max, demand.nodes_min);
}

// MaxMemPerCPU: a job that wants more memory per CPU gets more CPUs.
void cap_memory_per_cpu(Demand& demand, Bytes most) {
    if (demand.memory.rule != MemoryRule::per_cpu || most <= Bytes(0) ||
        demand.memory.amount <= most) {
        return;
    }
    const std::int64_t factor = (demand.memory.amount.count() + most.count() - 1) / most.count();
    const std::int64_t cpus = demand.cpus_per_task * factor;
    demand.cpus_per_task = static_cast<std::uint32_t>(std::min<std::int64_t>(cpus, UINT32_MAX));
    demand.memory.amount = Bytes((demand.memory.amount.count() + factor - 1) / factor);
}

// MaxMemPerNode if set; 0 means unset.
std::optional<Bytes> node_memory_max(const PartitionSpec& partition) {
    const std::optional<Bytes>& most = partition.max_memory_per_node;
    return most && *most > Bytes(0) ? most : std::nullopt;
}

// So many CPUs are held for so many that tasks use.
struct HeldCpus {
    std::int64_t held = 1, used = 1;

    std::int64_t of(std::int64_t cpus) const {
        if (cpus > INT64_MAX / held - used) return INT64_MAX;
        return (cpus * held + used - 1) / used;
    }
};

HeldCpus held_on(const Demand& demand, const NodeSpec& node) {
    const std::int64_t threads = std::max(node.threads_per_core, 1U);
    if (demand.near.layout.per_core == 0 && demand.near.layout.per_socket == 0)
        return {threads, threads_used(node, demand.near.threads_per_core)};
    const std::uint32_t cpus = std::min(demand.cpus_per_task, std::uint32_t{1} << 16);
    const CoreUse use = core_use(demand.near, cpus, node);
    return {static_cast<std::int64_t>(use.cores) * threads,
            static_cast<std::int64_t>(use.tasks) * cpus};
}

// The least that any of these nodes makes of it.
HeldCpus least_held(const ClusterSpec& spec, const std::vector<BitSet>& choices,
                    const Demand& demand) {
    std::optional<HeldCpus> least;
    if (!limits_tasks(demand.near)) return {};
    for (const BitSet& nodes : choices) {
        for (std::size_t n = nodes.find_first(); n != BitSet::kNone; n = nodes.find_next(n)) {
            const HeldCpus here = held_on(demand, spec.nodes[n]);
            if (!least || here.held * least->used < least->held * here.used) least = here;
        }
    }
    return least.value_or(HeldCpus{});
}

// No node may give the job more than `most`: "all memory" becomes this amount, and tasks with
// memory per CPU spread over more nodes.
void cap_memory_per_node(Demand& demand, Bytes most, const ClusterSpec& spec, const Job& job) {
    if (demand.memory.rule == MemoryRule::whole_node) {
        demand.memory.rule = MemoryRule::per_node;
        demand.memory.amount = most;
    }
    if (demand.memory.rule != MemoryRule::per_cpu || !demand.tasks) return;
    if (demand.near.layout.overcommit) return;
    const HeldCpus held = limits_tasks(demand.near)
                              ? least_held(spec, {shaped_nodes(spec, job)}, demand)
                              : HeldCpus{};
    const Bytes per_task = demand.memory.amount * held.of(demand.cpus_per_task);
    const std::int64_t tasks = most.count() / std::max<std::int64_t>(per_task.count(), 1);
    if (tasks < 1 || tasks >= *demand.tasks) return;
    const auto fit = static_cast<std::uint32_t>(tasks);
    demand.tasks_per_node = demand.tasks_per_node == 0 ? fit : std::min(demand.tasks_per_node, fit);
}

void set_memory(Demand& demand, const ClusterSpec& spec, const Job& job) {
    const JobRequest& request = job.spec.request;
    const PartitionSpec& partition = spec.partition(job.partition);
    std::optional<Bytes> per_node = request.memory_per_node;
    std::optional<Bytes> per_cpu = request.memory_per_cpu;
    const bool asked = per_node || per_cpu;
    if (!asked) {
        per_node = partition.default_memory_per_node;
        per_cpu = partition.default_memory_per_cpu;
    }
    const Bytes amount = per_cpu ? *per_cpu : per_node.value_or(Bytes(0));
    if (amount == Bytes(0)) {  // An explicit 0 means all memory; a default of 0 means no rule.
        demand.memory.rule = asked ? MemoryRule::whole_node : MemoryRule::none;
    } else {
        demand.memory.rule = per_cpu ? MemoryRule::per_cpu : MemoryRule::per_node;
        demand.memory.amount = amount;
        cap_memory_per_cpu(demand, partition.max_memory_per_cpu.value_or(Bytes(0)));
    }
    if (const auto most = node_memory_max(partition)) cap_memory_per_node(demand, *most, spec, job);
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

// The GPUs of each node, so many near each of its sockets. Admission has seen that they come out.
void set_socket_gpus(Demand& demand, const ClusterSpec& spec) {
    const std::uint32_t each = demand.near.layout.gpus_per_socket;
    if (each == 0) return;
    DimensionSet gpus = 0;
    for (const DimensionId type : spec.dimensions.of_name("gpu")) gpus |= dimension_bit(type);
    for (const GresDemand& gres : demand.gres_per_node) {
        if ((gres.dimensions & gpus) == 0) continue;
        demand.near.socket_gpus = gres.dimensions;
        demand.near.sockets = static_cast<std::uint32_t>(gres.count / each);
        demand.near.any_cores = !demand.exclusive;
    }
}

// A part of a GPU, both as an amount of its own kind and as a GPU that is shared in this way.
void set_share(Demand& demand, const ClusterSpec& spec, const JobRequest& request) {
    for (const GresRequest& one : request.gres_per_node) {
        const auto kind = spec.dimensions.find(one.name, one.type);
        if (!is_share_name(one.name) || one.count <= 0 || !kind) continue;
        demand.share = ShareKind{*kind, one.count};
        DimensionSet types = 0;
        for (const NodeSpec& node : spec.nodes) {
            for (const Device& device : node.devices) {
                if (gives_part(device, *demand.share)) types |= dimension_bit(device.dimension);
            }
        }
        demand.gres_per_node.push_back({.dimensions = types, .count = 1});
    }
}

// The partition's nodes, without excluded nodes and those that refused the job.
BitSet candidates(const ClusterSpec& spec, const PartitionSpec& partition,
                  const JobRequest& request) {
    BitSet nodes(spec.nodes.size());
    for (const NodeId node : partition.nodes) nodes.set(node.index());
    for (const auto* const names : {&request.exclude, &request.refused_by}) {
        for (const std::string& name : *names) {
            if (const auto node = spec.find_node(name)) nodes.reset(node->index());
        }
    }
    return nodes;
}

// Keeps only suitable GPU types, and drops nodes on which a GPU of such a type is unsuitable.
void keep_able_gpus(Demand& demand, BitSet& nodes, const ClusterSpec& spec,
                    const TopologyConstraint& near) {
    if (near.gpu_memory_min == Bytes(0) && near.compute_capability_min == 0) return;
    DimensionSet gpus = 0, able = 0;
    for (const DimensionId type : spec.dimensions.of_name("gpu")) gpus |= dimension_bit(type);
    for (const NodeSpec& node : spec.nodes) {
        for (const Device& device : node.devices) {
            if (is_able(device, near)) able |= dimension_bit(device.dimension);
        }
    }
    for (auto* list : {&demand.gres_per_node, &demand.gres_per_task, &demand.gres_total}) {
        for (GresDemand& gres : *list) {
            if ((gres.dimensions & gpus) != 0) gres.dimensions &= able;
        }
    }
    for (std::size_t n = nodes.find_first(); n != BitSet::kNone; n = nodes.find_next(n)) {
        const bool all = std::ranges::all_of(spec.nodes[n].devices, [&](const Device& device) {
            return (dimension_bit(device.dimension) & able) == 0 || is_able(device, near);
        });
        if (!all) nodes.reset(n);
    }
}

// Keeps the nodes whose hardware has what is asked for.
void keep_shaped(BitSet& nodes, const ClusterSpec& spec, const NodeShape& least) {
    if (least == NodeShape{}) return;
    for (std::size_t n = nodes.find_first(); n != BitSet::kNone; n = nodes.find_next(n)) {
        if (!has_shape(spec.nodes[n], least)) nodes.reset(n);
    }
}

// Applies affinities to node features. Affinities to jobs are evaluated before the start.
void keep_featured(BitSet& nodes, const ClusterSpec& spec, const TopologyConstraint& near) {
    for (const Affinity& wish : near.affinities) {
        if (wish.to != Affinity::To::feature || !wish.required) continue;
        for (std::size_t n = nodes.find_first(); n != BitSet::kNone; n = nodes.find_next(n)) {
            const auto& features = spec.nodes[n].features;
            const bool has = std::ranges::find(features, wish.name) != features.end();
            if (has == wish.apart) nodes.reset(n);
        }
    }
}

void set_near(Demand& demand, const TopologyConstraint& near) {
    demand.near = {
        .switches = near.switches.value_or(0),
        .segment = near.segment.value_or(0),
        .contiguous = near.contiguous,
        .spread = near.spread,
        .threads_per_core = near.node.threads_per_core,
        .layout = near.layout,
        .any_cores = near.layout.per_socket > 0 && !demand.exclusive && !near.layout.overcommit};
    if (near.fewest_nodes) demand.fewest_nodes = true;
    if (near.spread) demand.fewest_nodes = false;  // Up to nodes_max, which -N sets.
}

// Keeps the nodes with devices that can give the part.
void keep_able(BitSet& nodes, const ClusterSpec& spec, const Demand& demand) {
    if (!demand.share) return;
    for (std::size_t n = nodes.find_first(); n != BitSet::kNone; n = nodes.find_next(n)) {
        const bool able = std::ranges::any_of(spec.nodes[n].devices, [&](const Device& device) {
            return gives_part(device, *demand.share);
        });
        if (!able) nodes.reset(n);
    }
}

void set_choices(Demand& demand, const ClusterSpec& spec, BitSet nodes,
                 std::string_view constraint) {
    if (constraint.empty()) {
        demand.choices.push_back(std::move(nodes));
        return;
    }
    const Result<FeatureExpression> features = FeatureExpression::parse(constraint);
    if (!features.ok()) {  // Never admitted: no node matches.
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
    // Admission has checked this.
    const GpuCounts counts = gpu_counts(request).value_or(GpuCounts{});
    set_tasks(demand, request, counts);
    demand.exclusive = partition.exclusive || (request.exclusive && !partition.ignores_exclusive());
    set_near(demand, request.nearness);
    demand.near.turns = jobs_on_core(spec, job) > 1;
    set_gres(demand, spec.dimensions, request, counts);
    set_socket_gpus(demand, spec);
    set_memory(demand, spec, job);
    set_share(demand, spec, request);
    demand.near.over_time = spec.over_time_limit(job.partition);
    demand.partition_cpus = partition_cpus(spec, partition);
    demand.licenses = request.licenses;
    std::erase_if(demand.licenses.counts, [](const LicenseCount& one) { return one.count == 0; });
    return demand;
}

// Removes the GPUs from a list. Returns their number, and narrows `types` to those acceptable for
// all.
std::int64_t take_gpus(std::vector<GresDemand>& list, DimensionSet gpus, DimensionSet& types) {
    std::int64_t count = 0;
    std::erase_if(list, [&](const GresDemand& one) {
        if ((one.dimensions & gpus) == 0) return false;
        count += one.count;
        types &= one.dimensions;
        return true;
    });
    return count;
}

// Turns the GPUs of a one-node demand into a demand for linked GPUs. `nodes` keeps the nodes that
// have them when empty.
void want_linked(Demand& demand, BitSet& nodes, const ClusterSpec& spec) {
    DimensionSet gpus = 0;
    for (const DimensionId type : spec.dimensions.of_name("gpu")) gpus |= dimension_bit(type);
    DimensionSet types = gpus;
    const std::int64_t tasks = demand.tasks.value_or(demand.tasks_per_node);
    demand.nodes_min = demand.nodes_max = 1;
    demand.linked = take_gpus(demand.gres_per_node, gpus, types);
    demand.linked += take_gpus(demand.gres_per_task, gpus, types) * tasks;
    demand.linked += take_gpus(demand.gres_total, gpus, types);
    const std::int64_t enough = enough_for_linked(spec, types, demand.linked, nodes);
    demand.gres_per_node.push_back({.dimensions = types, .count = enough});
}

}  // namespace

DimensionSet dimensions_of(const Dimensions& dimensions, const GresRequest& request) {
    DimensionSet set = 0;
    if (request.type.empty()) {
        for (const DimensionId d : dimensions.of_name(request.name)) set |= dimension_bit(d);
    } else if (const auto d = dimensions.find(request.name, request.type)) {
        set = dimension_bit(*d);
    }
    return set;
}

bool is_able(const Device& device, const TopologyConstraint& near) {
    return device.memory >= near.gpu_memory_min &&
           device.compute_capability >= near.compute_capability_min;
}

bool has_shape(const NodeSpec& node, const NodeShape& least) {
    return node.sockets >= least.sockets && node.cores_per_socket >= least.cores_per_socket &&
           node.threads_per_core >= least.threads_per_core && node.tmp_disk >= least.tmp_disk;
}

bool gives_part(const Device& device, const ShareKind& part) {
    return std::ranges::any_of(device.shares, [&](const ShareKind& own) {
        return own.dimension == part.dimension && own.parts >= part.parts;
    });
}

Demand amounts_of(const ClusterSpec& spec, const Job& job) {
    Demand demand = without_nodes(spec, job);
    set_at_least(demand, job.spec.request->nodelist.size());
    return demand;
}

Demand demand_of(const ClusterSpec& spec, const Job& job) {
    const JobRequest& request = job.spec.request;
    Demand demand = without_nodes(spec, job);
    BitSet nodes = candidates(spec, spec.partition(job.partition), request);
    keep_able(nodes, spec, demand);
    keep_able_gpus(demand, nodes, spec, request.nearness);
    keep_featured(nodes, spec, request.nearness);
    keep_shaped(nodes, spec, request.nearness->node);
    keep_socketed(nodes, spec, demand.near);
    if (request.nearness->pack) want_linked(demand, nodes, spec);
    set_choices(demand, spec, std::move(nodes), request.constraint);
    set_required(demand, spec, request);
    set_at_least(demand, demand.required.count());
    return demand;
}

Bytes memory_on_fullest(const ClusterSpec& spec, const Demand& demand) {
    if (demand.memory.rule == MemoryRule::per_node) return demand.memory.amount;
    if (demand.memory.rule != MemoryRule::per_cpu) return Bytes(0);
    const std::uint32_t tasks =
        demand.tasks ? ceil_div(*demand.tasks, demand.nodes_max) : demand.tasks_per_node;
    const std::int64_t used = asked_cpus(demand, std::max(tasks, 1U), 1);
    return demand.memory.amount * held_cpus(spec, demand, used);
}

bool exceeds_node_memory(const ClusterSpec& spec, const PartitionSpec& partition,
                         const Demand& demand) {
    const std::optional<Bytes> most = node_memory_max(partition);
    return most && memory_on_fullest(spec, demand) > *most;
}

CoreUse core_use(const Demand& demand, const NodeSpec& node) {
    return core_use(demand.near, demand.cpus_per_task, node);
}

std::int64_t asked_cpus(const Demand& demand, std::int64_t tasks, std::int64_t nodes) {
    const std::int64_t times = demand.near.layout.overcommit ? nodes : tasks;
    if (times > INT64_MAX / std::max<std::int64_t>(demand.cpus_per_task, 1)) return INT64_MAX;
    return times * demand.cpus_per_task;
}

std::int64_t held_cpus(const ClusterSpec& spec, const Demand& demand, std::int64_t used) {
    return least_held(spec, demand.choices, demand).of(used);
}

BitSet shaped_nodes(const ClusterSpec& spec, const Job& job) {
    BitSet nodes = candidates(spec, spec.partition(job.partition), job.spec.request);
    keep_shaped(nodes, spec, job.spec.request->nearness->node);
    return nodes;
}

NodeNeed need_on(const Demand& demand, const NodeSpec& node, std::uint32_t tasks) {
    const CoreUse use = core_use(demand, node);
    const auto cpus_of = [&](std::uint64_t cores) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(
            std::min<std::uint64_t>(cores, UINT32_MAX) * node.threads_per_core, UINT32_MAX));
    };
    NodeNeed need;
    need.cores =
        demand.exclusive
            ? node.cores()
            : static_cast<std::uint32_t>(std::min<std::uint64_t>(use.cores_for(tasks), UINT32_MAX));
    need.cpus = need.counted_cpus = cpus_of(need.cores);
    if (demand.near.any_cores && tasks <= most_tasks(use, node))
        need.counted_cpus = cpus_of(enough_cores(use, node, tasks));
    switch (demand.memory.rule) {
        case MemoryRule::none: break;
        case MemoryRule::per_node: need.memory = demand.memory.amount; break;
        case MemoryRule::per_cpu: need.memory = demand.memory.amount * need.cpus; break;
        case MemoryRule::whole_node: need.memory = node.capacity.memory(); break;
    }
    return need;
}

Demand plain_demand_of(const ClusterSpec& spec, const Job& job) {
    Demand demand = demand_of(spec, job);
    if (demand.nodes_max > 1) return demand;
    for (const GresDemand& gres : demand.gres_total) demand.gres_per_node.push_back(gres);
    demand.gres_total.clear();
    return demand;
}

}  // namespace berth
