#include "berth/engine/placement/placement_devices.h"

#include <algorithm>
#include <array>
#include <span>

#include "berth/base/assert.h"

namespace berth {
namespace {

// Largest number of devices for which a table is worth its memory: 2^10 masks of up to 10 devices.
constexpr std::size_t kTableDevicesMax = 10;

std::int32_t socket_of(const NodeSpec& node, const Device& device) {
    const std::size_t first = device.cores.find_first();
    if (first == BitSet::kNone || device.cores.count() == node.cores()) return -1;
    return static_cast<std::int32_t>(first / std::max(node.cores_per_socket, 1U));
}

std::int32_t links_between(const Device& a, const Device& b) {
    return b.index < a.links.size() ? std::max(a.links[b.index], 0) : 0;
}

// The sums over all pairs within a set.
struct Bonds {
    std::int64_t links = 0;
    std::int64_t unlinked = 0;     // Pairs without a link.
    std::int64_t same_socket = 0;  // Pairs.
};

Bonds bonds_of(const Wiring& wiring, DeviceMask set) {
    Bonds bonds;
    for_each_bit(set, [&](int a) {
        for_each_bit(set & ~low_bits(a + 1), [&](int b) {
            const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
            bonds.links += wiring.links[i][j];
            bonds.unlinked += wiring.links[i][j] == 0 ? 1 : 0;
            bonds.same_socket += wiring.sockets[i] == wiring.sockets[j] ? 1 : 0;
        });
    });
    return bonds;
}

// Compared lexicographically, higher is better: first a clique, then the sum of links, then one
// socket, then the same of the devices left. Ties go to the lowest devices.
using Rank = std::array<std::int64_t, 5>;

Rank rank(const Bonds& taken, const Bonds& left) {
    return {taken.unlinked == 0 ? 1 : 0, taken.links, taken.same_socket, left.links,
            left.same_socket};
}

}  // namespace

Wiring wiring_of(const NodeSpec& node, std::span<const int> devices) {
    Wiring wiring;
    for (const int a : devices) {
        const Device& from = node.devices[static_cast<std::size_t>(a)];
        std::vector<std::int32_t> row;
        for (const int b : devices) {
            const Device& to = node.devices[static_cast<std::size_t>(b)];
            row.push_back(a == b ? 0 : std::max(links_between(from, to), links_between(to, from)));
        }
        wiring.links.push_back(std::move(row));
        wiring.sockets.push_back(socket_of(node, from));
    }
    return wiring;
}

DeviceTable::DeviceTable(Wiring wiring) : wiring_(std::move(wiring)) {
    const std::size_t devices = wiring_.sockets.size();
    if (devices > kTableDevicesMax) return;
    const auto sets = std::size_t{1} << devices;
    std::vector<Bonds> bonds(sets);
    for (std::size_t set = 0; set < sets; ++set) bonds[set] = bonds_of(wiring_, set);
    best_.assign(sets * (devices + 1), 0);
    for (std::size_t free = 0; free < sets; ++free) {
        std::vector<Rank> ranks(devices + 1, Rank{-1});
        for (std::size_t set = free;; set = (set - 1) & free) {  // Every subset, downwards.
            const auto count = static_cast<std::size_t>(popcount(set));
            const Rank here = rank(bonds[set], bonds[free & ~set]);
            if (here >= ranks[count]) {
                ranks[count] = here;
                best_[free * (devices + 1) + count] = static_cast<std::uint16_t>(set);
            }
            if (set == 0) break;
        }
    }
}

DeviceMask DeviceTable::choose(DeviceMask free, int count) const {
    BERTH_ASSERT(count >= 0 && count <= popcount(free));
    if (best_.empty()) return greedy(free, count);
    return best_[free * (wiring_.sockets.size() + 1) + static_cast<std::size_t>(count)];
}

bool DeviceTable::is_linked(DeviceMask set) const { return bonds_of(wiring_, set).unlinked == 0; }

// Adds one device after the other, from every possible first one. Used where there are too many
// sets to try them all.
DeviceMask DeviceTable::greedy(DeviceMask free, int count) const {
    if (count == 0) return 0;
    DeviceMask best = 0;
    Rank best_rank{-1};
    for_each_bit(free, [&](int first) {
        DeviceMask set = bit(first);
        while (popcount(set) < count) {
            DeviceMask next = 0;
            Rank next_rank{-1};
            for_each_bit(free & ~set, [&](int device) {
                const Rank here = rank(bonds_of(wiring_, set | bit(device)), {});
                if (here <= next_rank) return;
                next_rank = here;
                next = set | bit(device);
            });
            set = next;
        }
        const Rank here = rank(bonds_of(wiring_, set), bonds_of(wiring_, free & ~set));
        if (here <= best_rank) return;
        best_rank = here;
        best = set;
    });
    return best;
}

Topologies::Topologies(const ClusterSpec& spec) {
    std::map<Wiring, std::size_t> known;
    for (const NodeSpec& node : spec.nodes) {
        std::vector<Kind> kinds;
        for (std::size_t i = 0; i < node.devices.size(); ++i) {
            const DimensionId dimension = node.devices[i].dimension;
            auto kind = std::ranges::find(kinds, dimension, &Kind::dimension);
            if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {dimension, {}, 0});
            kind->devices.push_back(static_cast<int>(i));
        }
        for (Kind& kind : kinds) {
            Wiring wiring = wiring_of(node, kind.devices);
            const auto [at, is_new] = known.try_emplace(wiring, tables_.size());
            if (is_new) tables_.emplace_back(std::move(wiring));
            kind.table = at->second;
        }
        nodes_.push_back(std::move(kinds));
    }
}

const Topologies::Kind* Topologies::kind_of(NodeId node, DimensionId dimension) const {
    const std::vector<Kind>& kinds = nodes_[node.index()];
    const auto kind = std::ranges::find(kinds, dimension, &Kind::dimension);
    return kind == kinds.end() ? nullptr : &*kind;
}

DeviceMask Topologies::devices_of(NodeId node, DimensionId dimension) const {
    const Kind* kind = kind_of(node, dimension);
    DeviceMask mask = 0;
    if (kind == nullptr) return mask;
    for (const int device : kind->devices) mask |= bit(device);
    return mask;
}

namespace {

// Converts a mask over NodeSpec::devices to one over the devices of one kind, numbered from 0.
DeviceMask local_mask(const std::vector<int>& devices, DeviceMask mask) {
    DeviceMask local = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if ((mask & bit(devices[i])) != 0) local |= bit(static_cast<int>(i));
    }
    return local;
}

}  // namespace

bool Topologies::has_linked(NodeId node, DimensionId dimension, DeviceMask free, int count) const {
    const Kind* kind = kind_of(node, dimension);
    if (kind == nullptr) return false;
    const DeviceMask local = local_mask(kind->devices, free);
    const DeviceTable& table = tables_[kind->table];
    return popcount(local) >= count && table.is_linked(table.choose(local, count));
}

// Takes the preferred devices, unless that would break up a linked set.
DeviceMask Topologies::choose(NodeId node, DimensionId dimension, DeviceMask free,
                              DeviceMask preferred, int count) const {
    const Kind* kind = kind_of(node, dimension);
    BERTH_ASSERT(kind != nullptr);
    const DeviceTable& table = tables_[kind->table];
    const DeviceMask near = local_mask(kind->devices, free & preferred);
    DeviceMask local = table.choose(local_mask(kind->devices, free), count);
    if (popcount(near) >= count) {
        const DeviceMask of_near = table.choose(near, count);
        if (table.is_linked(of_near) || !table.is_linked(local)) local = of_near;
    }
    DeviceMask chosen = 0;
    for_each_bit(local, [&](int i) { chosen |= bit(kind->devices[static_cast<std::size_t>(i)]); });
    return chosen;
}

}  // namespace berth
