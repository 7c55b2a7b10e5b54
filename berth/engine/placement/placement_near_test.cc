// Topology constraints compared with brute force: the fewest leaves that suffice, consecutive
// nodes, linked GPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "berth/engine/placement/linked_gpus.h"
#include "berth/engine/placement/placement.h"
#include "berth/testing/builders.h"
#include "berth/testing/fixed_view.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

struct NearWorld {
    testing::FixedView view;
    Policy policy;
    Domains domains;
    std::vector<Offer> offers;

    PlacementPreference preference() const {
        return {policy.placement(), view, JobId(1), &domains};
    }
};

// Up to ten nodes on up to four leaves of a tree with one or two levels. Some are not on offer.
NearWorld random_near_world(Rng& rng) {
    NearWorld world;
    world.view.cluster = testing::make_cluster(0);
    const std::int64_t nodes = rng.between(1, 10), leaves = rng.between(1, 4);
    for (std::int64_t n = 0; n < nodes; ++n) {
        const std::int64_t leaf = rng.between(1, leaves);
        const std::string top = leaf <= 2 ? "top/a" : "top/b";
        testing::add_node(world.view.cluster, "node" + std::to_string(n + 1),
                          {.gpus = 0, .switch_path = top + "/leaf" + std::to_string(leaf)});
    }
    world.domains = Domains(world.view.cluster);
    for (std::int64_t n = 0; n < nodes; ++n) {
        if (rng.chance(30)) continue;
        const NodeId node = NodeId::from_index(static_cast<std::size_t>(n));
        world.offers.push_back({node, world.view.cluster.node(node).capacity, 1});
    }
    return world;
}

Demand nodes_of(std::uint32_t count) {
    Demand demand;
    demand.nodes_min = demand.nodes_max = count;
    demand.tasks_per_node = 1;
    return demand;
}

std::size_t leaves_of(const NearWorld& world, const std::vector<NodeId>& nodes) {
    std::set<LeafId> leaves;
    for (const NodeId node : nodes) leaves.insert(world.domains.leaf_of(node));
    return leaves.size();
}

// The fewest leaves of any choice of `count` nodes; nullopt: there are too few nodes.
std::optional<std::size_t> fewest_leaves(const NearWorld& world, std::uint32_t count) {
    std::optional<std::size_t> fewest;
    for (std::uint32_t set = 0; set < (1U << world.offers.size()); ++set) {
        if (std::popcount(set) != static_cast<int>(count)) continue;
        std::vector<NodeId> nodes;
        for (std::size_t i = 0; i < world.offers.size(); ++i) {
            if ((set >> i & 1) != 0) nodes.push_back(world.offers[i].node);
        }
        fewest = std::min(fewest.value_or(SIZE_MAX), leaves_of(world, nodes));
    }
    return fewest;
}

std::vector<NodeId> nodes_in(const std::vector<Part>& parts) {
    std::vector<NodeId> nodes;
    nodes.reserve(parts.size());
    for (const Part& part : parts) nodes.push_back(part.node);
    return nodes;
}

TEST(Near, AJobTakesTheFewestLeavesAndNoMoreThanItMay) {
    testing::for_each_seed(2000, [](Rng& rng) {
        const NearWorld world = random_near_world(rng);
        Demand demand = nodes_of(static_cast<std::uint32_t>(rng.between(2, 6)));
        const auto fewest = fewest_leaves(world, demand.nodes_min);
        const auto parts = gather(demand, world.offers, world.preference());
        ASSERT_EQ(parts.has_value(), fewest.has_value());
        if (parts) {
            ASSERT_EQ(parts->size(), demand.nodes_min);
            ASSERT_EQ(leaves_of(world, nodes_in(*parts)), *fewest);
        }
        demand.near.switches = static_cast<std::uint32_t>(rng.between(1, 3));
        const auto limited = gather(demand, world.offers, world.preference());
        ASSERT_EQ(limited.has_value(), fewest && *fewest <= demand.near.switches);
    });
}

TEST(Near, NodesInARowAreFoundWheneverThereAreAny) {
    testing::for_each_seed(2000, [](Rng& rng) {
        const NearWorld world = random_near_world(rng);
        Demand demand = nodes_of(static_cast<std::uint32_t>(rng.between(2, 5)));
        demand.near.contiguous = true;
        bool any = false;
        for (std::size_t i = 0; i + demand.nodes_min <= world.offers.size(); ++i) {
            any = any || world.offers[i + demand.nodes_min - 1].node.index() -
                                 world.offers[i].node.index() ==
                             demand.nodes_min - 1;
        }
        const auto parts = gather(demand, world.offers, world.preference());
        ASSERT_EQ(parts.has_value(), any);
        if (!parts) return;
        const std::vector<NodeId> nodes = nodes_in(*parts);
        ASSERT_EQ(nodes.back().index() - nodes.front().index() + 1, demand.nodes_min);
    });
}

TEST(Near, SegmentsStayWholeInTheirBlocks) {
    testing::for_each_seed(1000, [](Rng& rng) {
        const NearWorld world = random_near_world(rng);
        const auto segment = static_cast<std::uint32_t>(rng.between(1, 3));
        Demand demand = nodes_of(segment * static_cast<std::uint32_t>(rng.between(1, 3)));
        if (demand.nodes_min < 2) return;
        demand.near.segment = segment;
        std::map<LeafId, std::uint32_t> free, taken;
        for (const Offer& offer : world.offers) ++free[world.domains.leaf_of(offer.node)];
        std::uint32_t segments = 0;
        for (const auto& [leaf, count] : free) segments += count / segment;
        const auto parts = gather(demand, world.offers, world.preference());
        ASSERT_EQ(parts.has_value(), segments * segment >= demand.nodes_min);
        if (!parts) return;
        for (const NodeId node : nodes_in(*parts)) ++taken[world.domains.leaf_of(node)];
        for (const auto& [leaf, count] : taken) ASSERT_EQ(count % segment, 0U);
    });
}

// ---- Linked GPUs.

NodeSpec random_links(Rng& rng, Dimensions& dimensions) {
    NodeSpec node = testing::make_node(dimensions, "n", {.gpus = 8});
    for (Device& device : node.devices) device.links.assign(8, 0);
    const std::int64_t percent = rng.between(20, 95);
    for (std::size_t a = 0; a < 8; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            const std::int32_t links = rng.chance(percent) ? 1 : 0;
            node.devices[a].links[b] = node.devices[b].links[a] = links;
        }
    }
    return node;
}

bool is_clique(const NodeSpec& node, DeviceMask set) {
    bool all = true;
    for_each_bit(set, [&](int a) {
        for_each_bit(set, [&](int b) {
            const Device& device = node.devices[static_cast<std::size_t>(a)];
            all = all && (a == b || device.links[static_cast<std::size_t>(b)] > 0);
        });
    });
    return all;
}

bool holds_clique(const NodeSpec& node, DeviceMask free, int count) {
    for (DeviceMask set = free; set != 0; set = (set - 1) & free) {
        if (popcount(set) == count && is_clique(node, set)) return true;
    }
    return false;
}

TEST(Linked, ACliqueIsChosenWheneverOneIsFreeWhateverCoresAreNear) {
    testing::for_each_seed(300, [](Rng& rng) {
        ClusterSpec spec = testing::make_cluster(0);
        spec.partitions.front().nodes = {NodeId(0)};
        spec.nodes.push_back(random_links(rng, spec.dimensions));
        const NodeSpec& node = spec.nodes.front();
        const Topologies topologies(spec);
        const DimensionId type = *spec.dimensions.find("gpu", "a100");
        for (int i = 0; i < 30; ++i) {
            const auto free = static_cast<DeviceMask>(rng.between(1, 255));
            const auto preferred = static_cast<DeviceMask>(rng.between(0, 255));
            const auto count = static_cast<int>(rng.between(1, std::min(popcount(free), 5)));
            const bool any = holds_clique(node, free, count);
            ASSERT_EQ(topologies.has_linked(NodeId(0), type, free, count), any);
            const DeviceMask chosen = topologies.choose(NodeId(0), type, free, preferred, count);
            ASSERT_EQ(popcount(chosen), count);
            ASSERT_EQ(chosen & ~free, 0U);
            ASSERT_EQ(is_clique(node, chosen), any);
        }
    });
}

TEST(Linked, EnoughIsTheFewestOfWhichAnyChoiceHoldsAClique) {
    testing::for_each_seed(60, [](Rng& rng) {
        Dimensions dimensions;
        const NodeSpec node = random_links(rng, dimensions);
        const DimensionId type = *dimensions.find("gpu", "a100");
        const auto count = static_cast<int>(rng.between(1, 5));
        std::optional<std::int64_t> expected;
        for (int size = 8; size >= count; --size) {
            bool all = true;
            for (DeviceMask free = 1; free < 256 && all; ++free) {
                all = popcount(free) != size || holds_clique(node, free, count);
            }
            if (!all) break;
            expected = size;
        }
        ASSERT_EQ(enough_for_linked(node, type, count), expected);
    });
}

}  // namespace
}  // namespace berth
