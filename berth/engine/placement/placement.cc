#include "berth/engine/placement/placement.h"

#include <algorithm>
#include <bit>

#include "berth/engine/placement/placement_share.h"
#include "berth/engine/state/lent_cores.h"

namespace berth {
namespace {

std::vector<Offer> offers_from(const Demand& demand, const BitSet& choice, const Rooms& rooms,
                               const ClusterSpec& spec) {
    std::vector<Offer> offers;
    for (std::size_t n = choice.find_first(); n != BitSet::kNone; n = choice.find_next(n)) {
        const NodeId node = NodeId::from_index(n);
        const Resources* room = rooms(node);
        if (room == nullptr) continue;
        const std::uint32_t tasks =
            tasks_that_fit(demand, spec.node(node), *room, tasks_per_node_max(demand));
        if (tasks > 0) offers.push_back({node, *room, tasks});
    }
    return offers;
}

std::optional<std::vector<Part>> try_place(const Demand& demand, const Rooms& rooms,
                                           const PlacementPreference& preference) {
    for (const BitSet& choice : demand.choices) {
        const auto offers = offers_from(demand, choice, rooms, preference.view.spec());
        if (auto parts = gather(demand, offers, preference)) return parts;
    }
    return std::nullopt;
}

// The choice with the most nodes, to which shortages refer.
BitSet widest_choice(const Demand& demand) {
    BitSet widest;
    for (const BitSet& choice : demand.choices) {
        // NOLINTNEXTLINE(readability-container-size-empty): empty() is whether none is set.
        if (widest.size() == 0 || choice.count() > widest.count()) widest = choice;
    }
    return widest;
}

// How much of one kind a node must have to be of use, and what the whole job asks.
struct Want {
    DimensionSet dimensions = 0;
    std::int64_t on_node = 0;
    std::int64_t in_all = 0;
};

std::vector<Want> wants_of(const Demand& demand, const NodeSpec& node) {
    const std::uint32_t tasks = tasks_per_node_min(demand);
    const std::int64_t all_tasks =
        demand.tasks ? *demand.tasks : std::int64_t{demand.nodes_min} * tasks;
    const NodeNeed need = need_on(demand, node, tasks);
    const std::int64_t cpus = demand.exclusive ? std::int64_t{need.cpus} * demand.nodes_min
                                               : asked_cpus(demand, all_tasks, demand.nodes_min);
    std::vector<Want> wants;
    wants.push_back({dimension_bit(kCpuDimension), std::int64_t{need.cpus} * 1000, cpus * 1000});
    const std::int64_t memory = need.memory.count();
    const std::int64_t factor = demand.memory.rule == MemoryRule::per_cpu
                                    ? all_tasks / std::max(tasks, 1U)
                                    : demand.nodes_min;
    wants.push_back({dimension_bit(kMemoryDimension), memory, memory * factor});
    for (const GresDemand& gres : demand.gres_per_node) {
        wants.push_back({gres.dimensions, gres.count, gres.count * demand.nodes_min});
    }
    for (const GresDemand& gres : demand.gres_per_task) {
        wants.push_back({gres.dimensions, gres.count * tasks, gres.count * all_tasks});
    }
    for (const GresDemand& gres : demand.gres_total) {
        wants.push_back({gres.dimensions, 1, gres.count});
    }
    return wants;
}

std::int64_t sum_of_dimensions(const Resources& amounts, DimensionSet dimensions) {
    std::int64_t sum = 0;
    for (; dimensions != 0; dimensions &= dimensions - 1) {
        sum += amounts[DimensionId(static_cast<std::uint32_t>(std::countr_zero(dimensions)))];
    }
    return sum;
}

}  // namespace

std::string dimension_name(const Dimensions& dimensions, DimensionSet set) {
    if (set == 0) return "gres";
    const auto lowest_bit = static_cast<std::uint32_t>(std::countr_zero(set));
    const Dimension& first = dimensions.at(DimensionId(lowest_bit));
    const bool one_type = (set & (set - 1)) == 0 && !first.type.empty();
    return one_type ? first.name + ":" + first.type : first.name;
}

std::variant<std::vector<Part>, Why> place(const Demand& demand, const Rooms& rooms,
                                           const PlacementPreference& preference) {
    if (auto parts = try_place(demand, rooms, preference)) return *std::move(parts);
    return why_not(demand, rooms, preference.view.spec());
}

Why why_not(const Demand& demand, const Rooms& rooms, const ClusterSpec& spec) {
    const BitSet nodes = widest_choice(demand);
    const std::size_t first = nodes.find_first();
    Why why;
    Shortage count{.resource = "nodes", .asked = demand.nodes_min, .nodes_asked = demand.nodes_min};
    std::vector<Want> wants;
    if (first != BitSet::kNone) wants = wants_of(demand, spec.nodes[first]);
    std::vector<Shortage> each(wants.size());
    for (std::size_t n = first; n != BitSet::kNone; n = nodes.find_next(n)) {
        const NodeId node = NodeId::from_index(n);
        const Resources* room = rooms(node);
        ++count.total;
        for (std::size_t i = 0; i < wants.size(); ++i) {
            const std::int64_t own =
                sum_of_dimensions(spec.node(node).capacity, wants[i].dimensions);
            each[i].total += own;
            each[i].node_total = std::max(each[i].node_total, own);
            if (room == nullptr) continue;
            const std::int64_t free =
                std::max<std::int64_t>(0, sum_of_dimensions(*room, wants[i].dimensions));
            each[i].free += free;
            if (free >= wants[i].on_node) ++each[i].nodes_fit;
        }
        if (room != nullptr &&
            tasks_that_fit(demand, spec.node(node), *room, tasks_per_node_max(demand)) > 0) {
            ++count.free;
        }
    }
    for (std::size_t i = 0; i < wants.size(); ++i) {
        each[i].resource = dimension_name(spec.dimensions, wants[i].dimensions);
        each[i].asked = wants[i].in_all;
        each[i].on_node = wants[i].on_node;
        each[i].nodes_asked = demand.nodes_min;
        if (each[i].free < each[i].asked || each[i].nodes_fit < demand.nodes_min) {
            why.shortages.push_back(each[i]);
        }
    }
    count.nodes_fit = static_cast<std::uint32_t>(count.free);
    std::ranges::stable_sort(why.shortages, {}, &Shortage::nodes_fit);
    if (why.shortages.empty() || count.total < count.asked) {
        why.shortages.insert(why.shortages.begin(), count);
    }
    for (Shortage& shortage : why.shortages) {
        if (shortage.resource != "cpu") continue;
        shortage.asked /= 1000;
        shortage.free /= 1000;
        shortage.on_node /= 1000;
        shortage.node_total /= 1000;
        shortage.total /= 1000;
    }
    return why;
}

namespace {

// The cores that are free although a run holds them: it lends them, if only in a trial.
BitSet lent_now(const ClusterState& state, NodeId node) {
    if (!state.index().any_lender_on(node)) return {};
    const BitSet& free = state.nodes().free(node).cores;
    BitSet held(free.size());
    for (const JobId id : state.index().on_node(node)) {
        const NodeShare* const share = share_on(*state.find_job(id), node);
        if (share != nullptr && share->cores.size() == held.size()) held |= share->cores;
    }
    return held & free;
}

}  // namespace

Allocation settle(const ClusterState& state, const std::vector<Part>& parts,
                  const Topologies& topologies) {
    Allocation allocation;
    for (const Part& part : parts) {
        allocation.shares.push_back(settle(state.spec().node(part.node),
                                           state.nodes().free(part.node), part, topologies,
                                           lent_now(state, part.node)));
    }
    return allocation;
}

namespace {

// Whether any nodes with room for the job will do, if there are enough of them.
bool takes_any_nodes(const Demand& demand) {
    const Near& near = demand.near;
    return demand.nodes_max > 1 && !demand.tasks && demand.gres_total.empty() &&
           demand.required.empty() && !near.contiguous && near.switches == 0 && near.segment == 0;
}

bool has_enough_nodes(const Demand& demand, const Rooms& rooms, const ClusterSpec& spec) {
    const std::uint32_t most = tasks_per_node_max(demand);
    return std::ranges::any_of(demand.choices, [&](const BitSet& choice) {
        std::uint32_t left = demand.nodes_min;
        std::size_t n = choice.find_first();
        for (; left > 0 && n != BitSet::kNone; n = choice.find_next(n)) {
            const NodeId node = NodeId::from_index(n);
            const Resources* room = rooms(node);
            if (room != nullptr && tasks_that_fit(demand, spec.node(node), *room, most) > 0) --left;
        }
        return left == 0;
    });
}

bool could_run(const Demand& demand, const Rooms& rooms, const PlacementPreference& preference) {
    if (takes_any_nodes(demand)) return has_enough_nodes(demand, rooms, preference.view.spec());
    if (demand.nodes_max > 1 || !demand.gres_total.empty()) {
        // This many nodes usually suffice.
        std::uint32_t left = 4 * std::max(demand.nodes_min, 1U);
        const auto few = [&](NodeId node) {
            const Resources* room = left == 0 ? nullptr : rooms(node);
            if (room != nullptr) --left;
            return room;
        };
        return try_place(demand, few, preference).has_value() ||
               try_place(demand, rooms, preference).has_value();
    }
    const std::size_t required = demand.required.find_first();
    for (const BitSet& choice : demand.choices) {
        for (std::size_t n = choice.find_first(); n != BitSet::kNone; n = choice.find_next(n)) {
            if (required != BitSet::kNone && n != required) continue;
            const NodeId node = NodeId::from_index(n);
            const Resources* room = rooms(node);
            const std::uint32_t most = tasks_per_node_max(demand);
            if (room == nullptr) continue;
            if (tasks_that_fit(demand, preference.view.spec().node(node), *room, most) > 0)
                return true;
        }
    }
    return false;
}

}  // namespace

bool could_ever_run(const Demand& demand, const PlacementPreference& preference) {
    const ClusterSpec& spec = preference.view.spec();
    return could_run(demand, [&](NodeId node) { return &spec.node(node).capacity; }, preference);
}

bool could_run_when_free(const Demand& demand, const ClusterState& state,
                         const PlacementPreference& preference) {
    const auto room = [&](NodeId node) {
        return state.nodes().condition(node).schedulable() ? &state.spec().node(node).capacity
                                                           : nullptr;
    };
    return could_run(demand, room, preference);
}

}  // namespace berth
