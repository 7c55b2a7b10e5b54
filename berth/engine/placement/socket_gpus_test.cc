// Which GPUs are near which socket.
#include "berth/engine/placement/socket_gpus.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace berth
