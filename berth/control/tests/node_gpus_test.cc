// Drain and resume of single GPUs.
#include <gtest/gtest.h>

#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

TEST(Gpus, AreDrainedAndResumedOneByOne) {
    ControlRig rig;
    rig.connect_all();
    const auto ask = [&](NodeAction action, std::vector<std::uint32_t> gpus, std::string reason) {
        return rig.ask(kOperator, UpdateNode{"node1", action, std::move(reason), std::move(gpus)});
    };
    EXPECT_EQ(why(ask(NodeAction::drain, {8}, "hot")), Refusal::invalid_request);
    EXPECT_EQ(why(ask(NodeAction::drain, {1}, "")), Refusal::invalid_request);
    EXPECT_EQ(why(ask(NodeAction::down, {1}, "hot")), Refusal::invalid_request);
    EXPECT_TRUE(is_done(ask(NodeAction::drain, {1, 3}, "hot")));
    const NodeCondition& node = rig.state().nodes().condition(NodeId(0));
    EXPECT_TRUE(node.schedulable());
    EXPECT_EQ(node.drained_mask(), 0b1010U);
    EXPECT_EQ(node.drained_devices.at(0).reason, "hot");
    EXPECT_EQ(node.drained_devices.at(0).by, "oscar");
    EXPECT_EQ(rig.state().nodes().free(NodeId(0)).devices, 0xf5U);
    EXPECT_TRUE(is_done(ask(NodeAction::resume, {3}, "")));
    EXPECT_EQ(node.drained_mask(), 0b10U);
}

TEST(Gpus, ARefusedCallHasChangedNothing) {
    ControlRig rig;
    rig.connect_all();
    UpdateNode call{"node1", NodeAction::drain, "hot", {99}};
    call.change.comment = "seen";
    EXPECT_EQ(why(rig.ask(kOperator, call)), Refusal::invalid_request);
    EXPECT_TRUE(rig.last.record.facts.empty());
    call.gpus = {}, call.action = NodeAction::reboot;
    EXPECT_EQ(why(rig.ask(kOperator, call)), Refusal::invalid_request) << "no RebootProgram";
    EXPECT_TRUE(rig.last.record.facts.empty());
}

}  // namespace
}  // namespace berth
