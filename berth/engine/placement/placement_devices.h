// Which of a node's free devices to take: devices that are linked to each other, or at least share
// a socket, such that those left are as well linked as possible. Nodes with the same wiring share a
// precomputed table.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "berth/model/cluster_spec.h"

namespace berth {

// How the devices of one dimension on a node are wired. Devices are numbered from 0 within the
// dimension.
struct Wiring {
    std::vector<std::vector<std::int32_t>> links;  // [a][b]: NVLinks between them.
    std::vector<std::int32_t> sockets;             // -1: unknown.
    friend auto operator<=>(const Wiring&, const Wiring&) = default;
};
Wiring wiring_of(const NodeSpec& node, std::span<const int> devices);

// The best choices within one wiring.
class DeviceTable {
public:
    explicit DeviceTable(Wiring wiring);

    // `count` of the `free` devices. REQUIRES: there are that many.
    DeviceMask choose(DeviceMask free, int count) const;

    bool is_linked(DeviceMask set) const;             // Each device to each other.
    bool is_exact() const { return !best_.empty(); }  // Otherwise devices are chosen greedily.

private:
    DeviceMask greedy(DeviceMask free, int count) const;

    Wiring wiring_;
    std::vector<std::uint16_t> best_;  // [free * (devices + 1) + count]; empty for many devices.
};

// The tables of a cluster's nodes.
class Topologies {
public:
    Topologies() = default;
    explicit Topologies(const ClusterSpec& spec);

    // `count` devices of this dimension out of `free`. Masks are over NodeSpec::devices.
    // `preferred` devices are taken first if there are enough of them.
    DeviceMask choose(NodeId node, DimensionId dimension, DeviceMask free, DeviceMask preferred,
                      int count) const;

    // Whether `count` of the `free` devices are all linked to each other.
    bool has_linked(NodeId node, DimensionId dimension, DeviceMask free, int count) const;

    // The node's devices of this dimension.
    DeviceMask devices_of(NodeId node, DimensionId dimension) const;

private:
    struct Kind {
        DimensionId dimension{0};
        std::vector<int> devices;  // Indices into NodeSpec::devices.
        std::size_t table = 0;
    };
    const Kind* kind_of(NodeId node, DimensionId dimension) const;

    std::vector<std::vector<Kind>> nodes_;
    std::vector<DeviceTable> tables_;
};

}  // namespace berth
