#include "berth/engine/placement/socket_gpus.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace berth {
namespace {

// The socket to which the device would be dealt; nullopt: of some of its type the cores are known.
std::optional<std::uint32_t> socket_dealt_to(const NodeSpec& node, std::size_t device) {
    std::size_t before = 0, all = 0;
    for (std::size_t i = 0; i < node.devices.size(); ++i) {
        if (node.devices[i].dimension != node.devices[device].dimension) continue;
        if (!node.devices[i].cores.empty()) return std::nullopt;
        before += i < device ? 1U : 0U;
        ++all;
    }
    return static_cast<std::uint32_t>(before * node.sockets / all);
}

}  // namespace

DeviceMask gpus_near_socket(const NodeSpec& node, std::uint32_t socket, DimensionSet types) {
    const std::size_t first = std::size_t{socket} * node.cores_per_socket;
    const std::size_t end = first + node.cores_per_socket;
    DeviceMask found = 0;
    for (std::size_t i = 0; i < node.devices.size(); ++i) {
        const Device& device = node.devices[i];
        if ((dimension_bit(device.dimension) & types) == 0) continue;
        bool inside = !device.cores.empty() || socket_dealt_to(node, i) == socket;
        for (std::size_t core = device.cores.find_first(); core != BitSet::kNone;
             core = device.cores.find_next(core)) {
            inside = inside && core >= first && core < end;
        }
        if (inside) found |= bit(static_cast<int>(i));
    }
    return found;
}

SocketsWithGpus sockets_with_gpus(const NodeSpec& node, DimensionId type, DeviceMask devices,
                                  std::uint32_t each) {
    SocketsWithGpus sockets{.cores = BitSet(node.cores())};
    for (std::uint32_t s = 0; s < node.sockets; ++s) {
        const DeviceMask near = gpus_near_socket(node, s, dimension_bit(type)) & devices;
        if (static_cast<std::uint32_t>(popcount(near)) < each) continue;
        sockets.cores |= socket_cores(node, s);
        ++sockets.count;
    }
    return sockets;
}

bool has_socket_gpus(const NodeSpec& node, DimensionSet types, std::uint32_t each,
                     std::uint32_t sockets) {
    bool has = false;
    for_each_bit(types, [&](int d) {
        const DimensionId type(static_cast<std::uint32_t>(d));
        has = has || sockets_with_gpus(node, type, ~DeviceMask{0}, each).count >= sockets;
    });
    return has;
}

std::int64_t enough_socket_gpus(const NodeSpec& node, DimensionId type, std::uint32_t each,
                                std::uint32_t sockets) {
    std::vector<std::int64_t> near;
    std::int64_t most = node.capacity[type];
    for (std::uint32_t s = 0; s < node.sockets; ++s) {
        near.push_back(popcount(gpus_near_socket(node, s, dimension_bit(type))));
        most -= near.back();
    }
    std::ranges::sort(near, std::greater<>());
    if (near.size() < sockets || near[sockets - 1] < each) return 0;
    // The most that can be free in vain: those near no single socket, all near one socket less than
    // is asked for, and near each other one as many as are one too few.
    for (std::size_t s = 0; s < near.size(); ++s)
        most += s + 1 < sockets ? near[s] : std::min<std::int64_t>(near[s], each - 1);
    return most + 1;
}

void keep_socketed(BitSet& nodes, const ClusterSpec& spec, const Near& near) {
    if (near.sockets == 0) return;
    for (std::size_t n = nodes.find_first(); n != BitSet::kNone; n = nodes.find_next(n)) {
        if (!has_socket_gpus(spec.nodes[n], near.socket_gpus, near.layout.gpus_per_socket,
                             near.sockets))
            nodes.reset(n);
    }
}

}  // namespace berth
