#include "berth/host/hardware/mig.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "berth/host/cgroup/device_guard.h"
#include "berth/host/hardware/describe.h"
#include "berth/host/hardware/gpu_inventory.h"
#include "berth/host/hardware/gpu_meter.h"

namespace berth {
namespace {

constexpr const char* kMinors =
    "config 1\nmonitor 2\ngpu0/gi2/access 21\ngpu0/gi2/ci0/access 22\ngpu0/gi7/access 66\n"
    "gpu0/gi7/ci0/access 67\ngpu1/gi2/access 156\nnonsense\n";
constexpr const char* kThree =
    "/dev/nvidia0,/dev/nvidia-caps/nvidia-cap21,/dev/nvidia-caps/nvidia-cap22";
constexpr const char* kOne =
    "/dev/nvidia0,/dev/nvidia-caps/nvidia-cap66,/dev/nvidia-caps/nvidia-cap67";

// The fake driver, with the GPU of minor number 0 partitioned into two instances.
class Mig : public ::testing::Test {
protected:
    Mig() {
        ::setenv("FAKE_NVML_MIG", "3", 1);
        std::ofstream(minors) << kMinors;
    }
    ~Mig() override {
        for (const char* name : {"FAKE_NVML_MIG", "FAKE_NVML_XIDS", "FAKE_NVML_XID_OF"})
            ::unsetenv(name);
        std::remove(minors.c_str());
    }
    std::vector<FoundGpu> found() const {
        auto driver = open_nvml(FAKE_NVML, minors.c_str());
        EXPECT_TRUE(driver.ok());
        auto gpus = (*driver)->gpus();
        EXPECT_TRUE(gpus.ok()) << gpus.error().message;
        return *gpus;
    }
    std::string minors = ::testing::TempDir() + "mig-minors-" + std::to_string(::getpid());
};

TEST(MigNames, AreAsTheDriverAndItsProfilesHaveThem) {
    const MigMinors minors = parse_mig_minors(kMinors);
    EXPECT_EQ(minors.size(), 7U);
    EXPECT_EQ(*mig_files(minors, 0, 2, 0), kThree);
    EXPECT_EQ(mig_files(minors, 0, 3, 0).error().code, ErrorCode::not_found);
    EXPECT_EQ(mig_profile(1, 1, 9'728), "1g.10gb");
    EXPECT_EQ(mig_profile(1, 1, 4'864), "1g.5gb");
    EXPECT_EQ(mig_profile(3, 1, 40'320), "1c.3g.40gb");
    EXPECT_EQ(mig_profile(7, 7, 81'153), "7g.80gb");
}

TEST_F(Mig, InstancesAreListedInPlaceOfTheirBoard) {
    const std::vector<FoundGpu> gpus = found();
    ASSERT_EQ(gpus.size(), 5U);
    EXPECT_EQ(gpus[0].type, "nvidia_a100-sxm4-80gb_3g.40gb");
    EXPECT_EQ(gpus[0].file, kThree);
    EXPECT_EQ(gpus[0].uuid, "MIG-fake-a");
    EXPECT_EQ(gpus[0].memory, mib(40'320));
    EXPECT_EQ(gpus[0].cpus, (std::vector<int>{2, 3})) << "near its board";
    EXPECT_EQ(gpus[1].type, "nvidia_a100-sxm4-80gb_1g.10gb");
    EXPECT_EQ(gpus[1].file, kOne);
    EXPECT_EQ(gpus[1].links, (std::vector<std::int32_t>{0, -1, 0, 0, 0}));
    EXPECT_EQ(gpus[2].file, "/dev/nvidia1") << "the others are whole";
    EXPECT_EQ(gpus[3].links, (std::vector<std::int32_t>{0, 0, 0, -1, 4}));
}

TEST_F(Mig, IsDescribedAsGresConfHasIt) {
    Machine machine;
    machine.cpus_of_core = {{0}, {1}, {2}, {3}};
    const auto described = describe(machine, found(), "n1");
    ASSERT_TRUE(described.ok());
    EXPECT_EQ(described->node.gres_text,
              "gpu:nvidia_a100-sxm4-80gb_3g.40gb:1,gpu:nvidia_a100-sxm4-80gb_1g.10gb:1,"
              "gpu:nvidia_a100-sxm4-80gb:3");
    const std::string lines = gres_lines(*described);
    EXPECT_EQ(lines.substr(0, lines.find('\n')),
              std::string("Name=gpu Type=nvidia_a100-sxm4-80gb_3g.40gb MultipleFiles=") + kThree +
                  " Cores=2-3 Links=-1,0,0,0,0");
    EXPECT_NE(lines.find(" File=/dev/nvidia1 "), std::string::npos);
}

TEST_F(Mig, InstancesGetTheDriversNames) {
    NodeSpec node;
    Dimensions dimensions;
    const DimensionId gpu = *dimensions.intern("gpu", "1g.10gb");
    node.devices = {{.dimension = gpu, .index = 0, .file = kThree},
                    // As an administrator may write it.
                    {.dimension = gpu,
                     .index = 1,
                     .file = "/dev/nvidia-caps/nvidia-cap67,/dev/nvidia0,"
                             "/dev/nvidia-caps/nvidia-cap66"},
                    {.dimension = gpu, .index = 2, .file = "/dev/nvidia1"}};
    name_mig_instances(node, found());
    EXPECT_EQ(node.devices[0].uuid, "MIG-fake-a");
    EXPECT_EQ(node.devices[1].uuid, "MIG-fake-b");
    EXPECT_EQ(node.devices[2].uuid, "") << "a whole GPU has its number";
}

TEST_F(Mig, FaultsAreOfItsBoardUnlessTheyAreItsOwn) {
    NodeSpec node;
    Dimensions dimensions;
    const DimensionId gpu = *dimensions.intern("gpu", "");
    for (const char* file : {kThree, kOne, "/dev/nvidia1"})
        node.devices.push_back({.dimension = gpu, .file = file});
    ::setenv("FAKE_NVML_XIDS", "79@3", 1);
    auto meter = nvml_meter(node, dimensions, FAKE_NVML, minors.c_str());
    ASSERT_TRUE(meter.ok()) << meter.error().message;
    const auto readings = (*meter)->read();
    ASSERT_EQ(readings->size(), 3U);
    EXPECT_EQ((*readings)[1].memory, 50);
    EXPECT_EQ((*readings)[1].utilisation, kNotRead) << "the driver has none of an instance";
    const std::vector<GpuFault> both = (*meter)->faults();
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[0].gpu, 0);
    EXPECT_EQ(both[1].gpu, 1);
}

TEST_F(Mig, AFaultOfOneInstanceIsNotTheOthers) {
    NodeSpec node;
    Dimensions dimensions;
    const DimensionId gpu = *dimensions.intern("gpu", "");
    for (const char* file : {kThree, kOne})
        node.devices.push_back({.dimension = gpu, .file = file});
    ::setenv("FAKE_NVML_XIDS", "31@3", 1);
    ::setenv("FAKE_NVML_XID_OF", "7", 1);
    auto meter = nvml_meter(node, dimensions, FAKE_NVML, minors.c_str());
    ASSERT_TRUE(meter.ok());
    const std::vector<GpuFault> faults = (*meter)->faults();
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].gpu, 1);
}

TEST(MigRules, AreOfAllItsFiles) {
    const auto rules = rules_for_files({.dimension = {}, .file = "/dev/null,/dev/zero"});
    ASSERT_TRUE(rules.ok());
    EXPECT_EQ(rules->size(), 2U);
    EXPECT_FALSE(rules_for_files({.dimension = {}, .file = "/dev/null,/dev/no-such-cap"}).ok());
    EXPECT_TRUE(rules_for_files({}).ok()) << "a simulated one has none";
}

}  // namespace
}  // namespace berth
