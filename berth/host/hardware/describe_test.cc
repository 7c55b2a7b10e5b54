#include "berth/host/hardware/describe.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

Machine two_sockets_of_two_cores() {
    Machine machine;
    machine.sockets = 2;
    machine.cpus_of_core = {{0}, {1}, {2}, {3}};
    machine.socket_of_core = {0, 0, 1, 1};
    machine.memory = gib(64);
    return machine;
}

TEST(Describe, SaysWhatTheDriverFinds) {
    const auto gpus = find_gpus(FAKE_NVML);
    ASSERT_TRUE(gpus.ok()) << gpus.error().message;
    const auto described = describe(two_sockets_of_two_cores(), *gpus, "n1");
    ASSERT_TRUE(described.ok());
    EXPECT_EQ(node_line(*described),
              "NodeName=n1 CPUs=4 Sockets=2 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=65536 "
              "Gres=gpu:nvidia_a100-sxm4-80gb:4\n");
    EXPECT_EQ(gres_lines(*described),
              "Name=gpu Type=nvidia_a100-sxm4-80gb File=/dev/nvidia0 Cores=2-3 Links=-1,4,0,0\n"
              "Name=gpu Type=nvidia_a100-sxm4-80gb File=/dev/nvidia1 Cores=2-3 Links=4,-1,0,0\n"
              "Name=gpu Type=nvidia_a100-sxm4-80gb File=/dev/nvidia2 Cores=0-1 Links=0,0,-1,4\n"
              "Name=gpu Type=nvidia_a100-sxm4-80gb File=/dev/nvidia3 Cores=0-1 Links=0,0,4,-1\n");
    EXPECT_EQ(type_lines(*gpus),
              "gpu_types:\n  nvidia_a100-sxm4-80gb: {memory: 81920M, compute_capability: 8.0}\n");
}

TEST(Describe, KnowsLittleWithoutADriver) {
    const std::vector<FoundGpu> gpus = {{.file = "/dev/nvidia0"}};
    const auto described = describe(two_sockets_of_two_cores(), gpus, "n1");
    ASSERT_TRUE(described.ok());
    EXPECT_NE(node_line(*described).find(" Gres=gpu:1\n"), std::string::npos)
        << node_line(*described);
    EXPECT_EQ(gres_lines(*described), "Name=gpu File=/dev/nvidia0\n");
    EXPECT_EQ(type_lines(gpus), "");
    const auto none = describe(two_sockets_of_two_cores(), {}, "n1");
    EXPECT_EQ(node_line(*none).find("Gres"), std::string::npos);
}

}  // namespace
}  // namespace berth
