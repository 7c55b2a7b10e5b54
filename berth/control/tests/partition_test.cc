// scontrol create, update and delete partition, and node changes other than its state.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using Strings = std::vector<std::string>;

class Partitions : public ::testing::Test {
protected:
    Partitions() { rig.connect_all(); }

    Answer create(const std::string& name, PartitionChange change = {}) {
        return rig.ask(kOperator, EditPartition{name, true, std::move(change)});
    }
    Answer edit(const std::string& name, PartitionChange change) {
        return rig.ask(kOperator, EditPartition{name, false, std::move(change)});
    }
    Answer remove(const std::string& name) { return rig.ask(kOperator, DeletePartition{name}); }
    const PartitionSpec& partition(const std::string& name) const {
        return rig.state().spec().partition(*rig.state().spec().find_partition(name));
    }
    static PartitionChange nodes(Strings names) {
        PartitionChange change;
        change.nodes = std::move(names);
        return change;
    }
    std::uint32_t submit_to(const std::string& name) {
        JobSpec spec = testing::make_job({.gpus = 1});
        spec.partition = name;
        return rig.submit(std::move(spec));
    }

    ControlRig rig{3};
};

TEST_F(Partitions, AreMadeAndTakeJobsAtOnce) {
    ASSERT_TRUE(is_done(create("night", nodes({rig.name(1)}))));
    const std::uint32_t id = submit_to("night");
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_EQ(rig.job(id).nodes, (std::vector<NodeId>{NodeId(1)}));
}

TEST_F(Partitions, StayAsTheyWereMadeOverARestart) {
    create("night", nodes({rig.name(1), rig.name(2)}));
    PartitionChange change;
    change.max_time = "30";
    edit("main", change);
    rig.restart();
    EXPECT_EQ(partition("night").nodes.size(), 2U);
    EXPECT_EQ(partition("main").max_time, Duration(std::chrono::minutes(30)));
    EXPECT_TRUE(is_done(remove("night")));
    rig.restart();
    EXPECT_EQ(rig.state().spec().find_partition("night"), std::nullopt);
}

TEST_F(Partitions, LoseAndGainNodes) {
    create("night", nodes({"ALL"}));
    EXPECT_EQ(partition("night").nodes.size(), 3U);
    PartitionChange change;
    change.nodes_removed = {rig.name(0), rig.name(1)};
    ASSERT_TRUE(is_done(edit("night", change)));
    EXPECT_EQ(partition("night").nodes, (std::vector<NodeId>{NodeId(2)}));
    change = {};
    change.nodes_added = {rig.name(0), rig.name(2)};
    ASSERT_TRUE(is_done(edit("night", change)));
    EXPECT_EQ(partition("night").nodes, (std::vector<NodeId>{NodeId(0), NodeId(2)}));
}

TEST_F(Partitions, WhatIsDownStartsNothingUntilItIsUp) {
    PartitionChange change;
    change.state = "DOWN";
    ASSERT_TRUE(is_done(edit("main", change)));
    const std::uint32_t id = rig.submit({.gpus = 1});
    EXPECT_EQ(rig.job(id).state, JobState::pending);
    EXPECT_EQ(rig.state().schedule().reason(JobId(id)), PendingReason::partition_down);
    change.state = "UP";
    ASSERT_TRUE(is_done(edit("main", change)));
    rig.turn();
    EXPECT_EQ(rig.job(id).state, JobState::running);
}

// OverSubscribe: the last word counts, also once edits have been merged.
TEST_F(Partitions, AreExclusiveOrIgnoreIt) {
    PartitionChange alone, force;
    alone.exclusive = true;
    force.ignores_exclusive = true;
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(is_done(edit("main", force)));
        EXPECT_EQ(partition("main").oversubscribe, "FORCE:1");
        EXPECT_FALSE(partition("main").exclusive);
        if (i == 1) rig.restart();
        EXPECT_TRUE(partition("main").ignores_exclusive());
        ASSERT_TRUE(is_done(edit("main", alone)));
        EXPECT_EQ(partition("main").oversubscribe, "EXCLUSIVE");
        EXPECT_TRUE(partition("main").exclusive);
        if (i == 1) rig.restart();
        EXPECT_FALSE(partition("main").ignores_exclusive());
    }
    alone.ignores_exclusive = true;
    EXPECT_EQ(why(edit("main", alone)), Refusal::invalid_request);
}

TEST_F(Partitions, ShareCoresOnlyWhereJobsTakeTurns) {
    PartitionChange two;
    two.sharing = "FORCE:2";
    EXPECT_EQ(why(edit("main", two)), Refusal::invalid_request) << "There is no GANG.";
}

ClusterSpec with_gang() {
    ClusterSpec spec = testing::make_cluster(1);
    spec.scheduling.preemption.gang = true;
    return spec;
}

TEST(SharedPartitions, AreOneOrTheOther) {
    ControlRig rig(with_gang());
    rig.connect_all();
    const auto edit = [&](const PartitionChange& change) {
        return rig.ask(kOperator, EditPartition{"main", false, change});
    };
    const auto main = [&] { return rig.state().spec().partitions.front(); };
    PartitionChange two, alone;
    two.sharing = "FORCE:2";
    alone.exclusive = true;
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(is_done(edit(two)));
        EXPECT_EQ(main().oversubscribe, "FORCE:2");
        EXPECT_FALSE(main().exclusive);
        if (i == 1) rig.restart();
        EXPECT_EQ(main().oversubscribe, "FORCE:2");
        ASSERT_TRUE(is_done(edit(alone)));
        if (i == 1) rig.restart();
        EXPECT_EQ(main().oversubscribe, "EXCLUSIVE");
    }
    for (const char* const wrong : {"FORCE:1", "NO", "FORCE:x"}) {
        two.sharing = wrong;
        EXPECT_EQ(why(edit(two)), Refusal::invalid_request) << wrong;
    }
    alone.sharing = "YES:2";
    EXPECT_EQ(why(edit(alone)), Refusal::invalid_request) << "Two of them.";
}

TEST_F(Partitions, WithJobsAreNotDeleted) {
    create("night", nodes({rig.name(1)}));
    const std::uint32_t id = submit_to("night");
    EXPECT_EQ(why(remove("night")), Refusal::partition_in_use);
    rig.ask(kAnn, CancelJob{{JobId(id), {}}});
    rig.report(1, end_report(id, 1, std::nullopt));
    EXPECT_TRUE(is_done(remove("night")));
}

TEST_F(Partitions, ThatWaitingJobsNameBesideOthersAreNotDeleted) {
    create("night", nodes({rig.name(1)}));
    JobSpec spec = testing::make_job({.gpus = 1});
    spec.partition = "main,night";
    spec.hold = true;
    const std::uint32_t id = rig.submit(std::move(spec));
    ASSERT_EQ(partition("main").name, rig.state().spec().partition(rig.job(id).partition).name);
    EXPECT_EQ(why(remove("night")), Refusal::partition_in_use);
    rig.ask(kAnn, CancelJob{{JobId(id), {}}});
    EXPECT_TRUE(is_done(remove("night")));
}

TEST_F(Partitions, ARunGoesOnWhereItsPartitionWas) {
    create("night", nodes({rig.name(1)}));
    const std::uint32_t id = submit_to("night");
    ASSERT_TRUE(is_done(edit("night", nodes({rig.name(2)}))));
    EXPECT_EQ(rig.job(id).state, JobState::running);
    rig.restart();
    rig.connect_all();
    EXPECT_EQ(rig.job(id).nodes, (std::vector<NodeId>{NodeId(1)}));
}

TEST_F(Partitions, RefuseWhatCannotBe) {
    EXPECT_EQ(why(rig.ask(kAnn, EditPartition{"night", true, {}})), Refusal::not_allowed);
    EXPECT_EQ(why(rig.ask(kAnn, DeletePartition{"main"})), Refusal::not_allowed);
    EXPECT_EQ(why(create("main")), Refusal::partition_name_taken);
    EXPECT_EQ(why(create("a b")), Refusal::invalid_request);
    EXPECT_EQ(why(create("")), Refusal::invalid_request);
    EXPECT_EQ(why(create("Default")), Refusal::invalid_request);
    EXPECT_EQ(why(create("night", nodes({"nowhere"}))), Refusal::invalid_node_list);
    EXPECT_EQ(why(edit("night", {})), Refusal::unknown_partition);
    EXPECT_EQ(why(remove("night")), Refusal::unknown_partition);
    PartitionChange change;
    change.state = "SLEEPY";
    EXPECT_EQ(why(edit("main", change)), Refusal::invalid_request);
    change = {};
    change.allow_accounts = Strings(70'000, "a");
    EXPECT_EQ(why(edit("main", change)), Refusal::invalid_request);
}

// ---- Nodes.

TEST_F(Partitions, NodesTakeAWeightFeaturesAndWords) {
    UpdateNode command{.node = rig.name(1)};
    command.change.features = Strings{"h100"};
    command.change.comment = "new fan";
    ASSERT_TRUE(is_done(rig.ask(kOperator, command)));
    EXPECT_EQ(rig.state().spec().node(NodeId(1)).comment, "new fan");
    EXPECT_FALSE(rig.state().nodes().condition(NodeId(1)).drained);
    JobSpec spec = testing::make_job({.gpus = 1});
    spec.request.edit().constraint = "h100";
    const std::uint32_t id = rig.submit(std::move(spec));
    EXPECT_EQ(rig.job(id).nodes, (std::vector<NodeId>{NodeId(1)}));
    EXPECT_EQ(why(rig.ask(kAnn, command)), Refusal::not_allowed);
    rig.restart();
    EXPECT_EQ(rig.state().spec().node(NodeId(1)).features, Strings{"h100"});
}

TEST_F(Partitions, ANodeIsDrainedAndChangedInOneGo) {
    UpdateNode command{.node = rig.name(0), .action = NodeAction::drain, .reason = "fan"};
    command.change.weight = 9;
    ASSERT_TRUE(is_done(rig.ask(kOperator, command)));
    EXPECT_TRUE(rig.state().nodes().condition(NodeId(0)).drained);
    EXPECT_EQ(rig.state().spec().node(NodeId(0)).weight, 9U);
    EXPECT_EQ(why(rig.ask(kOperator, UpdateNode{.node = rig.name(0)})), Refusal::invalid_request);
}

}  // namespace
}  // namespace berth
