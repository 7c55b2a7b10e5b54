// A new configuration while the cluster runs.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

Reconfigure to(ClusterSpec spec) {
    return {std::make_shared<const ClusterSpec>(std::move(spec)), {}};
}

TEST(ReconfigureCommand, WhatIsNewIsInForceAtOnceAndWhatRunsGoesOn) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint32_t id = rig.run({.gpus = 1});
    ClusterSpec spec = testing::make_cluster(3);
    PartitionSpec extra = spec.partitions[0];
    extra.name = "extra";
    extra.is_default = false;
    spec.partitions.push_back(extra);
    EXPECT_TRUE(std::holds_alternative<Done>(rig.ask(kRoot, to(spec))));
    EXPECT_EQ(rig.facts<SpecInstalled>().size(), 1U);
    EXPECT_TRUE(rig.last.changes.spec);
    EXPECT_TRUE(rig.state().spec().find_partition("extra"));
    EXPECT_EQ(rig.state().spec().nodes.size(), 3U);
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_TRUE(rig.last.closed.empty()) << "the nodes are described as before";
    EXPECT_TRUE(std::holds_alternative<Done>(rig.ask(kRoot, to(spec))));
    EXPECT_TRUE(rig.last.record.facts.empty()) << "nothing new is not recorded";
}

TEST(ReconfigureCommand, ALimitThatScontrolGaveAPartitionStaysInForce) {
    ControlRig rig(2);
    rig.connect_all();
    EditPartition limit{.name = "main"};
    limit.change.max_cpus_per_node = 4;
    EXPECT_TRUE(std::holds_alternative<Done>(rig.ask(kRoot, limit)));
    EXPECT_TRUE(std::holds_alternative<Done>(rig.ask(kRoot, to(testing::make_cluster(2)))));
    EXPECT_TRUE(rig.last.record.facts.empty()) << "nothing new is not recorded";
    EXPECT_EQ(rig.state().spec().partitions[0].max_cpus_per_node, 4U);
    rig.state().check_invariants();
}

TEST(ReconfigureCommand, ANodeThatIsDescribedOtherwiseRegistersAnew) {
    ControlRig rig(2);
    rig.connect_all();
    ClusterSpec spec = testing::make_cluster(2);
    spec.nodes.edit(1).weight = 77;
    rig.ask(kRoot, to(spec));
    ASSERT_EQ(rig.last.closed.size(), 1U);
    EXPECT_EQ(rig.last.closed[0], rig.agents[1].link);
}

TEST(ReconfigureCommand, AShorterPatienceIsToldToAllAndCountsFromThere) {
    ControlRig rig(2);
    rig.connect_all();
    rig.now += std::chrono::minutes(4);
    ClusterSpec spec = testing::make_cluster(2);
    spec.scheduling.agent_timeout = std::chrono::seconds(20);
    spec.scheduling.heartbeat = std::chrono::seconds(2);
    rig.ask(kRoot, to(spec));
    EXPECT_EQ(rig.last.closed.size(), 2U);
    rig.now += std::chrono::seconds(10);
    rig.turn({});
    EXPECT_TRUE(rig.state().nodes().condition(NodeId(0)).responding);
    rig.now += std::chrono::seconds(11);
    rig.turn({});
    EXPECT_FALSE(rig.state().nodes().condition(NodeId(0)).responding);
}

TEST(ReconfigureCommand, JobIdsAreNotTakenAway) {
    ControlRig rig(2);
    rig.connect_all();
    for (int i = 0; i < 5; ++i) rig.submit();
    for (const std::uint32_t last : {0U, 1U, 6U}) {
        ClusterSpec spec = testing::make_cluster(2);
        spec.scheduling.first_job_id = 1;
        spec.scheduling.max_job_id = last;
        EXPECT_EQ(why(rig.ask(kRoot, to(spec))), Refusal::invalid_request) << last;
    }
    EXPECT_GT(rig.submit(), 5U);
}

TEST(ReconfigureCommand, ANodeThatIsGoneGetsNoWorkAndKeepsWhatItHas) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint32_t first = rig.run({.gpus = 8}), second = rig.run({.gpus = 8});
    ClusterSpec smaller = testing::make_cluster(1);
    rig.ask(kRoot, to(smaller));
    EXPECT_EQ(rig.job(first).state, JobState::running);
    EXPECT_EQ(rig.job(second).state, JobState::running);
    rig.report(1, end_report(second));
    EXPECT_EQ(rig.job(second).state, JobState::completed);
    EXPECT_EQ(rig.job(rig.submit({.gpus = 8})).state, JobState::pending);
    rig.restart();
}

TEST(ReconfigureCommand, WhatIsWrongOrNotAllowedChangesNothing) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint64_t before = rig.state().hash();
    EXPECT_EQ(why(rig.ask(kRoot, Reconfigure{nullptr, "slurm.conf:3: error: …"})),
              Refusal::invalid_request);
    EXPECT_EQ(why(rig.ask(kOperator, to(testing::make_cluster(3)))), Refusal::not_allowed);
    EXPECT_EQ(rig.state().hash(), before);
}

}  // namespace
}  // namespace berth
