#include <gtest/gtest.h>

#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

class GpuHealth : public ::testing::Test {
protected:
    GpuHealth() { rig.connect_all(); }
    void fault(std::int32_t gpu, std::int64_t xid, std::uint64_t number) {
        rig.report(0, GpusFaulted{{of(gpu, xid, number)}});
    }
    static GpuFault of(std::int32_t gpu, std::int64_t xid, std::uint64_t number) {
        return {.gpu = gpu, .kind = GpuFaultKind::xid, .code = xid, .number = number};
    }
    const NodeCondition& node() const { return rig.state().nodes().condition(NodeId(0)); }
    void resume(std::uint32_t gpu) {
        ASSERT_TRUE(
            is_done(rig.ask(kOperator, UpdateNode{"node1", NodeAction::resume, "", {gpu}})));
    }

    ControlRig rig{2};
};

TEST_F(GpuHealth, OneFaultDrainsOneGpuAndItsJobGoesOn) {
    const std::uint32_t job = rig.run({.gpus = 8});
    ASSERT_EQ(rig.job(job).nodes.front(), NodeId(0));
    fault(3, 74, 1);
    EXPECT_EQ(node().drained_mask(), 0b1000U);
    EXPECT_EQ(node().drained_devices[0].reason, "gpu 3: XID 74: NVLink error");
    EXPECT_TRUE(node().schedulable());
    EXPECT_EQ(rig.job(job).state, JobState::running);
    rig.report(0, end_report(job));
    EXPECT_EQ(rig.state().nodes().free(NodeId(0)).devices, 0xf7U);
    rig.run({.gpus = 8});  // On the other node.
    const std::uint32_t seven = rig.run({.gpus = 7});
    EXPECT_EQ(rig.job(seven).nodes.front(), NodeId(0));
}

TEST_F(GpuHealth, AGpuThatIsGoneTakesItsJobAlongAndNoOther) {
    const std::uint32_t first = rig.run({.gpus = 2}), second = rig.run({.gpus = 2});
    ASSERT_EQ(rig.job(first).nodes.front(), NodeId(0));
    const DeviceMask held = rig.job(first).allocation->shares[0].devices;
    fault(lowest(held), 79, 1);
    EXPECT_EQ(rig.job(first).state, JobState::completing);
    EXPECT_EQ(rig.job(first).state_reason, "GpuFailure");
    EXPECT_EQ(rig.orders<EndAttempt>().size(), 1U);
    EXPECT_EQ(rig.job(second).state, JobState::running);
    rig.report(0, end_report(first, 1, ExitStatus{0, 15}));
    EXPECT_EQ(rig.job(first).restarts, 1U);
    EXPECT_EQ(rig.job(first).state, JobState::running);  // On other GPUs.
    const NodeShare& again = rig.job(first).allocation->shares[0];
    EXPECT_TRUE(again.node != NodeId(0) || (again.devices & node().drained_mask()) == 0);
}

TEST_F(GpuHealth, AJobThatMayNotRunAgainFails) {
    JobSpec spec = testing::make_job({.gpus = 8});
    spec.requeue = false;
    const std::uint32_t job = rig.submit(spec);
    rig.started(0, job);
    fault(0, 48, 1);
    EXPECT_EQ(rig.job(job).outcome, JobState::node_fail);
}

TEST_F(GpuHealth, WhatIsTheJobsOwnFaultChangesNothing) {
    fault(3, 31, 1);
    fault(9, 79, 2);  // There is no such GPU.
    EXPECT_TRUE(node().drained_devices.empty());
}

TEST_F(GpuHealth, AFaultIsActedUponOnceHoweverOftenItIsTold) {
    fault(3, 79, 1);
    resume(3);
    EXPECT_TRUE(node().drained_devices.empty());
    fault(3, 79, 1);
    EXPECT_TRUE(node().drained_devices.empty());
    rig.restart();
    AgentInput all = rig.registration(0);
    rig.agents[0].link = Link{100};
    ++rig.agents[0].session;
    all = rig.registration(0);
    std::get<Registration>(all.report.body).faults = {of(3, 79, 1), of(4, 79, 2)};
    rig.turn({all});
    EXPECT_EQ(node().drained_mask(), 0b10000U);
}

TEST_F(GpuHealth, AnotherAgentProcessCountsItsFaultsAnew) {
    fault(3, 79, 7);
    rig.reboot(0);
    rig.connect(0);
    fault(4, 79, 1);
    EXPECT_EQ(node().drained_mask(), 0b11000U);
}

// The first node's registration when its agent finds all devices but `absent`.
AgentInput without(ControlRig& rig, const ClusterSpec& spec, DeviceMask absent) {
    AgentInput input = rig.registration(0);
    NodeSpec& found = std::get<Registration>(input.report.body).found;
    found = spec.nodes[0];
    std::vector<Device> there;
    for (std::size_t i = 0; i < found.devices.size(); ++i) {
        if ((absent & bit(static_cast<int>(i))) == 0) there.push_back(found.devices[i]);
    }
    found.gres_text = "gpu:a100:" + std::to_string(there.size());
    found.devices = std::move(there);
    return input;
}

TEST(AbsentGpus, AreDrainedAlone) {
    ClusterSpec spec = testing::make_cluster(1);
    for (Device& device : spec.nodes.edit(0).devices) {
        device.file = "/dev/nvidia" + std::to_string(device.index);
    }
    ControlRig rig(spec);
    rig.agents[0].link = Link{50};
    rig.agents[0].session = 1;
    rig.turn({without(rig, spec, 0b100000)});
    const NodeCondition& node = rig.state().nodes().condition(NodeId(0));
    EXPECT_TRUE(node.schedulable());
    EXPECT_EQ(node.drained_mask(), 0b100000U);
    EXPECT_EQ(node.drained_devices[0].reason, "gpu 5: /dev/nvidia5 is not there");
    rig.agents[0].link = Link{51};
    rig.agents[0].session = 2;
    rig.turn({without(rig, spec, 0xff)});  // Its driver is gone.
    EXPECT_TRUE(node.drained);
    EXPECT_EQ(node.reason, "gres/gpu count reported lower than configured (0 < 7)");
}

}  // namespace
}  // namespace berth
