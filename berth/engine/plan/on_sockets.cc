#include "berth/engine/plan/on_sockets.h"

#include <algorithm>

namespace berth {
namespace {

Resources room_now(const Demand& demand, const SharedLook& look, NodeId node) {
    const Timeline& timeline = look.book.timeline(node, demand.reservation);
    return timeline.least_free(look.now, after(look.now, look.length));
}

// The cores that are taken now are known: no more than these.
Demand of_these_cores(const Demand& demand) {
    Demand exact = demand;
    exact.near.any_cores = false;
    return exact;
}

std::uint32_t tasks_in(const Demand& exact, const SharedLook& look, NodeId node,
                       const Resources& room) {
    const NodeSpec& spec = look.state.spec().node(node);
    const std::uint32_t most =
        std::min(tasks_per_node_max(exact),
                 tasks_on(core_use(exact, spec), spec, look.state.nodes().free(node).cores));
    return tasks_that_fit(exact, spec, room, most);
}

}  // namespace

std::uint32_t tasks_on_sockets_now(const Demand& demand, const SharedLook& look, NodeId node) {
    return tasks_in(of_these_cores(demand), look, node, room_now(demand, look, node));
}

std::optional<Found> find_on_sockets_now(const Demand& demand, const SharedLook& look,
                                         const BitSet& usable,
                                         const PlacementPreference& preference) {
    const Demand exact = of_these_cores(demand);
    for (const BitSet& choice : exact.choices) {
        std::vector<Offer> offers;
        for (std::size_t n = choice.find_first(); n != BitSet::kNone; n = choice.find_next(n)) {
            if (!usable.test(n)) continue;
            const NodeId node = NodeId::from_index(n);
            const Resources room = room_now(exact, look, node);
            const std::uint32_t tasks = tasks_in(exact, look, node, room);
            if (tasks > 0) offers.push_back({node, room, tasks});
        }
        if (auto parts = gather(exact, offers, preference))
            return Found{look.now, *std::move(parts), {}};
    }
    return std::nullopt;
}

}  // namespace berth
