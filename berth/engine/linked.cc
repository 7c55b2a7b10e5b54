#include "berth/engine/linked.h"

#include <algorithm>
#include <map>

namespace berth {
namespace {

std::vector<int> devices_of_type(const NodeSpec& node, DimensionId type) {
    std::vector<int> devices;
    for (std::size_t i = 0; i < node.devices.size(); ++i) {
        if (node.devices[i].dimension == type) devices.push_back(static_cast<int>(i));
    }
    return devices;
}

std::optional<std::int64_t> enough_of(const Wiring& wiring, std::int64_t count) {
    const DeviceTable table(wiring);
    const auto all = static_cast<std::int64_t>(wiring.sockets.size());
    if (count < 1 || count > all) return std::nullopt;
    const DeviceMask every = low_bits(static_cast<int>(all));
    if (!table.is_linked(table.choose(every, static_cast<int>(count)))) return std::nullopt;
    if (table.is_linked(every)) return count;
    if (!table.is_exact()) return all;
    std::int64_t enough = count;
    for (DeviceMask free = 0; free <= every; ++free) {
        if (popcount(free) < enough) continue;
        if (!table.is_linked(table.choose(free, static_cast<int>(count)))) {
            enough = popcount(free) + 1;
        }
    }
    return enough;
}

// Takes the GPUs out of a list: how many there were, and of which types all may be.
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

Demand beside_linked(const Demand& demand, DimensionId type) {
    Demand rest = demand;
    rest.gres_per_node.back() = {.dimensions = dimension_bit(type), .count = demand.linked};
    rest.linked = 0;
    return rest;
}

template <class Visit>
void each_type(const Demand& demand, Visit visit) {
    for_each_bit(demand.gres_per_node.back().dimensions,
                 [&](int d) { visit(DimensionId(static_cast<std::uint32_t>(d))); });
}

bool linked_of_type(const Demand& demand, const SharedLook& look, NodeId node, DimensionId type,
                    const Topologies& topologies) {
    const Time end = after(look.now, look.length);
    return look.book.timeline(node).least_free(look.now, end)[type] >= demand.linked &&
           topologies.has_linked(node, type, look.state.free(node).devices,
                                 static_cast<int>(demand.linked));
}

}  // namespace

std::optional<std::int64_t> enough_for_linked(const NodeSpec& node, DimensionId type,
                                              std::int64_t count) {
    return enough_of(wiring_of(node, devices_of_type(node, type)), count);
}

void want_linked(Demand& demand, BitSet& nodes, const ClusterSpec& spec) {
    DimensionSet gpus = 0;
    for (const DimensionId type : spec.dimensions.of_name("gpu")) gpus |= dimension_bit(type);
    DimensionSet types = gpus;
    const std::int64_t tasks = demand.tasks.value_or(demand.tasks_per_node);
    demand.nodes_min = demand.nodes_max = 1;
    demand.linked = take_gpus(demand.gres_per_node, gpus, types);
    demand.linked += take_gpus(demand.gres_per_task, gpus, types) * tasks;
    demand.linked += take_gpus(demand.gres_total, gpus, types);
    std::map<std::pair<Wiring, DimensionId>, std::optional<std::int64_t>> known;
    std::int64_t enough = demand.linked;
    for (std::size_t n = nodes.find_first(); n != BitSet::kNone; n = nodes.find_next(n)) {
        bool able = false;
        for_each_bit(types, [&](int d) {
            const DimensionId type(static_cast<std::uint32_t>(d));
            const NodeSpec& node = spec.nodes[n];
            Wiring wiring = wiring_of(node, devices_of_type(node, type));
            const auto [at, is_new] = known.try_emplace({std::move(wiring), type});
            if (is_new) at->second = enough_of(at->first.first, demand.linked);
            if (!at->second) return;
            able = true;
            enough = std::max(enough, *at->second);
        });
        if (!able) nodes.reset(n);
    }
    demand.gres_per_node.push_back({.dimensions = types, .count = enough});
}

bool has_linked_now(const Demand& demand, const SharedLook& look, NodeId node,
                    const Topologies& topologies) {
    bool has = false;
    each_type(demand, [&](DimensionId type) {
        has = has || linked_of_type(demand, look, node, type, topologies);
    });
    return has;
}

std::optional<Found> find_linked_now(const Demand& demand, const SharedLook& look,
                                     const BitSet& usable, const Taste& taste,
                                     const Topologies& topologies) {
    const ClusterSpec& spec = look.state.spec();
    const Time end = after(look.now, look.length);
    std::optional<Found> found;
    each_type(demand, [&](DimensionId type) {
        const Demand rest = beside_linked(demand, type);
        for (const BitSet& choice : demand.choices) {
            std::vector<Offer> offers;
            for (std::size_t n = choice.find_first(); n != BitSet::kNone; n = choice.find_next(n)) {
                const NodeId node = NodeId::from_index(n);
                if (found || !usable.test(n)) continue;
                if (!linked_of_type(demand, look, node, type, topologies)) continue;
                const Resources room = look.book.timeline(node).least_free(look.now, end);
                const std::uint32_t tasks =
                    tasks_that_fit(rest, spec.node(node), room, tasks_per_node_max(rest));
                if (tasks > 0) offers.push_back({node, room, tasks});
            }
            if (auto parts = gather(rest, offers, taste))
                found = Found{look.now, *std::move(parts)};
        }
    });
    return found;
}

}  // namespace berth
