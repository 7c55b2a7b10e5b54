// Dynamic nodes: they join, are created, and are deleted.
#include "berth/control/agents/dynamic_nodes.h"

#include <gtest/gtest.h>

#include "berth/control/tests/control_rig.h"
#include "berth/model/new_node_text.h"

namespace berth {
namespace {

ClusterSpec open_cluster(std::uint32_t most = 4) {
    ClusterSpec spec = testing::make_cluster(1);
    spec.max_node_count = most;
    spec.partitions[0].all_nodes = true;
    PartitionSpec big{.name = "big"};
    big.node_features = {"big"};
    spec.partitions.push_back(std::move(big));
    spec.settings = {{"GresTypes", "gpu,fpga"}};
    return spec;
}

class DynamicNodes : public ::testing::Test {
protected:
    void begin(std::uint32_t most = 4) {
        rig.emplace(open_cluster(most));
        rig->connect_all();
    }
    static NewNode node_of(const std::vector<std::string>& words) {
        NewNode node;
        EXPECT_TRUE(read_new_node(words, node).ok());
        return node;
    }
    // As its agent registers; it says what to create it as until it has been welcomed.
    Turn& join(const std::string& name, std::optional<NewNode> as, std::uint64_t session = 1) {
        Registration all;
        all.node = name;
        all.boot_id = "boot-" + name;
        all.session = session;
        all.instance = "first";
        all.agent_started_at = rig->now;
        all.found.sockets = 64;
        all.found.memory = mib(1'000'000);
        all.found.gres_text = "gpu:a100:8";
        if (as) all.joins = JoiningNode{*std::move(as), {}, {}};
        link = Link{1000 + ++links};
        return rig->turn({AgentInput{link, name, {all.boot_id, session, std::move(all)}}});
    }
    bool was_welcome() const { return !rig->orders<Welcome>().empty(); }
    const NodeSpec& node(const std::string& name) const {
        return rig->state().spec().node(*rig->state().spec().find_node(name));
    }
    bool is_there(const std::string& name) const {
        const auto id = rig->state().spec().find_node(name);
        return id && !rig->state().spec().node(*id).gone;
    }
    std::vector<std::string> nodes_of(const std::string& partition) const {
        const ClusterSpec& spec = rig->state().spec();
        std::vector<std::string> names;
        for (const NodeId id : spec.partition(*spec.find_partition(partition)).nodes)
            names.push_back(spec.node(id).name);
        return names;
    }
    Answer create(std::vector<std::string> names, const std::vector<std::string>& words) {
        return rig->ask(kRoot, CreateNodes{std::move(names), node_of(words)});
    }
    Answer remove(const std::string& name) { return rig->ask(kRoot, DeleteNode{name}); }

    std::optional<ControlRig> rig;
    Link link;
    std::uint64_t links = 0;
};

using Names = std::vector<std::string>;

TEST_F(DynamicNodes, JoinRunJobsAndStayOverARestart) {
    begin();
    join("dyn1", node_of({"CPUs=8", "RealMemory=64000", "Gres=gpu:a100:2", "Feature=big"}));
    ASSERT_TRUE(was_welcome());
    EXPECT_EQ(rig->orders<Welcome>()[0].second.setup->node.gres_text, "gpu:a100:2");
    EXPECT_EQ(nodes_of("main"), (Names{"node1", "dyn1"}));
    EXPECT_EQ(nodes_of("big"), (Names{"dyn1"}));
    JobSpec spec = testing::make_job({.gpus = 2});
    spec.partition = std::string("big");
    const std::uint32_t id = rig->submit(std::move(spec));
    EXPECT_EQ(rig->job(id).state, JobState::running);
    EXPECT_EQ(rig->job(id).nodes, (std::vector<NodeId>{NodeId(1)}));
    rig->restart();
    EXPECT_TRUE(is_there("dyn1"));
    EXPECT_EQ(nodes_of("big"), (Names{"dyn1"}));
    EXPECT_TRUE(rig->knows(id));
    join("dyn1", std::nullopt, 2);  // It was welcomed before.
    EXPECT_TRUE(was_welcome());
}

TEST_F(DynamicNodes, StayWhenTheConfigurationIsReadAgain) {
    begin();
    join("dyn1", node_of({"CPUs=8", "Gres=gpu:a100:2", "Feature=big"}));
    ClusterSpec read = open_cluster();
    read.nodes.edit(0).weight = 7;
    read.partitions[1].node_features = {"other"};
    EXPECT_TRUE(is_done(
        rig->ask(kRoot, Reconfigure{std::make_shared<const ClusterSpec>(std::move(read)), ""})));
    EXPECT_TRUE(is_there("dyn1"));
    EXPECT_EQ(nodes_of("main"), (Names{"node1", "dyn1"}));
    EXPECT_EQ(nodes_of("big"), Names{});
    // A configuration that names the node has precedence.
    ClusterSpec named = open_cluster();
    testing::add_node(named, "dyn1", {});
    EXPECT_TRUE(is_done(
        rig->ask(kRoot, Reconfigure{std::make_shared<const ClusterSpec>(std::move(named)), ""})));
    EXPECT_FALSE(node("dyn1").is_dynamic());
}

TEST_F(DynamicNodes, AreRefusedWithoutRoomOrWithoutSayingSo) {
    begin(1);
    join("dyn1", node_of({"CPUs=8"}));
    EXPECT_FALSE(was_welcome());
    EXPECT_EQ(rig->last.closed.size(), 1U);
    EXPECT_FALSE(is_there("dyn1"));
    begin();
    join("dyn1", std::nullopt);
    EXPECT_FALSE(was_welcome());
    join("dyn1", node_of({"Gres=npu:2"}));  // Not among GresTypes.
    EXPECT_FALSE(was_welcome());
    join("a b", node_of({"CPUs=2"}));
    EXPECT_FALSE(was_welcome());
    EXPECT_EQ(rig->state().spec().nodes.size(), 1U);
}

TEST_F(DynamicNodes, GoWhenNothingUsesThem) {
    begin();
    join("dyn1", node_of({"CPUs=8", "Gres=gpu:a100:2", "Feature=big"}));
    JobSpec spec = testing::make_job({});
    spec.partition = std::string("big");
    const std::uint32_t id = rig->submit(std::move(spec));
    EXPECT_EQ(why(remove("dyn1")), Refusal::nodes_busy);
    rig->ask(kAnn, CancelJob{{JobId(id), {}}});
    rig->turn({AgentInput{link, "dyn1", {"boot-dyn1", 1, end_report(id, 1, std::nullopt)}}});
    EXPECT_TRUE(is_done(remove("dyn1")));
    EXPECT_EQ(rig->last.closed.size(), 1U);
    EXPECT_FALSE(is_there("dyn1"));
    EXPECT_EQ(nodes_of("main"), Names{"node1"});
    EXPECT_EQ(why(remove("dyn1")), Refusal::unknown_node);
    // After a lost link the agent does not ask to join again; a restarted agent does.
    join("dyn1", std::nullopt, 2);
    EXPECT_FALSE(was_welcome());
    rig->restart();
    EXPECT_FALSE(is_there("dyn1"));
    join("dyn1", node_of({"CPUs=2"}), 3);
    EXPECT_TRUE(was_welcome());
    EXPECT_EQ(node("dyn1").cpus(), 2U);
    EXPECT_EQ(rig->state().spec().nodes.size(), 2U);  // At its old index.
}

TEST_F(DynamicNodes, AreMadeByAnAdministratorForMachinesToCome) {
    begin();
    EXPECT_TRUE(is_done(create({"c1", "c2"}, {"State=CLOUD", "CPUs=4", "Gres=gpu:a100:1"})));
    EXPECT_EQ(nodes_of("main"), (Names{"node1", "c1", "c2"}));
    EXPECT_FALSE(rig->state().nodes().condition(NodeId(1)).schedulable());
    join("c2", node_of({"CPUs=64"}));  // Its own description does not count …
    EXPECT_TRUE(was_welcome());
    EXPECT_EQ(node("c2").cpus(), 4U);
    EXPECT_TRUE(rig->state().nodes().condition(NodeId(2)).schedulable());
    JoiningNode joining{.node = {}, .devices = {}, .dimensions = {}};
    const DimensionId gpu = *joining.dimensions.intern("gpu", "a100");
    joining.devices.push_back({.dimension = gpu, .index = 0, .file = "/dev/nvidia3"});
    const auto told = joined(rig->state(), "c1", joining);  // … except for its device files.
    ASSERT_TRUE(told.ok() && *told);
    EXPECT_EQ((*told)->node.devices[0].file, "/dev/nvidia3");
    rig->restart();
    EXPECT_TRUE(is_there("c1") && is_there("c2"));
    EXPECT_TRUE(is_done(remove("c1")));
}

TEST_F(DynamicNodes, RefuseWhatCannotBe) {
    begin();
    EXPECT_EQ(why(rig->ask(kOperator, CreateNodes{{"c1"}, node_of({"State=CLOUD"})})),
              Refusal::not_allowed);
    EXPECT_EQ(why(rig->ask(kOperator, DeleteNode{"node1"})), Refusal::not_allowed);
    EXPECT_EQ(why(create({"node1"}, {"State=CLOUD"})), Refusal::node_name_taken);
    EXPECT_EQ(why(create({"c1", "c1"}, {"State=CLOUD"})), Refusal::node_name_taken);
    EXPECT_EQ(why(create({"c1"}, {"CPUs=2"})), Refusal::invalid_request);
    EXPECT_EQ(why(create({}, {"State=CLOUD"})), Refusal::invalid_request);
    EXPECT_EQ(why(create({"c1", "c2", "c3", "c4"}, {"State=CLOUD"})), Refusal::invalid_request);
    EXPECT_EQ(why(create({"c1"}, {"State=CLOUD", "Gres=npu:1"})), Refusal::invalid_request);
    EXPECT_EQ(why(remove("node1")), Refusal::invalid_request);
    EXPECT_EQ(why(remove("nowhere")), Refusal::unknown_node);
    EXPECT_EQ(rig->state().spec().nodes.size(), 1U);
}

TEST_F(DynamicNodes, OfAReservationStay) {
    begin();
    join("dyn1", node_of({"CPUs=8", "Feature=big"}));
    ReservationChange change;
    change.nodes = "dyn1";
    change.start = rig->now;
    change.duration = std::chrono::hours(1);
    change.users = Names{"ann"};
    const Answer made = rig->ask(kRoot, EditReservation{"r", true, change});
    ASSERT_TRUE(std::holds_alternative<ReservationMade>(made));
    EXPECT_EQ(why(remove("dyn1")), Refusal::nodes_busy);
    EXPECT_TRUE(is_done(rig->ask(kRoot, DeleteReservation{"r"})));
    EXPECT_TRUE(is_done(remove("dyn1")));
}

}  // namespace
}  // namespace berth
