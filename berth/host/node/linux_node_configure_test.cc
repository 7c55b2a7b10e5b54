// A node that receives a new description: runs that start afterwards use it.
#include <cstdlib>
#include <fstream>

#include "berth/host/node/linux_node_rig.h"

namespace berth {
namespace {

class ConfigureTest : public ::testing::Test, public LinuxNodeRig {
protected:
    static NodeSetup with_gpus(std::uint32_t count) {
        NodeSetup setup;
        const DimensionId gpu = *setup.dimensions.intern("gpu", "a100");
        for (std::uint32_t i = 0; i < count; ++i)
            setup.node.devices.push_back({.dimension = gpu, .index = i});
        return setup;
    }
    std::string gpus_of(std::uint32_t id, DeviceMask devices) {
        const std::string name = "gpus" + std::to_string(id);
        LaunchAttempt launch = job(id, "echo \"$CUDA_VISIBLE_DEVICES\" >" + name);
        launch.confinement.devices = false;
        launch.share.devices = devices;
        launch.shares = {launch.share};
        start(launch);
        wait<RunExited>(batch(id));
        return text(name);
    }
};

TEST_F(ConfigureTest, JobsHaveTheDevicesThatTheControllerDescribes) {
    open();
    node->act(ConfigureNode{with_gpus(3)});
    EXPECT_EQ(gpus_of(1, 0b101), "0,2\n");
    node->act(ConfigureNode{with_gpus(4)});
    EXPECT_EQ(gpus_of(2, 0b1000), "3\n");
}

// The controller's configuration does not name the instance; the driver here does.
TEST_F(ConfigureTest, AMigInstanceKeepsItsName) {
    options.nvidia.nvml = FAKE_NVML;
    options.nvidia.mig_minors = folder + "/mig-minors";
    std::ofstream(options.nvidia.mig_minors) << "gpu0/gi2/access 21\ngpu0/gi2/ci0/access 22\n"
                                                "gpu0/gi7/access 66\ngpu0/gi7/ci0/access 67\n";
    ::setenv("FAKE_NVML_MIG", "3", 1);
    NodeSetup setup;
    setup.node.devices.push_back(
        {.dimension = *setup.dimensions.intern("gpu", "1g.10gb"),
         .file = "/dev/nvidia0,/dev/nvidia-caps/nvidia-cap66,/dev/nvidia-caps/nvidia-cap67"});
    open();
    node->act(ConfigureNode{setup});
    EXPECT_EQ(gpus_of(1, 0b1), "MIG-fake-b\n");
    ::unsetenv("FAKE_NVML_MIG");
}

TEST_F(ConfigureTest, WhatContradictsItselfIsNotTakenUp) {
    open();
    node->act(ConfigureNode{with_gpus(2)});
    NodeSetup wrong = with_gpus(4);
    wrong.node.devices[3].dimension = DimensionId(9);
    node->act(ConfigureNode{wrong});
    EXPECT_EQ(gpus_of(1, 0b10), "1\n");
}

}  // namespace
}  // namespace berth
