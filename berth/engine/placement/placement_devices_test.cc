#include <algorithm>
#include <numeric>

#include "berth/engine/placement/placement_devices.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using testing::Links;

DeviceTable table_of(std::uint32_t gpus, Links links) {
    Dimensions dimensions;
    const NodeSpec node = testing::make_node(dimensions, "n", {.gpus = gpus, .links = links});
    std::vector<int> all(gpus);
    std::iota(all.begin(), all.end(), 0);
    return DeviceTable(wiring_of(node, all));
}

TEST(Devices, PrefersLinkedOnesAndKeepsTheRestTogether) {
    struct Case {
        const char* what;
        Links links;
        DeviceMask free;
        int count;
        DeviceMask chosen;
    };
    const Case cases[] = {
        {"the linked pair of three", Links::fours, 0b10000011, 2, 0b00000011},
        {"no linked pair is left", Links::fours, 0b10000001, 2, 0b10000001},
        {"the smaller group that will do", Links::fours, 0b00111111, 2, 0b00110000},
        {"the single one, not one of four", Links::fours, 0b00011111, 1, 0b00010000},
        {"a whole group", Links::fours, 0b11110111, 4, 0b11110000},
        {"four and two, not three and three", Links::fours, 0b11111111, 6, 0b00111111},
        {"all linked: one socket", Links::all, 0b11110011, 3, 0b01110000},
        {"all linked: the fuller socket", Links::all, 0b11110011, 2, 0b00000011},
        {"nothing linked: one socket", Links::none, 0b01100011, 2, 0b00000011},
        {"none", Links::fours, 0b11111111, 0, 0},
        {"all", Links::fours, 0b11111111, 8, 0b11111111},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        EXPECT_EQ(table_of(8, c.links).choose(c.free, c.count), c.chosen);
    }
}

// Pairs within the set that are linked.
std::int64_t linked_pairs(const Wiring& wiring, DeviceMask set) {
    std::int64_t pairs = 0;
    for_each_bit(set, [&](int a) {
        for_each_bit(set, [&](int b) {
            pairs += wiring.links[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
        });
    });
    return pairs / 2;
}

TEST(Devices, NoOtherChoiceIsACliqueIfTheChosenOneIsNot) {
    testing::for_each_seed(60, [](Rng& rng) {
        const auto n = static_cast<std::size_t>(rng.between(2, 9));
        Wiring wiring{std::vector(n, std::vector<std::int32_t>(n)), std::vector<std::int32_t>(n)};
        for (std::size_t a = 0; a < n; ++a) {
            wiring.sockets[a] = static_cast<std::int32_t>(rng.between(0, 1));
            for (std::size_t b = 0; b < a; ++b) {
                wiring.links[a][b] = wiring.links[b][a] = rng.chance(40) ? 1 : 0;
            }
        }
        const DeviceTable table(wiring);
        for (DeviceMask free = 1; free < bit(static_cast<int>(n)); ++free) {
            const auto count = static_cast<int>(rng.between(1, popcount(free)));
            const DeviceMask chosen = table.choose(free, count);
            ASSERT_EQ(popcount(chosen), count);
            ASSERT_EQ(chosen & ~free, 0U);
            std::int64_t most = 0;
            for (DeviceMask set = free; set != 0; set = (set - 1) & free) {
                if (popcount(set) == count) most = std::max(most, linked_pairs(wiring, set));
            }
            ASSERT_EQ(linked_pairs(wiring, chosen), most);
        }
    });
}

TEST(Devices, OfManyAreChosenWithoutATable) {
    const DeviceTable table = table_of(16, Links::fours);
    EXPECT_EQ(table.choose(0xffff, 4), 0x000fU);
    EXPECT_EQ(table.choose(0xff7e, 4), 0x0f00U);
    EXPECT_EQ(table.choose(0x8421, 4), 0x8421U);
    EXPECT_EQ(popcount(table.choose(0x7777, 5)), 5);
}

TEST(Devices, OfAnotherTypeAreLeftAlone) {
    ClusterSpec spec = testing::make_cluster(1, {.gpu_type = "a100", .gpus = 2});
    NodeSpec& node = spec.nodes.edit(0);
    Dimensions& dimensions = spec.dimensions;
    const NodeSpec other = testing::make_node(dimensions, "x", {.gpu_type = "h100", .gpus = 2});
    for (Device device : other.devices) {
        device.index += 2;
        node.devices.push_back(device);
    }
    const Topologies topologies(spec);
    const DimensionId h100 = *dimensions.find("gpu", "h100");
    EXPECT_EQ(topologies.devices_of(NodeId(0), h100), 0b1100U);
    EXPECT_EQ(topologies.choose(NodeId(0), h100, 0b1111, 0b1111, 1), 0b0100U);
    EXPECT_EQ(topologies.choose(NodeId(0), h100, 0b1111, 0b1000, 1), 0b1000U);
    EXPECT_EQ(topologies.choose(NodeId(0), h100, 0b1111, 0b1000, 2), 0b1100U);
}

}  // namespace
}  // namespace berth
