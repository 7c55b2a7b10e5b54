#include <gtest/gtest.h>

#include "berth/config/config_rig.h"
#include "berth/config/load.h"

namespace berth::config {
namespace {

TEST(NodeSets, OpenPartitionsToNodesThatJoin) {
    const Loaded loaded = load_slurm(
        "MaxNodeCount=100\nNodeName=n1 CPUs=2 Feature=big\nNodeName=n2 CPUs=2\n"
        "NodeSet=big Feature=big,huge\nNodeSet=named Nodes=n2\n"
        "PartitionName=all Nodes=ALL Default=YES\nPartitionName=sets Nodes=big,named\n"
        "PartitionName=one Nodes=n1\n");
    EXPECT_FALSE(loaded.has_errors);
    const ClusterSpec& spec = loaded.spec;
    EXPECT_EQ(spec.max_node_count, 100U);
    const auto& all = spec.partitions[0];
    const auto& sets = spec.partitions[1];
    EXPECT_TRUE(all.all_nodes);
    EXPECT_EQ(all.nodes.size(), 2U);
    EXPECT_EQ(sets.node_features, (std::vector<std::string>{"big", "huge"}));
    EXPECT_EQ(sets.nodes, (std::vector<NodeId>{NodeId(0), NodeId(1)}));
    EXPECT_TRUE(!spec.partitions[2].all_nodes && spec.partitions[2].node_features.empty());
    // Nobody need be there yet.
    const Loaded none = load_slurm("MaxNodeCount=9\nPartitionName=all Nodes=ALL\n");
    EXPECT_FALSE(none.has_errors);
}

}  // namespace
}  // namespace berth::config
