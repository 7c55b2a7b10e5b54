// How facts about nodes, the controller and the configuration change the state.
#include <gtest/gtest.h>

#include "berth/engine/state/keep_ids.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/random_facts.h"

namespace berth {
namespace {

constexpr NodeId kFirst{0};

ClusterState state_with(std::uint32_t nodes) {
    ClusterState state;
    state.apply(at(0), ControllerStarted{Epoch(1)});
    state.apply(at(0), SpecInstalled{testing::make_cluster(nodes)});
    return state;
}

TEST(Nodes, TakeWorkOnlyWhileRegisteredRespondingAndNotTakenOut) {
    ClusterState state = state_with(1);
    const auto schedulable = [&] { return state.nodes().condition(kFirst).schedulable(); };
    EXPECT_FALSE(schedulable());
    state.apply(at(1), NodeRegistered{.node = kFirst, .boot_id = "b1"});
    EXPECT_TRUE(schedulable());
    state.apply(at(2), NodeNotResponding{kFirst});
    EXPECT_FALSE(schedulable());
    state.apply(at(3), NodeRegistered{.node = kFirst, .boot_id = "b1"});
    state.apply(at(4), NodeUpdated{.node = kFirst, .drained = true, .reason = "fan", .by = "eve"});
    EXPECT_FALSE(schedulable());
    EXPECT_EQ(state.nodes().condition(kFirst).reason, "fan");
    EXPECT_EQ(state.nodes().condition(kFirst).reason_at, at(4));
    state.apply(at(5), NodeUpdated{.node = kFirst, .drained = false});
    EXPECT_TRUE(schedulable());
    EXPECT_EQ(state.nodes().condition(kFirst).reason, "");
    EXPECT_FALSE(state.nodes().condition(kFirst).reason_at.has_value());
}

TEST(Nodes, MustAllRegisterAgainWithANewController) {
    ClusterState state = state_with(2);
    state.apply(at(1), NodeRegistered{.node = kFirst, .boot_id = "b1"});
    state.apply(at(2), ControllerStarted{Epoch(2)});
    EXPECT_EQ(state.epoch(), Epoch(2));
    EXPECT_FALSE(state.nodes().condition(kFirst).registered ||
                 state.nodes().condition(kFirst).responding);
    EXPECT_EQ(state.nodes().condition(kFirst).boot_id, "b1");
}

TEST(Nodes, ThatBecomeSmallerUnderTheirJobsOweUntilTheseEnd) {
    ClusterState state = state_with(1);
    Job job;
    job.id = state.next_job_id();
    state.apply(at(1), JobSubmitted{job});
    StartJob start{.job = job.id, .attempt = Attempt(1)};
    start.allocation.shares = {testing::free_share(state, kFirst, 64, 8)};
    state.apply(at(2), start);
    ClusterSpec smaller = testing::make_cluster(0);
    testing::add_node(smaller, "node1", {.sockets = 1, .cores_per_socket = 16, .gpus = 4});
    state.apply(at(3), SpecInstalled{smaller});
    state.check_invariants();
    EXPECT_EQ(state.nodes().free(kFirst).amount.cpu(), cores(16 - 64));
    EXPECT_EQ(state.nodes().free(kFirst).devices, DeviceMask{0});
    state.apply(
        at(4),
        AttemptEnded{
            .job = job.id, .attempt = Attempt(1), .node = kFirst, .batch_exit = ExitStatus{}});
    EXPECT_EQ(state.nodes().free(kFirst), all_free(state.spec().node(kFirst)));
    state.check_invariants();
}

TEST(KeepIds, NamesKeepTheirPlacesNewOnesComeAfterAndGoneOnesStay) {
    const ClusterSpec before = testing::make_cluster(3);
    ClusterSpec after = testing::make_cluster(0);
    after.partitions.insert(after.partitions.begin(), {.name = "debug"});
    testing::add_node(after, "node9");
    testing::add_node(after, "node2");
    after.qos.insert(after.qos.begin(), {.name = "high"});
    const ClusterSpec kept = keep_ids(before, after);
    ASSERT_EQ(kept.nodes.size(), 4U);
    EXPECT_EQ(kept.find_node("node2"), NodeId(1));
    EXPECT_EQ(kept.find_node("node9"), NodeId(3));
    EXPECT_TRUE(kept.node(NodeId(0)).gone && kept.node(NodeId(2)).gone);
    EXPECT_FALSE(kept.node(NodeId(1)).gone || kept.node(NodeId(3)).gone);
    EXPECT_EQ(kept.find_partition("main"), PartitionId(0));
    EXPECT_EQ(kept.find_partition("debug"), PartitionId(1));
    EXPECT_EQ(kept.partition(PartitionId(1)).nodes, (std::vector{NodeId(1), NodeId(3)}));
    EXPECT_EQ(kept.find_qos("normal"), QosId(0));
    EXPECT_EQ(kept.find_qos("high"), QosId(1));
}

TEST(KeepIds, WhatIsEqualStaysSharedWithTheEarlierConfiguration) {
    const ClusterSpec before = testing::make_cluster(200);
    ClusterSpec after = testing::make_cluster(200);
    after.nodes.edit(199).weight = 7;
    const ClusterSpec kept = keep_ids(before, after);
    EXPECT_EQ(&kept.nodes[0], &before.nodes[0]);
    EXPECT_EQ(kept.nodes[199], after.nodes[199]);
    EXPECT_TRUE(kept.partitions[0].nodes.is_same(before.partitions[0].nodes));
}

TEST(KeepIds, APartitionThatIsGoneTakesNothingAndIsNotFound) {
    ClusterSpec after = testing::make_cluster(1);
    after.partitions[0].name = "other";
    const ClusterSpec kept = keep_ids(testing::make_cluster(1), after);
    EXPECT_FALSE(kept.find_partition("main").has_value());
    EXPECT_EQ(kept.default_partition(), PartitionId(1));
    EXPECT_TRUE(kept.partition(PartitionId(0)).nodes.empty());
}

TEST(KeepIds, DimensionsKeepTheirPlacesInEveryNode) {
    const ClusterSpec before = testing::make_cluster(1, {.gpu_type = "a100"});
    ClusterSpec after = testing::make_cluster(0);
    testing::add_node(after, "new", {.gpu_type = "h100", .counted = {{"fpga", 3}}});
    testing::add_node(after, "node1", {.gpu_type = "a100"});
    ASSERT_EQ(after.dimensions.find("gpu", "a100"), DimensionId(4));
    const ClusterSpec kept = keep_ids(before, after);
    EXPECT_EQ(kept.dimensions.find("gpu", "a100"), DimensionId(2));
    const DimensionId h100 = *kept.dimensions.find("gpu", "h100");
    const NodeSpec& fresh = kept.node(*kept.find_node("new"));
    EXPECT_EQ(fresh.capacity[h100], 8);
    EXPECT_EQ(fresh.devices[0].dimension, h100);
    EXPECT_EQ(fresh.capacity[*kept.dimensions.find("fpga", "")], 3);
    EXPECT_EQ(kept.node(NodeId(0)).capacity[DimensionId(2)], 8);
    EXPECT_EQ(kept.node(NodeId(0)).capacity.cpu(), before.node(NodeId(0)).capacity.cpu());
}

TEST(KeepIds, TwiceIsOnceAndANodeMayComeBack) {
    const ClusterSpec before = testing::make_cluster(2);
    const ClusterSpec kept = keep_ids(before, testing::make_cluster(1));
    EXPECT_EQ(keep_ids(before, kept), kept);
    EXPECT_EQ(keep_ids(kept, kept), kept);
    EXPECT_EQ(keep_ids(kept, before), before);
}

TEST(KeepIds, SaysWhenThereAreTooManyKindsOfGres) {
    ClusterSpec before = testing::make_cluster(0), after = testing::make_cluster(0);
    for (std::size_t i = 0; i < kDimensionsMax * 2 / 3; ++i) {
        (void)before.dimensions.intern("gpu", "old" + std::to_string(i));
        (void)after.dimensions.intern("gpu", "new" + std::to_string(i));
    }
    EXPECT_TRUE(can_keep_ids(before, before).ok());
    EXPECT_FALSE(can_keep_ids(before, after).ok());
}

}  // namespace
}  // namespace berth
