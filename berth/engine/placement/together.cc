#include "berth/engine/placement/together.h"

#include <algorithm>

namespace berth {
namespace {

// The least that the demand takes, on however many nodes.
struct Least {
    std::int64_t nodes = 0, cpus = 0;
    Bytes memory;
    std::vector<GresDemand> gres;
};

Least least_of(const Demand& demand) {
    Least least{.nodes = demand.nodes_min};
    const std::int64_t tasks = demand.tasks
                                   ? std::max<std::int64_t>(*demand.tasks, demand.nodes_min)
                                   : std::int64_t{demand.tasks_per_node} * demand.nodes_min;
    least.cpus = asked_cpus(demand, tasks, demand.nodes_min);
    if (demand.memory.rule == MemoryRule::per_node)
        least.memory = demand.memory.amount * least.nodes;
    if (demand.memory.rule == MemoryRule::per_cpu) least.memory = demand.memory.amount * least.cpus;
    const auto add = [&](const std::vector<GresDemand>& all, std::int64_t times) {
        for (const GresDemand& one : all) least.gres.push_back({one.dimensions, one.count * times});
    };
    add(demand.gres_per_node, least.nodes);
    add(demand.gres_per_task, tasks);
    add(demand.gres_total, 1);
    return least;
}

Resources sum_of_choices(const std::vector<const Demand*>& demands, const ClusterSpec& spec,
                         const std::function<bool(NodeId)>& is_usable, std::int64_t& nodes) {
    Resources sum;
    for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
        const bool is_choice = std::ranges::any_of(demands, [&](const Demand* demand) {
            return std::ranges::any_of(demand->choices,
                                       [&](const BitSet& choice) { return choice.test(n); });
        });
        if (!is_choice || !is_usable(NodeId::from_index(n))) continue;
        sum += spec.nodes[n].capacity;
        ++nodes;
    }
    return sum;
}

// Compares what only these dimensions can serve with the sum of them.
bool has_gres(const std::vector<GresDemand>& all, DimensionSet set, const Resources& sum) {
    std::int64_t asked = 0, there = 0;
    for (const GresDemand& one : all) {
        if ((one.dimensions & ~set) == 0) asked += one.count;
    }
    for (std::size_t d = 0; d < kDimensionsMax; ++d) {
        const DimensionId dimension = DimensionId::from_index(d);
        if ((set & dimension_bit(dimension)) != 0) there += sum[dimension];
    }
    return asked <= there;
}

}  // namespace

bool may_fit_together(const std::vector<const Demand*>& demands, const ClusterSpec& spec,
                      const std::function<bool(NodeId)>& is_usable) {
    std::int64_t nodes = 0, exclusive = 0, cpus = 0;
    const Resources sum = sum_of_choices(demands, spec, is_usable, nodes);
    Bytes memory;
    std::vector<GresDemand> gres;
    for (const Demand* const demand : demands) {
        Least least = least_of(*demand);
        if (demand->exclusive) exclusive += least.nodes;
        cpus += least.cpus;
        memory += least.memory;
        gres.insert(gres.end(), least.gres.begin(), least.gres.end());
    }
    if (exclusive > nodes || cores(cpus) > sum.cpu() || memory > sum.memory()) return false;
    return std::ranges::all_of(
        gres, [&](const GresDemand& one) { return has_gres(gres, one.dimensions, sum); });
}

}  // namespace berth
