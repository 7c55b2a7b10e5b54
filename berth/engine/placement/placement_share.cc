#include "berth/engine/placement/placement_share.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "berth/engine/placement/socket_gpus.h"

namespace berth {
namespace {

// The cores near a device, as a set over the node's cores.
BitSet cores_near(const NodeSpec& node, const Device& device) {
    if (device.cores.empty()) return BitSet::all(node.cores());
    BitSet cores(node.cores());
    for (std::size_t core = device.cores.find_first(); core < node.cores();
         core = device.cores.find_next(core)) {
        cores.set(core);
    }
    return cores;
}

// The n lowest, or all if there are fewer.
BitSet lowest_of(const BitSet& from, std::size_t n) {
    BitSet some(from.size());
    for (std::size_t core = from.find_first(); n > 0 && core != BitSet::kNone;
         core = from.find_next(core), --n) {
        some.set(core);
    }
    return some;
}

// The devices that have enough free cores near them: `cores` divided by `count`.
DeviceMask with_free_cores(const NodeSpec& node, const NodeFree& free, DeviceMask among,
                           std::size_t cores, int count) {
    const std::size_t each =
        (cores + static_cast<std::size_t>(count) - 1) / static_cast<std::size_t>(count);
    DeviceMask fine = 0;
    for_each_bit(among, [&](int i) {
        const Device& device = node.devices[static_cast<std::size_t>(i)];
        if ((cores_near(node, device) & free.cores).count() >= each) fine |= bit(i);
    });
    return fine;
}

DeviceMask choose_devices(const NodeSpec& node, const NodeFree& free, const Part& part,
                          const Topologies& topologies) {
    DeviceMask chosen = 0;
    for (std::uint32_t i = 2; i < kDimensionsMax; ++i) {
        const DimensionId dimension(i);
        const auto count = static_cast<int>(part.take.amount[dimension]);
        const DeviceMask all = count > 0 ? topologies.devices_of(part.node, dimension) : 0;
        if (all == 0) continue;  // GRES without devices.
        const DeviceMask left = all & free.devices;
        const DeviceMask fine = with_free_cores(node, free, left, part.take.cores, count);
        chosen |= topologies.choose(part.node, dimension, left, fine, count);
    }
    return chosen;
}

// Takes cores near each device, an equal number for each.
BitSet cores_near(const NodeSpec& node, const BitSet& free, DeviceMask devices, std::size_t count) {
    BitSet taken(node.cores());
    std::size_t left = count;
    auto devices_left = static_cast<std::size_t>(popcount(devices));
    for_each_bit(devices, [&](int i) {
        const BitSet close =
            (cores_near(node, node.devices[static_cast<std::size_t>(i)]) & free) - taken;
        const BitSet part = lowest_of(close, (left + devices_left - 1) / devices_left);
        taken |= part;
        left -= part.count();
        --devices_left;
    });
    return taken;
}

// Takes cores from the socket that `count` cores fill best, then from the freest sockets until
// there are enough.
BitSet cores_by_socket(const NodeSpec& node, BitSet free, std::size_t count) {
    BitSet taken(node.cores());
    while (count > 0) {
        std::optional<BitSet> best;
        std::size_t best_free = 0;
        for (std::uint32_t s = 0; s < node.sockets; ++s) {
            BitSet here = socket_cores(node, s) & free;
            const std::size_t n = here.count();
            if (n == 0) continue;
            const bool fits_here = n >= count, fits_best = best && best_free >= count;
            const bool better =
                !best || (fits_here ? !fits_best || n < best_free : !fits_best && n > best_free);
            if (!better) continue;
            best = std::move(here);
            best_free = n;
        }
        BERTH_ASSERT(best);
        const BitSet part = lowest_of(*best, count);
        count -= part.count();
        taken |= part;
        free -= part;
    }
    return taken;
}

// Cores near the job's devices first, then by socket.
BitSet choose_cores(const NodeSpec& node, const BitSet& free, DeviceMask devices,
                    std::size_t count) {
    BitSet close = cores_near(node, free, devices, count);
    const std::size_t missing = count - close.count();
    close |= cores_by_socket(node, free - close, missing);
    return close;
}

// A socket that has units to give.
struct SocketOffer {
    std::uint32_t socket = 0;
    std::size_t room = 0, given = 0;  // In units.
    int devices = 0;                  // Of the job, near it.
};

std::vector<SocketOffer> socket_offers(const NodeSpec& node, const BitSet& free, DeviceMask devices,
                                       const SocketRule& rule) {
    std::vector<SocketOffer> offers;
    for (std::uint32_t s = 0; s < node.sockets; ++s) {
        const BitSet here = socket_cores(node, s);
        std::size_t cores = (here & free).count();
        if (rule.most > 0) cores = std::min<std::size_t>(cores, rule.most);
        SocketOffer offer{.socket = s, .room = cores / rule.unit};
        for_each_bit(devices, [&](int i) {
            const Device& device = node.devices[static_cast<std::size_t>(i)];
            if (!device.cores.empty() && cores_near(node, device).intersects(here)) ++offer.devices;
        });
        if (offer.room > 0) offers.push_back(offer);
    }
    if (rule.in_turn) return offers;
    std::ranges::stable_sort(offers, {}, [](const SocketOffer& one) {
        return std::tuple(-one.devices, SIZE_MAX - one.room);
    });
    return offers;
}

// Takes cores as the rule says: of the sockets near the job's devices first, then of the freest, or
// of all in turn. Without a number per socket, single cores make up for units that nobody has.
BitSet cores_by_rule(const NodeSpec& node, const BitSet& free, DeviceMask devices,
                     std::size_t count, SocketRule rule) {
    if (rule.most == 0 && count % rule.unit != 0) rule.unit = 1;
    std::vector<SocketOffer> offers = socket_offers(node, free, devices, rule);
    std::size_t room = 0;
    for (const SocketOffer& offer : offers) room += offer.room;
    if (rule.most == 0 && room * rule.unit < count) {
        rule.unit = 1;
        offers = socket_offers(node, free, devices, rule);
    }
    std::size_t left = count / rule.unit;
    for (bool any = true; left > 0 && any;) {
        any = false;
        for (SocketOffer& offer : offers) {
            const std::size_t most = rule.in_turn ? 1 : left;
            const std::size_t units = std::min({most, offer.room - offer.given, left});
            offer.given += units;
            left -= units;
            any = any || units > 0;
        }
    }
    BERTH_ASSERT(left == 0);
    BitSet taken(node.cores());
    for (const SocketOffer& offer : offers)
        taken |= lowest_of(socket_cores(node, offer.socket) & free, offer.given * rule.unit);
    return taken;
}

// What a job with GPUs per socket chooses from: the GPUs and the free cores of the sockets that it
// gets, which are those with the most room.
NodeFree on_chosen_sockets(const NodeSpec& node, const NodeFree& free, const Part& part,
                           const Topologies& topologies) {
    const SocketRule& rule = part.take.sockets;
    NodeFree chosen = free;
    for_each_bit(rule.gpu_types, [&](int d) {
        const DimensionId type(static_cast<std::uint32_t>(d));
        if (part.take.amount[type] == 0) return;
        const BitSet able = sockets_with_gpus(node, type, free.devices, rule.gpus).cores;
        std::vector<SocketOffer> offers = socket_offers(node, free.cores & able, 0, rule);
        std::ranges::stable_sort(offers, std::greater{}, &SocketOffer::room);
        BERTH_ASSERT(offers.size() >= rule.sockets);
        offers.resize(rule.sockets);
        chosen.cores = BitSet(node.cores());
        chosen.devices = free.devices & ~topologies.devices_of(part.node, type);
        for (const SocketOffer& offer : offers) {
            chosen.cores |= socket_cores(node, offer.socket) & free.cores;
            const DeviceMask near =
                gpus_near_socket(node, offer.socket, dimension_bit(type)) & free.devices;
            chosen.devices |=
                topologies.choose(part.node, type, near, 0, static_cast<int>(rule.gpus));
        }
    });
    return chosen;
}

NodeShare settle_among(const NodeSpec& node, const NodeFree& free, const Part& part,
                       const Topologies& topologies, const BitSet& lent) {
    NodeShare share;
    share.node = part.node;
    share.devices = choose_devices(node, free, part, topologies);
    share.device_share = part.take.share;
    if (part.take.share) share.devices |= bit(static_cast<int>(part.take.share->device));
    if (part.take.sockets == SocketRule{}) {
        const BitSet first = lent.empty() ? BitSet(node.cores()) : lent & free.cores;
        const std::size_t borrowed = std::min<std::size_t>(part.take.cores, first.count());
        share.cores = choose_cores(node, first, share.devices, borrowed);
        share.cores |=
            choose_cores(node, free.cores - first, share.devices, part.take.cores - borrowed);
    } else {
        share.cores =
            cores_by_rule(node, free.cores, share.devices, part.take.cores, part.take.sockets);
    }
    share.memory = part.take.amount.memory();
    share.amount = part.take.amount;
    share.tasks = part.take.tasks;
    share.cpus = part.take.cpus;
    return share;
}

}  // namespace

NodeShare settle(const NodeSpec& node, const NodeFree& free, const Part& part,
                 const Topologies& topologies, const BitSet& lent) {
    if (part.take.sockets.sockets == 0) return settle_among(node, free, part, topologies, lent);
    return settle_among(node, on_chosen_sockets(node, free, part, topologies), part, topologies,
                        lent);
}

}  // namespace berth
