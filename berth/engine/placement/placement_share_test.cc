// Which cores of a node a job gets where it says how its tasks lie on sockets.
#include "berth/engine/placement/placement_share.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

// A node with a GPU near each socket.
struct Sockets {
    Sockets(std::uint32_t sockets, std::uint32_t cores) {
        NodeSpec node;
        node.sockets = sockets;
        node.cores_per_socket = cores;
        gpu = *spec.dimensions.intern("gpu", "a100");
        for (std::uint32_t s = 0; s < sockets; ++s) {
            node.devices.push_back(
                {.dimension = gpu, .index = s, .cores = socket_cores(node, s), .links = {}});
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
