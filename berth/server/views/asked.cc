#include "berth/server/views/asked.h"

#include <algorithm>

#include "berth/engine/placement/demand.h"
#include "berth/model/oversubscribe.h"
#include "berth/server/views/tres_text.h"

namespace berth {
namespace {

std::uint32_t narrow(std::uint64_t n) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(n, UINT32_MAX));
}

// Counted under the dimension where there is one alone; "gpu" of several types under the first.
void add(Resources& gres, const std::vector<GresDemand>& demands, std::int64_t times) {
    for (const GresDemand& one : demands) {
        if (one.dimensions == 0) continue;
        const DimensionId d(static_cast<std::uint32_t>(std::countr_zero(one.dimensions)));
        gres[d] += one.count * times;
    }
}

Bytes memory_of(const Demand& demand, const Asked& asked) {
    switch (demand.memory.rule) {
        case MemoryRule::none:
        case MemoryRule::whole_node: return Bytes(0);  // Known once the nodes are.
        case MemoryRule::per_node: return demand.memory.amount * asked.nodes;
        case MemoryRule::per_cpu: return demand.memory.amount * asked.cpus;
    }
    return Bytes(0);
}

}  // namespace

Asked asked_of(const ClusterSpec& spec, const Job& job) {
    const Demand demand = amounts_of(spec, job);
    Asked asked;
    asked.nodes = demand.nodes_min;
    asked.tasks = demand.tasks.value_or(
        narrow(std::uint64_t{demand.nodes_min} * std::max(demand.tasks_per_node, 1U)));
    asked.cpus = narrow(static_cast<std::uint64_t>(asked_cpus(demand, asked.tasks, asked.nodes)));
    asked.tres.cpus = asked.cpus;
    asked.tres.nodes = asked.nodes;
    asked.tres.memory = memory_of(demand, asked);
    add(asked.tres.gres, demand.gres_per_node, asked.nodes);
    add(asked.tres.gres, demand.gres_per_task, asked.tasks);
    add(asked.tres.gres, demand.gres_total, 1);
    Resources amount = asked.tres.gres;
    amount.set_cpu(cores(asked.cpus));
    amount.set_memory(asked.tres.memory);
    asked.tres.billed = billed_in(spec, job.partition, asked.nodes, amount);
    asked.request = job.spec.request;
    const PartitionSpec& partition = spec.partition(job.partition);
    if (partition.ignores_exclusive()) asked.request.exclusive = false;
    const CoreSharing sharing = core_sharing_of(partition.oversubscribe);
    if (sharing.jobs > 1 && !sharing.if_asked) asked.request.oversubscribe = true;
    if (!asked.request.memory_per_cpu && !asked.request.memory_per_node) {
        asked.request.memory_per_cpu = partition.default_memory_per_cpu;
        if (!asked.request.memory_per_cpu)
            asked.request.memory_per_node = partition.default_memory_per_node;
    }
    return asked;
}

}  // namespace berth
