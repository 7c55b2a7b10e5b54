// Nodes that join one after the other: each is in the partitions that take it, and the engine is
// the one that a configuration with all of them would make.
#include <gtest/gtest.h>

#include "berth/engine/cycle/engine.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/model/new_node.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

ClusterSpec site() {
    ClusterSpec spec = testing::make_cluster(1, {.gpus = 4});
    spec.partitions.push_back({.name = "all", .all_nodes = true});
    spec.partitions.push_back({.name = "fast", .node_features = {"nvlink"}});
    return spec;
}

NodeDescribed joining(const Engine& engine, const std::string& name,
                      std::vector<std::string> features = {}) {
    NodeDescribed fact{.node = {}, .dimensions = engine.state().spec().dimensions};
    JoiningNode joining;
    joining.node.cores_per_socket = 16;
    joining.node.memory = gib(64).count();
    joining.node.features = std::move(features);
    fact.node = make_node(name, joining, fact.dimensions).value();
    return fact;
}

std::vector<NodeId> nodes_in(const Engine& engine, std::string_view partition) {
    const ClusterSpec& spec = engine.state().spec();
    return spec.partition(*spec.find_partition(partition)).nodes;
}

TEST(JoiningNodes, AreInThePartitionsThatTakeThem) {
    Engine engine = testing::make_engine(site());
    engine.apply(kNow, joining(engine, "a", {"nvlink"}));
    engine.apply(kNow, joining(engine, "b"));
    EXPECT_EQ(nodes_in(engine, "all"), (std::vector{NodeId(1), NodeId(2)}));
    EXPECT_EQ(nodes_in(engine, "fast"), std::vector{NodeId(1)});
    engine.apply(kNow, joining(engine, "a"));  // Described anew, without its feature.
    engine.apply(kNow, joining(engine, "b", {"nvlink"}));
    EXPECT_EQ(nodes_in(engine, "all"), (std::vector{NodeId(1), NodeId(2)}));
    EXPECT_EQ(nodes_in(engine, "fast"), std::vector{NodeId(2)});
    engine.state().check_invariants();
}

TEST(JoiningNodes, KeepWhatAnAdministratorSet) {
    Engine engine = testing::make_engine(site());
    engine.apply(kNow, joining(engine, "a"));
    ClusterEdited edited;
    edited.edits.nodes.push_back({"a", {.weight = 7U, .features = {{"nvlink"}}}});
    engine.apply(kNow, edited);
    engine.apply(kNow, joining(engine, "a"));
    const ClusterSpec& spec = engine.state().spec();
    EXPECT_EQ(spec.node(NodeId(1)).weight, 7U);
    EXPECT_EQ(nodes_in(engine, "fast"), std::vector{NodeId(1)});
}

TEST(JoiningNodes, ServeTheJobsThatWaitedForThem) {
    Engine engine = testing::make_engine(site());
    const auto join = [&](std::uint32_t n) {
        engine.apply(kNow, joining(engine, "n" + std::to_string(n)));
        engine.apply(kNow, NodeRegistered{.node = NodeId(n), .boot_id = "b"});
    };
    join(1);
    JobSpec whole = testing::make_job({.limit = std::chrono::minutes(10)});
    whole.partition = "all";
    whole.request.edit().exclusive = true;
    for (int i = 0; i < 40; ++i) testing::submit(engine, kNow, whole);
    engine.cycle(kNow, kBudget);
    EXPECT_EQ(engine.state().index().holding().size(), 1U);
    for (std::uint32_t n = 2; n <= 40; ++n) join(n);
    engine.cycle(kNow, kBudget);
    EXPECT_EQ(engine.state().index().holding().size(), 40U);
    engine.state().check_invariants();
}

// What came between a changed configuration and the next question is not forgotten.
TEST(JoiningNodes, AnEndMeanwhileIsNoticed) {
    Engine engine = testing::make_engine(site());
    const JobId first = testing::submit(
        engine, kNow, testing::make_job({.gpus = 4, .limit = std::chrono::hours(1)}));
    const JobId second = testing::submit(
        engine, kNow, testing::make_job({.gpus = 4, .limit = std::chrono::hours(1)}));
    engine.cycle(kNow, kBudget);
    ASSERT_EQ(engine.state().find_job(second)->state, JobState::pending);
    engine.apply(kNow, joining(engine, "a"));
    testing::finish(engine, kNow, first);
    engine.apply(kNow, joining(engine, "b"));
    EXPECT_EQ(engine.derived().book.find(first), nullptr);
    engine.cycle(kNow, kBudget);
    EXPECT_EQ(engine.state().find_job(second)->state, JobState::running);
}

}  // namespace
}  // namespace berth
