#include "berth/host/hardware/machine.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "berth/host/hardware/gpu_inventory.h"

namespace berth {
namespace {

Machine two_sockets_of_two_cores_with_two_threads() {
    Machine machine;
    machine.sockets = 2;
    machine.cpus_of_core = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
    machine.socket_of_core = {0, 0, 1, 1};
    machine.memory = gib(64);
    return machine;
}

NodeSpec node(std::uint32_t sockets, std::uint32_t cores, std::uint32_t threads) {
    NodeSpec spec;
    spec.name = "n1";
    spec.sockets = sockets;
    spec.cores_per_socket = cores;
    spec.threads_per_core = threads;
    return spec;
}

TEST(Machine, IsDiscovered) {
    const auto machine = discover_machine();
    ASSERT_TRUE(machine.ok()) << machine.error().message;
    std::set<int> cpus;
    for (const auto& core : machine->cpus_of_core) cpus.insert(core.begin(), core.end());
    EXPECT_EQ(cpus.size(), machine->cpus());  // Each CPU in one core.
    EXPECT_LE(machine->cpus(), static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_CONF)));
    EXPECT_GT(machine->memory, mib(64));
    const NodeSpec self = node_of(*machine, "here");
    EXPECT_EQ(self.capacity.cpu(), cores(self.cpus()));
}

TEST(Machine, GivesANodeItsCpusAsItIsConfigured) {
    const Machine machine = two_sockets_of_two_cores_with_two_threads();
    using Cpus = std::vector<std::vector<int>>;
    EXPECT_EQ(cpus_of_node(node(2, 2, 2), machine), machine.cpus_of_core);
    EXPECT_EQ(cpus_of_node(node(1, 2, 2), machine), (Cpus{{0, 4}, {1, 5}}));
    EXPECT_EQ(cpus_of_node(node(1, 8, 1), machine), (Cpus{{0}, {4}, {1}, {5}, {2}, {6}, {3}, {7}}));
    EXPECT_EQ(cpus_of_node(node(1, 16, 1), machine), Cpus{});
    EXPECT_EQ(cpus_of_node(node(1, 8, 2), machine), Cpus{});
}

TEST(Machine, FindsOfTheConfiguredDevicesThoseThatAreThere) {
    Dimensions dimensions;
    const DimensionId gpu = *dimensions.intern("gpu", "a100");
    const DimensionId fpga = *dimensions.intern("fpga", "");
    NodeSpec spec = node(1, 4, 1);
    for (const char* file : {"/dev/null", "/dev/no-such-gpu", ""}) {
        spec.devices.push_back({.dimension = gpu, .file = file});
    }
    spec.devices.push_back({.dimension = fpga, .file = "/dev/zero"});
    const NodeSpec found =
        found_node(spec, dimensions, two_sockets_of_two_cores_with_two_threads());
    EXPECT_EQ(found.gres_text, "gpu:a100:2,fpga:1");
    EXPECT_EQ(found.devices.size(), 3u);
    EXPECT_EQ(found.cpus(), 8u);
    EXPECT_EQ(found.memory, gib(64));
}

TEST(GpuInventory, ReadsNvml) {
    auto nvml = open_nvml(FAKE_NVML);
    ASSERT_TRUE(nvml.ok()) << nvml.error().message;
    const auto gpus = (*nvml)->gpus();
    ASSERT_TRUE(gpus.ok()) << gpus.error().message;
    ASSERT_EQ(gpus->size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        const FoundGpu& gpu = (*gpus)[i];
        EXPECT_EQ(gpu.file, "/dev/nvidia" + std::to_string(i));
        EXPECT_EQ(gpu.uuid, "GPU-fake-" + std::to_string(3 - i));  // By minor, not by index.
        EXPECT_EQ(gpu.type, "nvidia_a100-sxm4-80gb");
        EXPECT_EQ(gpu.memory, gib(80));
        EXPECT_EQ(gpu.cpus, i < 2 ? (std::vector<int>{2, 3}) : (std::vector<int>{0, 1}));
    }
    EXPECT_EQ((*gpus)[0].links, (std::vector<std::int32_t>{-1, 4, 0, 0}));
    EXPECT_EQ((*gpus)[3].links, (std::vector<std::int32_t>{0, 0, 4, -1}));

    NodeSpec spec = node(1, 4, 1);
    Dimensions dimensions;
    Machine machine;
    machine.cpus_of_core = {{0}, {1}, {2}, {3}};
    ASSERT_TRUE(add_gpus(spec, dimensions, *gpus, &machine).ok());
    EXPECT_EQ(spec.devices[0].cores.to_list(), "2-3");
    EXPECT_EQ(spec.gres_text, "gpu:nvidia_a100-sxm4-80gb:4");
    EXPECT_EQ(spec.capacity[*dimensions.find("gpu", "nvidia_a100-sxm4-80gb")], 4);
}

TEST(GpuInventory, SaysThatThereIsNoDriver) {
    const auto nvml = open_nvml("libno-such-library.so.1");
    ASSERT_FALSE(nvml.ok());
    EXPECT_EQ(nvml.error().code, ErrorCode::not_found);
    EXPECT_EQ(nvml.error().message.find("no NVIDIA driver here: "), 0u);
    EXPECT_EQ(open_nvml("libc.so.6").error().code, ErrorCode::failed_precondition);
}

TEST(GpuInventory, ReadsTheRealDriverWhereThereIsOne) {
    auto nvml = open_nvml();
    if (!nvml.ok()) GTEST_SKIP() << "SKIPPED: " << nvml.error().message;
    const auto gpus = (*nvml)->gpus();
    ASSERT_TRUE(gpus.ok()) << gpus.error().message;
    for (const FoundGpu& gpu : *gpus) {
        EXPECT_EQ(access(gpu.file.c_str(), F_OK), 0) << gpu.file;
        EXPECT_GT(gpu.memory, gib(1));
        EXPECT_EQ(gpu.uuid.find("GPU-"), 0u);
    }
}

TEST(GpuInventory, SimulatesCliquesOfFourSplitOverTheSockets) {
    auto inventory = simulate_gpus("a100:8");
    ASSERT_TRUE(inventory.ok());
    NodeSpec spec = node(2, 16, 1);
    Dimensions dimensions;
    ASSERT_TRUE(add_gpus(spec, dimensions, *(*inventory)->gpus(), nullptr).ok());
    ASSERT_EQ(spec.devices.size(), 8u);
    EXPECT_EQ(spec.devices[1].links, (std::vector<std::int32_t>{1, -1, 1, 1, 0, 0, 0, 0}));
    EXPECT_EQ(spec.devices[3].cores.to_list(), "0-15");
    EXPECT_EQ(spec.devices[4].cores.to_list(), "16-31");
    EXPECT_EQ(spec.devices[7].file, "");
    EXPECT_EQ(spec.gres_text, "gpu:a100:8");
}

TEST(GpuInventory, SimulatesSeveralTypes) {
    NodeSpec spec = node(1, 4, 1);
    Dimensions dimensions;
    ASSERT_TRUE(
        add_gpus(spec, dimensions, *(*simulate_gpus("a100:2,h100:1"))->gpus(), nullptr).ok());
    EXPECT_EQ(spec.gres_text, "gpu:a100:2,gpu:h100:1");
    EXPECT_EQ(spec.devices[2].index, 2u);
    EXPECT_EQ(spec.devices[1].links, (std::vector<std::int32_t>{1, -1, 0}));
}

TEST(GpuInventory, RefusesWhatIsNoListOfGpus) {
    for (const char* text : {"", "a100", "a100:", "a100:0", "a100:65", "a100:-1", ":8", "a100:8:1",
                             "a100:40,h100:25", "a b:1", "a100:8x", "a100:8,"}) {
        EXPECT_FALSE(simulate_gpus(text).ok()) << text;
    }
}

}  // namespace
}  // namespace berth
