// Which GPUs are near which socket.
#include "berth/engine/placement/socket_gpus.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace berth {
namespace {

TEST(SocketGpus, AreThoseWhoseCoresAreAllOfTheSocket) {
    NodeSpec node;
    node.sockets = 2;
    node.cores_per_socket = 4;
    const DimensionId a100(2), t4(3);
    const auto add = [&](DimensionId type, const char* cores) {
        const auto index = static_cast<std::uint32_t>(node.devices.size());
        const BitSet near = cores[0] == '\0' ? BitSet() : *BitSet::parse(cores, 8);
        node.devices.push_back({.dimension = type, .index = index, .cores = near, .links = {}});
    };
    add(a100, "0-3");
    add(a100, "2");
    add(a100, "4-7");
    add(t4, "4-5");
    add(a100, "3-4");  // Of both sockets, and so of neither.
    add(a100, "");     // Unknown.
    const DimensionSet any = dimension_bit(a100) | dimension_bit(t4);
    EXPECT_EQ(gpus_near_socket(node, 0, any), 0b000011U);
    EXPECT_EQ(gpus_near_socket(node, 1, any), 0b001100U);
    EXPECT_EQ(gpus_near_socket(node, 1, dimension_bit(t4)), 0b001000U);
    EXPECT_EQ(sockets_with_gpus(node, a100, ~DeviceMask{0}, 1).count, 2U);
    EXPECT_EQ(sockets_with_gpus(node, a100, 0b000100, 1).cores.to_list(), "4-7");
    EXPECT_EQ(sockets_with_gpus(node, a100, ~DeviceMask{0}, 2).cores.to_list(), "0-3");
    EXPECT_TRUE(has_socket_gpus(node, any, 1, 2));
    EXPECT_FALSE(has_socket_gpus(node, any, 2, 2));  // Not of one type.
    EXPECT_FALSE(has_socket_gpus(node, dimension_bit(t4), 1, 2));
}

struct Enough {
    std::vector<int> sockets_of_gpus;  // -1: near none.
    std::uint32_t each, sockets;
    std::int64_t enough;
};

NodeSpec node_with(DimensionId type, const std::vector<int>& sockets_of_gpus) {
    NodeSpec node;
    node.sockets = 3;
    node.cores_per_socket = 4;
    for (const int socket : sockets_of_gpus) {
        BitSet cores(12);
        for (int core = 0; socket >= 0 && core < 4; ++core)
            cores.set(static_cast<std::size_t>(socket) * 4 + static_cast<std::size_t>(core));
        node.devices.push_back({.dimension = type,
                                .index = static_cast<std::uint32_t>(node.devices.size()),
                                .cores = socket < 0 ? BitSet() : cores,
                                .links = {}});
    }
    node.capacity[type] = static_cast<std::int64_t>(sockets_of_gpus.size());
    return node;
}

// The most devices of the node that can be free without so many sockets having so many.
int most_in_vain(const NodeSpec& node, const Enough& one) {
    int most = 0;
    const DeviceMask all = low_bits(static_cast<int>(node.devices.size()));
    for (DeviceMask free = 0; free <= all; ++free) {
        if (sockets_with_gpus(node, DimensionId(2), free, one.each).count < one.sockets)
            most = std::max(most, popcount(free));
    }
    return most;
}

// As where gres.conf names no cores.
TEST(SocketGpus, AreDealtOutWhereNothingIsKnown) {
    NodeSpec node;
    node.sockets = 2;
    node.cores_per_socket = 4;
    const DimensionId a100(2), t4(3);
    for (std::uint32_t i = 0; i < 4; ++i)
        node.devices.push_back({.dimension = a100, .index = i, .cores = {}, .links = {}});
    node.devices.push_back({.dimension = t4, .index = 4, .cores = {}, .links = {}});
    EXPECT_EQ(gpus_near_socket(node, 0, dimension_bit(a100)), 0b00011U);
    EXPECT_EQ(gpus_near_socket(node, 1, dimension_bit(a100)), 0b01100U);
    EXPECT_EQ(gpus_near_socket(node, 0, dimension_bit(t4)), 0b10000U);
}

TEST(SocketGpus, AreEnoughWhicheverAreFree) {
    const DimensionId type(2);
    const Enough cases[] = {
        {{0, 0, 1, 1}, 2, 1, 3},  {{0, 0, 1, 1}, 1, 1, 1},       {{0, 0, 1, 1}, 1, 2, 3},
        {{0, 0, 1, 1}, 2, 2, 4},  {{0, 0, 1, 1}, 3, 1, 0},       {{0, 0, 1, 1}, 1, 3, 0},
        {{0, 0, 1, -1}, 1, 1, 2}, {{0, 0, 0, 1, 1, 2}, 2, 1, 4}, {{0, 0, 0, 1, 1, 2}, 2, 2, 6},
    };
    for (const Enough& one : cases) {
        const NodeSpec node = node_with(type, one.sockets_of_gpus);
        EXPECT_EQ(enough_socket_gpus(node, type, one.each, one.sockets), one.enough)
            << one.each << " near each of " << one.sockets;
        const int never = static_cast<int>(node.devices.size()) + 1;
        EXPECT_EQ(most_in_vain(node, one) + 1, one.enough == 0 ? never : one.enough);
    }
}

}  // namespace
}  // namespace berth
