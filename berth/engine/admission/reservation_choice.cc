#include "berth/engine/admission/reservation_choice.h"

#include <algorithm>

#include "berth/engine/derived/derived_state.h"
#include "berth/engine/plan/plan_search.h"

namespace berth {
namespace {

// The demand of a job that asks for exactly this amount.
Demand demand_for(const ClusterSpec& spec, const ReservedAmount& amount, BitSet candidates) {
    Demand demand;
    demand.required = BitSet(spec.nodes.size());
    if (amount.nodes > 0) {
        demand.nodes_min = demand.nodes_max = amount.nodes;
        demand.tasks_per_node = 1;
        demand.exclusive = true;
        demand.memory.rule = MemoryRule::whole_node;
        demand.choices.push_back(std::move(candidates));
        return demand;
    }
    std::int64_t pieces = amount.gpus;
    DimensionSet dimensions = 0;
    for (const DimensionId d : spec.dimensions.of_name("gpu")) {
        const bool wanted =
            amount.gpu_type.empty() || spec.dimensions.at(d).type == amount.gpu_type;
        if (wanted) dimensions |= dimension_bit(d);
    }
    // Of each piece, on the node with the least.
    std::int64_t cpus = INT64_MAX, memory = INT64_MAX;
    for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
        const NodeSpec& node = spec.nodes[n];
        std::int64_t gpus = 0;
        for (const DimensionId d : spec.dimensions.of_name("gpu")) gpus += node.capacity[d];
        const std::int64_t count = amount.gpus > 0 ? gpus : node.cores();
        if (!candidates.test(n) || count == 0) continue;
        cpus = std::min(cpus, node.cores() / count * node.threads_per_core);
        memory = std::min(memory, node.capacity.memory().count() / std::max(1U, node.cpus()));
    }
    if (amount.gpus > 0) {
        demand.gres_per_task.push_back({.dimensions = dimensions, .count = 1});
    } else {
        pieces = amount.cores;
    }
    if (cpus == INT64_MAX) cpus = memory = 0;
    demand.tasks = static_cast<std::uint32_t>(std::clamp<std::int64_t>(pieces, 1, 1'000'000));
    demand.nodes_max = *demand.tasks;
    demand.cpus_per_task = static_cast<std::uint32_t>(std::max<std::int64_t>(cpus, 1));
    demand.memory.rule = MemoryRule::per_cpu;
    demand.memory.amount = Bytes(memory);
    demand.choices.push_back(std::move(candidates));
    return demand;
}

bool meet(const std::vector<Span>& a, const std::vector<Span>& b) {
    return std::ranges::any_of(a, [&](const Span& one) {
        return std::ranges::any_of(
            b, [&](const Span& other) { return one.start < other.end && other.start < one.end; });
    });
}

}  // namespace

bool overlap(const ClusterSpec& spec, const Reservation& a, const Reservation& b) {
    if (!meet(spans_of(a), spans_of(b))) return false;
    return std::ranges::any_of(a.amounts, [&](const auto& part) {
        const auto other =
            std::ranges::find(b.amounts, part.first, &std::pair<NodeId, Resources>::first);
        return other != b.amounts.end() &&
               !fits(part.second + other->second, spec.node(part.first).capacity);
    });
}

// Nodes that other reservations hold whole during any of its occurrences are left out first. The
// search then considers what jobs hold during the first occurrence.
std::optional<std::vector<std::pair<NodeId, Resources>>> choose_amounts(
    const Engine& engine, Time now, const Reservation& reservation, const ReservedAmount& amount,
    BitSet candidates) {
    const ClusterState& state = engine.state();
    const ClusterSpec& spec = state.spec();
    const DerivedState& derived = engine.derived();
    const bool over_others = reservation.maint || reservation.overlap;
    for (const auto& [name, other] : state.reservations()) {
        if (over_others || name == reservation.name || !other.whole_nodes) continue;
        if (!meet(spans_of(reservation), spans_of(other))) continue;
        for (const auto& [node, held] : other.amounts) candidates.reset(node.index());
    }
    const EngineView view(state, derived, now);
    const PlacementPreference preference{derived.policy.placement(), view};
    const Demand demand = demand_for(spec, amount, candidates);
    std::optional<std::vector<Part>> parts;
    if (reservation.ignore_jobs || over_others) {
        const auto rooms = [&](NodeId node) { return &spec.node(node).capacity; };
        auto placed = place(demand, rooms, preference);
        if (auto* found = std::get_if<std::vector<Part>>(&placed)) parts = std::move(*found);
    } else {
        const Time start = std::max(reservation.start, now);
        auto found = find_on_nodes(demand, {start, start, reservation.end - start}, derived.book,
                                   BitSet::all(spec.nodes.size()), preference);
        if (found) parts = std::move(found->parts);
    }
    if (!parts) return std::nullopt;
    std::vector<std::pair<NodeId, Resources>> amounts;
    for (const Part& part : *parts) amounts.emplace_back(part.node, part.take.amount);
    return amounts;
}

Resources share_for_gpus(const ClusterSpec& spec, const NodeSpec& node, std::int64_t gpus) {
    std::int64_t total = 0;
    for (const DimensionId d : spec.dimensions.of_name("gpu")) total += node.capacity[d];
    gpus = std::min(gpus, total);
    Resources share;
    if (gpus <= 0) return share;
    const std::int64_t all_cores = node.cores();
    const std::int64_t some_cores = all_cores * gpus / total;
    share.set_cpu(cores(some_cores * node.threads_per_core));
    share.set_memory(Bytes(node.capacity.memory().count() / total * gpus));
    std::int64_t left = gpus;
    for (const DimensionId d : spec.dimensions.of_name("gpu")) {
        share[d] = std::min(left, node.capacity[d]);
        left -= share[d];
    }
    return share;
}

}  // namespace berth
