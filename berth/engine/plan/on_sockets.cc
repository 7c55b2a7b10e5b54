#include "berth/engine/plan/on_sockets.h"

#include <algorithm>
#include <bit>

#include "berth/engine/placement/socket_gpus.h"

namespace berth {
namespace {

Resources room_now(const Demand& demand, const SharedLook& look, NodeId node) {
    const Timeline& timeline = look.book.timeline(node, demand.reservation);
    return timeline.least_free(look.now, after(look.now, look.length));
}

// The cores that are taken now are known: no more than these. GPUs per socket are of one type, so
// that there is a demand for each type.
std::vector<Demand> of_these_cores(const Demand& demand) {
    std::vector<Demand> all;
    Demand exact = demand;
    exact.near.any_cores = false;
    if (demand.near.sockets == 0) {
        all.push_back(std::move(exact));
        return all;
    }
    for_each_bit(demand.near.socket_gpus, [&](int d) {
        const DimensionSet type = dimension_bit(DimensionId(static_cast<std::uint32_t>(d)));
        Demand& one = all.emplace_back(exact);
        one.near.socket_gpus = type;
        for (GresDemand& gres : one.gres_per_node) {
            if (gres.dimensions == demand.near.socket_gpus) gres.dimensions = type;
        }
    });
    return all;
}

// How many sockets have room for a unit.
std::uint32_t free_sockets(const NodeSpec& node, const BitSet& cores, const CoreUse& use) {
    std::uint32_t count = 0;
    for (std::uint32_t s = 0; s < node.sockets; ++s)
        count += (socket_cores(node, s) & cores).count() >= use.cores ? 1U : 0U;
    return count;
}

// As tasks_on_sockets(), of a demand whose GPUs are of one type.
std::uint32_t tasks_of_type(const Demand& exact, const NodeSpec& node, const NodeFree& free) {
    const CoreUse use = core_use(exact, node);
    BitSet cores = free.cores;
    if (exact.near.sockets > 0) {
        const auto type = static_cast<std::uint32_t>(std::countr_zero(exact.near.socket_gpus));
        cores &= sockets_with_gpus(node, DimensionId(type), free.devices,
                                   exact.near.layout.gpus_per_socket)
                     .cores;
        if (free_sockets(node, cores, use) < exact.near.sockets) return 0;
    }
    return tasks_on(use, node, cores);
}

// By amounts as well.
std::uint32_t tasks_now(const Demand& exact, const SharedLook& look, NodeId node,
                        const Resources& room) {
    const NodeSpec& spec = look.state.spec().node(node);
    const std::uint32_t most = std::min(tasks_per_node_max(exact),
                                        tasks_of_type(exact, spec, look.state.nodes().free(node)));
    return tasks_that_fit(exact, spec, room, most);
}

}  // namespace

std::uint32_t tasks_on_sockets(const Demand& demand, const NodeSpec& node, const NodeFree& free) {
    std::uint32_t most = 0;
    for (const Demand& exact : of_these_cores(demand))
        most = std::max(most, tasks_of_type(exact, node, free));
    return most;
}

std::optional<Found> find_on_sockets_now(const Demand& demand, const SharedLook& look,
                                         const BitSet& usable,
                                         const PlacementPreference& preference) {
    for (const Demand& exact : of_these_cores(demand)) {
        for (const BitSet& choice : exact.choices) {
            std::vector<Offer> offers;
            for (std::size_t n = choice.find_first(); n != BitSet::kNone; n = choice.find_next(n)) {
                if (!usable.test(n)) continue;
                const NodeId node = NodeId::from_index(n);
                const Resources room = room_now(exact, look, node);
                const std::uint32_t tasks = tasks_now(exact, look, node, room);
                if (tasks > 0) offers.push_back({node, room, tasks});
            }
            if (auto parts = gather(exact, offers, preference))
                return Found{look.now, *std::move(parts), {}};
        }
    }
    return std::nullopt;
}

}  // namespace berth
