#include "berth/engine/state/configuration.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"

namespace berth {
namespace {

Configuration with_account(const std::string& name) {
    Configuration configuration;
    configuration.install(testing::make_cluster(2));
    AccountingEdits edits;
    edits.accounts.push_back({.name = name, .parent = "root"});
    configuration.edit(edits);
    return configuration;
}

NodeDescribed description(const Configuration& configuration, std::string name) {
    Dimensions dimensions = configuration.spec().dimensions;
    NodeSpec node = testing::make_node(dimensions, std::move(name), {.gpus = 4});
    return {.node = std::move(node), .dimensions = dimensions};
}

ClusterEdits drain_partition(const std::string& name) {
    PartitionEdit edit{.name = name};
    edit.change.state = "DRAIN";
    ClusterEdits edits;
    edits.partitions.push_back(std::move(edit));
    return edits;
}

TEST(Configuration, LaysKnownEditsOverTheNextSpecification) {
    Configuration configuration = with_account("physics");
    configuration.edit(drain_partition("main"));
    configuration.install(testing::make_cluster(3));
    EXPECT_EQ(configuration.spec().nodes.size(), 3U);
    EXPECT_EQ(configuration.spec().partitions[0].state, PartitionState::drain);
    ASSERT_EQ(configuration.spec().accounts.size(), 1U);
    EXPECT_EQ(configuration.spec().accounts[0].name, "physics");
}

// Edits that are known are laid over the specification again with each new one.
TEST(Configuration, SharesWithItsCopiesWhatAnEditDoesNotChange) {
    Configuration configuration;
    configuration.install(testing::make_cluster(200));
    const auto edit_weight = [&](std::size_t node) {
        NodeEdit edit{.name = configuration.spec().nodes[node].name, .change = {}};
        edit.change.weight = 7;
        configuration.edit(ClusterEdits{.partitions = {}, .nodes = {std::move(edit)}});
    };
    edit_weight(0);
    const ClusterSpec before = configuration.spec();
    edit_weight(199);
    configuration.edit(drain_partition("main"));
    const ClusterSpec& after = configuration.spec();
    EXPECT_EQ(&after.nodes[0], &before.nodes[0]);
    EXPECT_EQ(after.nodes[199].weight, 7U);
    EXPECT_EQ(before.nodes[199].weight, 1U);
    EXPECT_EQ(before.partitions[0].state, PartitionState::up);
    EXPECT_TRUE(after.partitions[0].nodes.is_same(before.partitions[0].nodes));
}

TEST(Configuration, DescribesOneNodeInPlaceUnlessMoreWouldChange) {
    Configuration configuration = with_account("physics");
    const NodeDescribed joins = description(configuration, "new");
    EXPECT_EQ(configuration.describe_in_place(joins), NodeId(2));
    EXPECT_EQ(configuration.spec().nodes[2].name, "new");
    EXPECT_EQ(configuration.describe_in_place(joins), NodeId(2)) << "it is known by now";

    NodeDescribed leaves = joins;
    leaves.node.gone = true;
    EXPECT_EQ(configuration.describe_in_place(leaves), std::nullopt);
    NodeDescribed other_gres = joins;
    (void)other_gres.dimensions.intern("gpu", "h100");
    EXPECT_EQ(configuration.describe_in_place(other_gres), std::nullopt);
    configuration.edit(drain_partition("main"));
    EXPECT_EQ(configuration.describe_in_place(joins), std::nullopt)
        << "edits of partitions may name it";
    EXPECT_FALSE(configuration.spec().nodes[2].gone);
}

TEST(Configuration, TakesANodeThatGoesOutOfItsPartitions) {
    const Configuration configuration = with_account("physics");
    NodeDescribed leaves{.node = configuration.spec().nodes[0],
                         .dimensions = configuration.spec().dimensions};
    leaves.node.gone = true;
    const ClusterSpec after = configuration.with(leaves);
    EXPECT_EQ(after.partitions[0].nodes, std::vector{NodeId(1)});
    EXPECT_EQ(configuration.spec().partitions[0].nodes.size(), 2U);
}

}  // namespace
}  // namespace berth
