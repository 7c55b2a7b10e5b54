#include "berth/engine/limits/limit_request.h"

#include <algorithm>
#include <bit>
#include <map>

#include "berth/policy/tres.h"

namespace berth {
namespace {

std::int64_t tasks_of(const Demand& demand) {
    return demand.tasks ? *demand.tasks : std::int64_t{demand.nodes_min} * demand.tasks_per_node;
}

struct WholeRequest {
    std::int64_t nodes = 0, cpus = 0, memory = 0;  // Memory in MiB.
    GresCounts beyond;                             // What whole nodes have beyond the request.
    Resources amount;  // All of it, for billing. GRES of any type count as the first type.
};

// Visits the dimensions and the number of each GRES of the request.
template <class Visit>
void each_gres(const Demand& demand, Visit visit) {
    const auto each = [&](const std::vector<GresDemand>& demands, std::int64_t factor) {
        for (const GresDemand& one : demands) visit(one.dimensions, one.count * factor);
    };
    each(demand.gres_per_node, demand.nodes_min);
    each(demand.gres_per_task, tasks_of(demand));
    each(demand.gres_total, 1);
}

// The dimensions of each GRES that is allocated whole: "gpu" stands for all its types.
std::vector<DimensionSet> gres_by_name(const ClusterSpec& spec) {
    std::map<std::string_view, DimensionSet> by_name;
    for (const DimensionId d : spec.dimensions.gres()) {
        const std::string& name = spec.dimensions.at(d).name;
        if (!is_share_name(name)) by_name[name] |= dimension_bit(d);
    }
    std::vector<DimensionSet> sets;
    sets.reserve(by_name.size());
    for (const auto& [name, set] : by_name) sets.push_back(set);
    return sets;
}

std::int64_t amount_in(const Resources& amount, DimensionSet set) {
    std::int64_t sum = 0;
    for (; set != 0; set &= set - 1) {
        sum += amount[DimensionId(static_cast<std::uint32_t>(std::countr_zero(set)))];
    }
    return sum;
}

// An exclusive job holds its nodes whole, whatever it asks for: at least as much as the smallest
// nodes that it may have.
void add_whole_nodes(const ClusterSpec& spec, const Demand& demand, WholeRequest& asked) {
    const std::vector<DimensionSet> names = gres_by_name(spec);
    std::int64_t least = INT64_MAX;
    std::vector<std::int64_t> least_gres(names.size(), INT64_MAX);
    for (const BitSet& choice : demand.choices) {
        for (std::size_t n = choice.find_first(); n != BitSet::kNone; n = choice.find_next(n)) {
            least = std::min<std::int64_t>(least, spec.nodes[n].cpus());
            for (std::size_t i = 0; i < names.size(); ++i) {
                least_gres[i] =
                    std::min(least_gres[i], amount_in(spec.nodes[n].capacity, names[i]));
            }
        }
    }
    if (least == INT64_MAX) return;
    asked.cpus = std::max(asked.cpus, least * asked.nodes);
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::int64_t more = least_gres[i] * asked.nodes;
        each_gres(demand, [&](DimensionSet dimensions, std::int64_t count) {
            if ((dimensions & ~names[i]) == 0) more -= count;
        });
        if (more <= 0) continue;
        asked.beyond.emplace_back(names[i], more);
        const auto first = static_cast<std::uint32_t>(std::countr_zero(names[i]));
        asked.amount[DimensionId(first)] += more;
    }
}

WholeRequest asked_by(const ClusterSpec& spec, const Demand& demand) {
    WholeRequest asked{.nodes = demand.nodes_min};
    asked.cpus = held_cpus(spec, demand, asked_cpus(demand, tasks_of(demand), asked.nodes));
    const std::int64_t times = demand.memory.rule == MemoryRule::per_cpu ? asked.cpus : asked.nodes;
    const bool counted =
        demand.memory.rule == MemoryRule::per_cpu || demand.memory.rule == MemoryRule::per_node;
    if (counted) asked.memory = (demand.memory.amount.count() >> 20) * times;
    each_gres(demand, [&](DimensionSet dimensions, std::int64_t count) {
        if (dimensions == 0) return;
        const auto first = static_cast<std::uint32_t>(std::countr_zero(dimensions));
        asked.amount[DimensionId(first)] += count;
    });
    if (demand.exclusive) add_whole_nodes(spec, demand, asked);
    asked.amount.set_cpu(cores(asked.cpus));
    asked.amount.set_memory(Bytes(asked.memory << 20));
    return asked;
}

}  // namespace

std::int64_t LimitRequest::of(const TresLimit& limit, const Demand& demand) const {
    if (limit.flavor != FlavorChoice::kNone && limit.flavor != more->flavor) return 0;
    std::int64_t sum = 0;
    switch (limit.kind) {
        case TresKind::cpu: return cpus;
        case TresKind::mem: return memory;
        case TresKind::node: return demand.nodes_min;
        case TresKind::billing: return billing;
        case TresKind::license: return count_of(more->licenses, limit.license);
        case TresKind::gres: {
            const auto add = [&](DimensionSet dimensions, std::int64_t count) {
                if (dimensions != 0 && (dimensions & ~limit.dimensions) == 0) sum += count;
            };
            each_gres(demand, add);
            for (const auto& [dimensions, count] : more->of_nodes) add(dimensions, count);
            return sum;
        }
    }
    return sum;
}

LimitRequest limit_request_of(const ClusterState& state, PartitionId partition,
                              const Demand& demand) {
    const ClusterSpec& spec = state.spec();
    WholeRequest asked = asked_by(spec, demand);
    const std::int64_t billing = billing_of(spec, partition, {asked.nodes, asked.amount}).whole;
    return {.cpus = asked.cpus,
            .memory = asked.memory,
            .billing = billing,
            .more = LimitRequest::More{
                .of_nodes = std::move(asked.beyond),
                .licenses = state.quota().licenses()->counts_of(demand.licenses.counts),
                .flavor = state.quota().queues().flavors().of_all(demand.choices)}};
}

}  // namespace berth
