// MPS on a node, with a program in place of NVIDIA's that records how it is called.
#include <algorithm>
#include <fstream>

#include "berth/host/node/linux_node_rig.h"
#include "berth/host/node/mps_daemons.h"

namespace berth {
namespace {

constexpr const char* kDaemon = R"(#!/bin/sh
echo "$(id -u) $1 $CUDA_VISIBLE_DEVICES" >>WORK/daemons
echo $$ >WORK/daemon.pid
[ -e WORK/broken ] && { echo no such GPU; exit 3; }
trap 'echo quit >>WORK/daemons; exit 0' TERM
[ -e WORK/server ] && { sh -c 'trap "" TERM; echo $$ >WORK/server.pid; while :; do sleep 0.05; done' & }
: >"$CUDA_MPS_PIPE_DIRECTORY/control"
while :; do sleep 0.05; done
)";

class MpsTest : public ::testing::Test, public LinuxNodeRig {
protected:
    void SetUp() override {
        std::string text = kDaemon;
        for (std::size_t at = 0; (at = text.find("WORK")) != std::string::npos;)
            text.replace(at, 4, work);
        options.nvidia.mps_control = folder + "/mps-control";
        std::ofstream(options.nvidia.mps_control) << text;
        chmod(options.nvidia.mps_control.c_str(), 0755);
        const DimensionId gpu = *options.dimensions.intern("gpu", "a100");
        mps = *options.dimensions.intern("mps", "");
        for (std::uint32_t i = 0; i < 2; ++i) {
            Device device;
            device.dimension = gpu;
            device.index = i;
            device.uuid = "GPU-" + std::to_string(i);
            device.shares = {{mps, 200}};
            options.node.devices.push_back(device);
        }
        open();
    }
    LaunchAttempt shared(std::uint32_t id, std::uint32_t device, const std::string& shell) const {
        LaunchAttempt launch = job(id, shell);
        launch.confinement.devices = false;
        launch.share.devices = DeviceMask{1} << device;
        launch.share.device_share = DeviceShare{device, {mps, 50}};
        launch.shares = {launch.share};
        return launch;
    }
    void finish(std::uint32_t id) {
        wait<RunExited>(batch(id));
        wait<RunEmpty>(batch(id));
        node->act(RemoveAttempt{JobId{id}, Attempt{1}});
    }
    std::string daemon(std::uint32_t gpu) const {
        return std::to_string(uid) + " -f GPU-" + std::to_string(gpu);
    }
    const FaultsSeen* faults() const {
        for (const AgentEvent& event : seen) {
            if (const auto* told = std::get_if<FaultsSeen>(&event)) return told;
        }
        return nullptr;
    }
    DimensionId mps{0};
};

TEST_F(MpsTest, OneDaemonServesAllJobsOfAUserOnAGpuAndGoesWithTheLast) {
    start(shared(1, 1, "env >one; while [ ! -e go ]; do sleep 0.05; done"));
    wait<RunStarted>(batch(1));
    start(shared(2, 1, "env >two"));
    finish(2);
    pump(200);
    // It did not stop with the second job.
    EXPECT_EQ(lines("daemons"), std::vector<std::string>{daemon(1)});
    const std::string pipe =
        "CUDA_MPS_PIPE_DIRECTORY=" + options.run_dir + "/mps/1-" + std::to_string(uid) + "/pipe\n";
    for (const char* one : {"one", "two"}) {
        EXPECT_NE(text(one).find(pipe), std::string::npos);
        EXPECT_NE(text(one).find("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=25\n"), std::string::npos);
    }
    std::ofstream(work + "/go") << "";
    finish(1);
    for (int i = 0; i < 100 && lines("daemons").size() < 2; ++i) pump(50);
    EXPECT_EQ(lines("daemons"), (std::vector<std::string>{daemon(1), "quit"}));
    EXPECT_EQ(faults(), nullptr);
}

// Together with whatever it has started, and with limited memory.
TEST_F(MpsTest, ADaemonHasACgroupOfItsOwnThatGoesWithIt) {
    if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: needs root";
    const CgroupTree tree(find_cgroup_mounts(), options.cgroup_prefix);
    if (!tree.usable()) GTEST_SKIP() << "SKIPPED: needs cgroups";
    const Cgroup own = tree.service("mps_1_" + std::to_string(uid));
    std::ofstream(work + "/server") << "";  // It starts a server and leaves it behind.
    start(shared(1, 1, "while [ ! -e go ]; do sleep 0.05; done"));
    wait<RunStarted>(batch(1));
    ASSERT_TRUE(wait_for_file(work + "/server.pid"));
    const int daemon = std::stoi(text("daemon.pid")), server = std::stoi(text("server.pid"));
    const std::vector<int> inside = CgroupTree::processes(own);
    EXPECT_NE(std::ranges::find(inside, daemon), inside.end());
    EXPECT_NE(std::ranges::find(inside, server), inside.end());
    EXPECT_EQ(std::ranges::find(inside, getpid()), inside.end());
    if (const auto memory = own.v1.find("memory"); memory != own.v1.end()) {
        EXPECT_EQ(std::stoll(*read_file(memory->second + "/memory.limit_in_bytes")), 1LL << 30);
    }
    std::ofstream(work + "/go") << "";
    finish(1);
    for (int i = 0; i < 200 && lines("daemons").size() < 2; ++i) pump(50);
    for (int i = 0; i < 200 && CgroupTree::populated(own); ++i) pump(50);
    EXPECT_FALSE(CgroupTree::populated(own));
    for (const auto& [controller, path] : own.v1)
        EXPECT_FALSE(std::filesystem::exists(path)) << controller;
}

TEST_F(MpsTest, EachGpuHasItsOwn) {
    start(shared(1, 0, "true"));
    finish(1);
    start(shared(2, 1, "true"));
    finish(2);
    std::vector<std::string> all = lines("daemons");
    std::erase(all, "quit");
    EXPECT_EQ(all, (std::vector<std::string>{daemon(0), daemon(1)}));
}

TEST_F(MpsTest, NobodyHasOneWithoutAPartOfAGpu) {
    LaunchAttempt whole = shared(1, 0, "env >one");
    whole.share.device_share.reset();
    start(whole);
    finish(1);
    EXPECT_FALSE(std::filesystem::exists(work + "/daemons"));
    EXPECT_EQ(text("one").find("CUDA_MPS"), std::string::npos);
}

TEST_F(MpsTest, ADaemonThatFallsIsAFaultOfItsGpuAlone) {
    start(shared(1, 1, "sleep 100"));
    wait<RunStarted>(batch(1));
    ASSERT_TRUE(wait_for_file(work + "/daemon.pid"));
    ASSERT_EQ(kill(std::stoi(text("daemon.pid")), SIGKILL), 0);
    for (int i = 0; i < 200 && faults() == nullptr; ++i) pump(50);
    ASSERT_NE(faults(), nullptr);
    ASSERT_EQ(faults()->faults.size(), 1U);
    EXPECT_EQ(faults()->faults[0].gpu, 1);
    EXPECT_EQ(faults()->faults[0].kind, GpuFaultKind::told);
}

TEST_F(MpsTest, AJobWhoseDaemonDoesNotStartDoesNotEither) {
    std::ofstream(work + "/broken") << "";
    start(shared(1, 0, "touch ran"));
    const std::string why = wait<RunFailedToStart>(batch(1)).why;
    EXPECT_NE(why.find("does not start: no such GPU"), std::string::npos) << why;
    EXPECT_FALSE(std::filesystem::exists(work + "/ran"));
}

TEST_F(MpsTest, TheNextAgentTakesTheDaemonOver) {
    start(shared(1, 0, "while [ ! -e go ]; do sleep 0.05; done"));
    wait<RunStarted>(batch(1));
    reopen();
    EXPECT_EQ(faults(), nullptr);
    start(shared(2, 0, "true"));
    finish(2);
    std::ofstream(work + "/go") << "";
    finish(1);
    for (int i = 0; i < 100 && lines("daemons").size() < 2; ++i) pump(50);
    EXPECT_EQ(lines("daemons"), (std::vector<std::string>{daemon(0), "quit"}));
}

TEST_F(MpsTest, TheNextAgentSeesThatTheDaemonHasFallen) {
    start(shared(1, 0, "sleep 100"));
    wait<RunStarted>(batch(1));
    ASSERT_TRUE(wait_for_file(work + "/daemon.pid"));
    node.reset();
    ASSERT_EQ(kill(std::stoi(text("daemon.pid")), SIGKILL), 0);
    for (int i = 0; i < 100 && kill(std::stoi(text("daemon.pid")), 0) == 0; ++i) usleep(20'000);
    reopen();
    pump(10);
    ASSERT_NE(faults(), nullptr);
    EXPECT_EQ(faults()->faults[0].gpu, 0);
}

}  // namespace
}  // namespace berth
