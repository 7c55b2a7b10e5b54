#include "berth/engine/plan/linked.h"

namespace berth {
namespace {

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
           topologies.has_linked(node, type, look.state.nodes().free(node).devices,
                                 static_cast<int>(demand.linked));
}

}  // namespace

bool has_linked_now(const Demand& demand, const SharedLook& look, NodeId node,
                    const Topologies& topologies) {
    bool has = false;
    each_type(demand, [&](DimensionId type) {
        has = has || linked_of_type(demand, look, node, type, topologies);
    });
    return has;
}

std::optional<Found> find_linked_now(const Demand& demand, const SharedLook& look,
                                     const BitSet& usable, const PlacementPreference& preference,
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
            if (auto parts = gather(rest, offers, preference))
                found = Found{look.now, *std::move(parts)};
        }
    });
    return found;
}

}  // namespace berth
