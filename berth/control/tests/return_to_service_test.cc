// ReturnToService: whether a node that was down takes work again when it registers.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

ControlRig rig_with(std::optional<std::uint8_t> rule) {
    ClusterSpec spec = testing::make_cluster(1);
    spec.care.return_to_service = rule;
    return ControlRig(std::move(spec));
}

bool takes_work(const ControlRig& rig) {
    return rig.state().nodes().condition(NodeId(0)).schedulable();
}

void fall_silent(ControlRig& rig) {
    rig.connect(0);
    rig.lose_link(0);
    rig.wait(rig.state().spec().scheduling.agent_timeout + std::chrono::seconds(1));
    ASSERT_FALSE(takes_work(rig));
}

using Rule = std::optional<std::uint8_t>;

TEST(ReturnToService, DecidesAboutANodeThatDidNotRespond) {
    for (const auto& [rule, back] : std::vector<std::pair<Rule, bool>>{
             {std::nullopt, true}, {0, false}, {1, true}, {2, true}}) {
        ControlRig rig = rig_with(rule);
        fall_silent(rig);
        rig.connect(0);
        EXPECT_EQ(takes_work(rig), back) << (rule ? *rule : 9);
        if (back) continue;
        EXPECT_EQ(rig.state().nodes().condition(NodeId(0)).reason, "Not responding");
        rig.restart();
        rig.connect(0);
        EXPECT_FALSE(takes_work(rig)) << "nor by a new controller";
        UpdateNode resume{.node = "node1", .action = NodeAction::resume};
        rig.ask(kRoot, resume);
        EXPECT_TRUE(takes_work(rig));
    }
}

TEST(ReturnToService, DecidesAboutANodeThatRebootedUnasked) {
    for (const auto& [rule, back] : std::vector<std::pair<Rule, bool>>{
             {std::nullopt, true}, {0, false}, {1, false}, {2, true}}) {
        ControlRig rig = rig_with(rule);
        rig.connect(0);
        rig.reboot(0);
        rig.connect(0);
        EXPECT_EQ(takes_work(rig), back) << (rule ? *rule : 9);
        if (!back) {
            EXPECT_EQ(rig.state().nodes().condition(NodeId(0)).reason,
                      "Node unexpectedly rebooted");
        }
    }
}

TEST(ReturnToService, DecidesAboutANodeThatAnAdministratorSetDown) {
    for (const auto& [rule, back] : std::vector<std::pair<Rule, bool>>{
             {std::nullopt, false}, {0, false}, {1, false}, {2, true}}) {
        ControlRig rig = rig_with(rule);
        rig.connect(0);
        rig.ask(kRoot,
                UpdateNode{.node = "node1", .action = NodeAction::down, .reason = "broken fan"});
        ASSERT_FALSE(takes_work(rig));
        rig.lose_link(0);
        rig.connect(0);
        EXPECT_EQ(takes_work(rig), back) << (rule ? *rule : 9);
    }
}

// A new controller has not heard from a node before it registers: that does not count as not
// responding.
TEST(ReturnToService, IsNotAskedWhenTheControllerRestarts) {
    ControlRig rig = rig_with(0);
    rig.connect(0);
    rig.restart();
    rig.connect(0);
    EXPECT_TRUE(takes_work(rig));
}

}  // namespace
}  // namespace berth
