#include "berth/engine/state/node_table.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"

namespace berth {
namespace {

class NodeTableOfTwo : public ::testing::Test {
protected:
    NodeTableOfTwo() { nodes.follow_spec(sources(), undo); }
    NodeTable::Sources sources() const { return {spec, jobs, index}; }
    NodeShare all_of_first() const {
        return {.node = NodeId(0),
                .cores = nodes.free(NodeId(0)).cores,
                .devices = nodes.free(NodeId(0)).devices,
                .amount = nodes.free(NodeId(0)).amount};
    }

    ClusterSpec spec = testing::make_cluster(2);
    JobRecords jobs;
    JobIndex index;
    UndoLog undo;
    NodeTable nodes;
};

TEST_F(NodeTableOfTwo, TakesAndGivesBackShares) {
    const NodeFree before = nodes.free(NodeId(0));
    const NodeShare share = all_of_first();
    nodes.take(share, spec.node(NodeId(0)), undo);
    EXPECT_EQ(nodes.free(NodeId(0)).devices, 0U);
    EXPECT_EQ(nodes.free(NodeId(0)).jobs, 1U);
    EXPECT_DEATH(nodes.take(share, spec.node(NodeId(0)), undo), "fits");
    EXPECT_DEATH(nodes.check(sources()), "expected.free_ == free_") << "no job holds it";
    nodes.give_back(share, spec.node(NodeId(0)), undo);
    EXPECT_EQ(nodes.free(NodeId(0)), before);
    nodes.check(sources());
}

TEST_F(NodeTableOfTwo, FollowsTheConfigurationAndTakesItBack) {
    const std::size_t mark = undo.open();
    testing::add_node(spec, "node3");
    nodes.follow_spec(NodeId(2), sources(), undo);
    EXPECT_EQ(nodes.size(), 3U);
    EXPECT_EQ(nodes.free(NodeId(2)), nodes.free(NodeId(0)));
    nodes.change_condition(NodeId(0), undo, [](NodeCondition& one) { one.drained = true; });
    nodes.undo(std::get<ConditionBefore>(undo.take_last()));
    EXPECT_FALSE(nodes.condition(NodeId(0)).drained);
    nodes.undo(std::get<NodesBefore>(undo.take_last()));
    EXPECT_FALSE(undo.has_after(mark));
    EXPECT_EQ(nodes.size(), 2U);
    EXPECT_DEATH(nodes.check(sources()), "size") << "the configuration has three";
}

TEST_F(NodeTableOfTwo, WithholdsDrainedDevices) {
    nodes.change_condition(
        NodeId(0), undo, [](NodeCondition& one) { one.drained_devices.push_back({.device = 3}); });
    nodes.follow_drained(NodeId(0), sources(), undo);
    EXPECT_EQ(nodes.free(NodeId(0)).devices, low_bits(8) & ~bit(3));
    EXPECT_EQ(nodes.free(NodeId(0)).withheld, bit(3));
    nodes.check(sources());
}

}  // namespace
}  // namespace berth
