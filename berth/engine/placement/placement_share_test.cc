// Which cores of a node a job gets where it says how its tasks lie on sockets.
#include "berth/engine/placement/placement_share.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

// A node with a GPU near each socket.
struct Sockets {
    Sockets(std::uint32_t sockets, std::uint32_t cores, std::uint32_t gpus_each = 1) {
        NodeSpec node;
        node.sockets = sockets;
        node.cores_per_socket = cores;
        gpu = *spec.dimensions.intern("gpu", "a100");
        for (std::uint32_t i = 0; i < sockets * gpus_each; ++i) {
            node.devices.push_back({.dimension = gpu,
                                    .index = i,
                                    .cores = socket_cores(node, i / gpus_each),
                                    .links = std::vector<std::int32_t>(sockets * gpus_each, 0)});
        }
        spec.nodes.push_back(std::move(node));
    }

    // The cores that a job gets out of these, with GPUs of those whose mask is given.
    BitSet take(const BitSet& free, std::uint32_t cores, SocketRule rule,
                DeviceMask gpus = 0) const {
        Part part{.node = NodeId(0), .take = {}};
        part.take.cores = cores;
        part.take.sockets = rule;
        part.take.amount[gpu] = popcount(gpus);
        const NodeFree all{.amount = {}, .cores = free, .devices = gpus, .jobs = 0};
        return settle(spec.node(NodeId(0)), all, part, Topologies(spec)).cores;
    }
    std::string taken(const char* free, std::uint32_t cores, SocketRule rule,
                      DeviceMask gpus = 0) const {
        return take(*BitSet::parse(free, spec.node(NodeId(0)).cores()), cores, rule, gpus)
            .to_list();
    }

    ClusterSpec spec;
    DimensionId gpu{0};
};

TEST(ShareOfSockets, CoresLieAsTheRuleSays) {
    const Sockets node(2, 8);
    const SocketRule in_turn{.in_turn = true}, pairs_in_turn{.unit = 2, .in_turn = true};
    EXPECT_EQ(node.taken("0-15", 4, {}), "0-3");
    EXPECT_EQ(node.taken("0-15", 4, in_turn), "0-1,8-9");
    EXPECT_EQ(node.taken("0-15", 6, pairs_in_turn), "0-3,8-9");
    EXPECT_EQ(node.taken("0,8-15", 4, in_turn), "0,8-10");
    EXPECT_EQ(node.taken("0,8-15", 4, pairs_in_turn), "8-11");  // Socket 0 has no pair.
    EXPECT_EQ(node.taken("0,8", 2, pairs_in_turn), "0,8");      // Nor has any.
    EXPECT_EQ(node.taken("0-15", 4, {.unit = 2, .most = 2}), "0-1,8-9");
    EXPECT_EQ(node.taken("0-2,8-15", 6, {.unit = 2, .most = 4}), "0-1,8-11");
    EXPECT_EQ(node.taken("0-15", 4, {.unit = 2, .most = 6}), "0-3");
    EXPECT_EQ(node.taken("0-15", 4, {.unit = 2, .most = 6}, 0b10), "8-11");  // Near its GPU.
    EXPECT_EQ(node.taken("0-15", 4, {.unit = 2, .most = 6, .in_turn = true}, 0b10), "0-1,8-9");
}

TEST(ShareOfSockets, GpusAndCoresAreOfTheSocketsWithTheMostRoom) {
    const Sockets node(3, 4, 2);
    Part part{.node = NodeId(0), .take = {}};
    part.take.cores = 4;
    part.take.amount[node.gpu] = 4;
    part.take.sockets = {.unit = 1,
                         .most = 4,
                         .in_turn = true,
                         .sockets = 2,
                         .gpus = 2,
                         .gpu_types = dimension_bit(node.gpu)};
    const auto taken = [&](const char* cores, DeviceMask gpus) {
        const NodeFree free{
            .amount = {}, .cores = *BitSet::parse(cores, 12), .devices = gpus, .jobs = 0};
        const NodeShare share =
            settle(node.spec.node(NodeId(0)), free, part, Topologies(node.spec));
        return share.cores.to_list() + "/" + mask_to_list(share.devices);
    };
    EXPECT_EQ(taken("0-11", 0b111111), "0-1,4-5/0-3");
    EXPECT_EQ(taken("0,4-11", 0b111111), "4-5,8-9/2-5");
    EXPECT_EQ(taken("0-11", 0b111011), "0-1,8-9/0-1,4-5");  // Socket 1 has but one GPU free.
    EXPECT_EQ(taken("0,8-11", 0b111111), "0,8-10/0-1,4-5");
}

TEST(ShareOfSockets, WhatHasRoomGetsWholeUnitsAndNoSocketGivesMore) {
    int taken = 0;
    testing::for_each_seed(500, [&](Rng& rng) {
        const auto upto = [&](std::int64_t most) {
            return static_cast<std::uint32_t>(rng.between(1, most));
        };
        const Sockets sockets(upto(4), upto(6));
        const NodeSpec& node = sockets.spec.node(NodeId(0));
        const CoreUse use = core_use({.layout = {.per_socket = upto(4)}}, upto(3), node);
        if (use.socket_cores == 0) return;
        const SocketRule rule{.unit = static_cast<std::uint32_t>(use.cores),
                              .most = use.socket_cores,
                              .in_turn = rng.chance(50)};
        for (int i = 0; i < 20; ++i) {
            BitSet free(node.cores());
            for (std::size_t core = 0; core < free.size(); ++core) {
                if (rng.chance(60)) free.set(core);
            }
            const std::uint32_t most = tasks_on(use, node, free);
            if (most == 0) continue;
            const auto count = static_cast<std::uint32_t>(use.cores_for(upto(most)));
            const BitSet cores = sockets.take(free, count, rule, rng.chance(50) ? 1 : 0);
            ++taken;
            EXPECT_EQ(cores.count(), count);
            EXPECT_TRUE(cores.is_subset_of(free));
            for (std::uint32_t s = 0; s < node.sockets; ++s) {
                const std::size_t here = (cores & socket_cores(node, s)).count();
                EXPECT_LE(here, rule.most);
                EXPECT_EQ(here % rule.unit, 0U);
            }
        }
    });
    if (!testing::number_in_environment("BERTH_SEED")) {
        EXPECT_GT(taken, testing::scaled(1000));
    }
}

}  // namespace
}  // namespace berth
