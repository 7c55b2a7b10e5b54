#include "berth/host/hardware/gpu_meter.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "berth/host/cgroup/device_files.h"
#include "berth/host/hardware/gpu_watch.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

struct Silent : LogSink {
    void write(LogLevel, std::string_view, std::string_view text) override {
        const std::lock_guard lock(mutex);
        lines.emplace_back(text);
    }
    std::mutex mutex;
    std::vector<std::string> lines;
};

TEST(GpuMeter, AsksTheDriverForTheNodesOwnGpus) {
    NodeSpec node;
    Dimensions dimensions;
    const DimensionId a100 = *dimensions.intern("gpu", "a100");
    const DimensionId fpga = *dimensions.intern("fpga", "");
    // The driver's index 3 has minor number 0; its index 1 has 2.
    node.devices = {{.dimension = fpga, .file = "/dev/fpga0"},
                    {.dimension = a100, .file = "/dev/nvidia0"},
                    {.dimension = a100, .file = "/dev/nvidia2"}};
    auto meter = nvml_meter(node, dimensions, FAKE_NVML);
    ASSERT_TRUE(meter.ok()) << meter.error().message;
    const auto readings = (*meter)->read();
    ASSERT_TRUE(readings.ok());
    const std::vector<GpuReading> expected = {{0, 30, 0, 33, 25}, {1, 10, 0, 31, 25}};
    EXPECT_EQ(*readings, expected);

    node.devices = {{.dimension = fpga, .file = "/dev/nvidia0"}};
    EXPECT_EQ(nvml_meter(node, dimensions, FAKE_NVML).error().code, ErrorCode::not_found);
    node.devices = {{.dimension = a100, .file = "/dev/other0"}};
    EXPECT_EQ(nvml_meter(node, dimensions, FAKE_NVML).error().code, ErrorCode::failed_precondition);
    EXPECT_EQ(nvml_meter(node, dimensions, "libno-such-library.so.1").error().code,
              ErrorCode::not_found);
}

TEST(GpuMeter, ReadsAFile) {
    const auto readings =
        parse_readings("# gpu util mem temp power\n0 90 40 71 85\n\n 3 - - 60 -\n");
    ASSERT_TRUE(readings.ok()) << readings.error().message;
    const std::vector<GpuReading> expected = {{0, 90, 40, 71, 85},
                                              {3, kNotRead, kNotRead, 60, kNotRead}};
    EXPECT_EQ(readings->readings, expected);
    for (const auto& [text, error] : std::initializer_list<std::pair<const char*, const char*>>{
             {"0 1 2 3", "line 1: should be GPU UTILISATION"},
             {"\n0 1 2 3 x", "line 2: "},
             {"64 1 2 3 4", "line 1: no node has a GPU 64"},
             {"- 1 2 3 4", "line 1: no node has a GPU -"},
             {"0 -2 2 3 4", "line 1: \"-2\" is out of range"},
             {"64 fault lost", "line 1: no node has a GPU 64"},
             {"3 fault", "line 1: should say which fault"},
             {"3 fault xid soon", "line 1: "}}) {
        const auto wrong = parse_readings(text);
        ASSERT_FALSE(wrong.ok()) << text;
        EXPECT_EQ(wrong.error().message.find(error), 0U) << wrong.error().message;
    }
}

TEST(GpuMeter, ReadsFaultsFromAFileAndTellsEachOnce) {
    const fs::path path = fs::temp_directory_path() / ("faults-" + std::to_string(getpid()));
    const auto meter = file_meter(path.string());
    const auto faults_of = [&](const char* text) {
        std::ofstream(path) << text;
        EXPECT_TRUE(meter->read().ok());
        return meter->faults();
    };
    EXPECT_TRUE(faults_of("0 90 40 71 85\n").empty());
    const auto three = faults_of("1 fault xid 79\n2 fault lost\n3 fault fan is  broken\n");
    ASSERT_EQ(three.size(), 3U);
    EXPECT_EQ(three[0], (GpuFault{.gpu = 1, .kind = GpuFaultKind::xid, .code = 79}));
    EXPECT_EQ(three[1], (GpuFault{.gpu = 2, .kind = GpuFaultKind::lost}));
    EXPECT_EQ(three[2], (GpuFault{.gpu = 3, .kind = GpuFaultKind::told, .text = "fan is broken"}));
    EXPECT_TRUE(faults_of("2 fault lost\n1 fault xid 79\n").empty());
    EXPECT_TRUE(faults_of("2 fault lost\n").empty());
    EXPECT_EQ(faults_of("1 fault xid 79\n2 fault lost\n").size(), 1U);  // The fault occurred again.
    fs::remove(path);
}

TEST(GpuMeter, AsksTheDriverForFaults) {
    NodeSpec node;
    Dimensions dimensions;
    const DimensionId a100 = *dimensions.intern("gpu", "a100");
    for (const char* file : {"/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia2"}) {
        node.devices.push_back({.dimension = a100, .file = file});
    }
    auto meter = nvml_meter(node, dimensions, FAKE_NVML);
    ASSERT_TRUE(meter.ok());
    EXPECT_TRUE((*meter)->read().ok());
    EXPECT_TRUE((*meter)->faults().empty());
    // The driver's index 2 is the node's GPU 1, its 3 is 0; 0 is not the node's.
    ::setenv("FAKE_NVML_XIDS", "79@2 79@2 63@3 13@0", 1);
    EXPECT_TRUE((*meter)->read().ok());
    const std::vector<GpuFault> seen = (*meter)->faults();
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0], (GpuFault{.gpu = 1, .kind = GpuFaultKind::xid, .code = 79}));
    EXPECT_EQ(seen[1], (GpuFault{.gpu = 0, .kind = GpuFaultKind::xid, .code = 63}));
    ::setenv("FAKE_NVML_ECC", "5@3", 1);
    ::setenv("FAKE_NVML_REMAP_FAILED", "2", 1);
    ::setenv("FAKE_NVML_LOST", "1", 1);
    EXPECT_TRUE((*meter)->read().ok());
    const std::vector<GpuFault> levels = (*meter)->faults();
    const std::vector<GpuFault> expected = {{.gpu = 0, .kind = GpuFaultKind::ecc, .code = 5},
                                            {.gpu = 1, .kind = GpuFaultKind::row_remap},
                                            {.gpu = 2, .kind = GpuFaultKind::lost}};
    EXPECT_EQ(levels, expected);
    EXPECT_TRUE((*meter)->faults().empty());
    for (const char* name :
         {"FAKE_NVML_XIDS", "FAKE_NVML_ECC", "FAKE_NVML_REMAP_FAILED", "FAKE_NVML_LOST"}) {
        ::unsetenv(name);
    }
}

TEST(GpuMeter, ReadsTheRealDriverWhereThereIsOne) {
    auto nvml = open_nvml();
    if (!nvml.ok()) GTEST_SKIP() << "SKIPPED: " << nvml.error().message;
    const auto gpus = (*nvml)->gpus();
    ASSERT_TRUE(gpus.ok()) << gpus.error().message;
    if (gpus->empty()) GTEST_SKIP() << "SKIPPED: the driver has no GPU";
    NodeSpec node;
    Dimensions dimensions;
    ASSERT_TRUE(add_gpus(node, dimensions, *gpus, nullptr).ok());
    const auto meter = nvml_meter(node, dimensions);
    ASSERT_TRUE(meter.ok()) << meter.error().message;
    const auto readings = (*meter)->read();
    ASSERT_TRUE(readings.ok()) << readings.error().message;
    EXPECT_EQ(readings->size(), gpus->size());
    for (const GpuReading& one : *readings) {
        const Device& device = node.devices.at(static_cast<std::size_t>(one.gpu));
        EXPECT_TRUE(one.memory >= 0 && one.memory <= 100) << one.memory;
        if (is_mig(device)) continue;  // The driver meters whole GPUs.
        EXPECT_TRUE(one.utilisation >= 0 && one.utilisation <= 100) << one.utilisation;
        EXPECT_TRUE(one.temperature > 0 && one.temperature < 120) << one.temperature;
        EXPECT_TRUE(one.power >= 0 && one.power < 150) << one.power;
    }
    (void)(*meter)->faults();
}

TEST(GpuMeter, DoesNotTrustAnOldFile) {
    const fs::path path = fs::temp_directory_path() / ("readings-" + std::to_string(getpid()));
    const auto meter = file_meter(path.string());
    EXPECT_EQ(meter->read().error().code, ErrorCode::not_found);
    std::ofstream(path) << "0 90 40 71 85\n";
    EXPECT_TRUE(meter->read().ok());
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(61));
    EXPECT_EQ(meter->read().error().code, ErrorCode::unavailable);
    fs::remove(path);
}

// Fails twice, then works.
struct Moody : GpuMeter {
    int asked = 0;
    Result<std::vector<GpuReading>> read() override {
        if (++asked <= 2) return Error{ErrorCode::unavailable, "asleep"};
        return std::vector<GpuReading>{{.gpu = asked}};
    }
};

TEST(GpuWatch, SaysOnceThatItFailsAndGoesOn) {
    Silent log;
    std::mutex mutex;
    std::condition_variable told;
    std::vector<int> seen;
    GpuWatch watch(
        std::make_unique<Moody>(), Duration(1), log,
        [&](std::vector<GpuReading> gpus) {
            const std::lock_guard lock(mutex);
            seen.push_back(gpus.at(0).gpu);
            told.notify_all();
        },
        [](const std::vector<GpuFault>&) {});
    std::unique_lock lock(mutex);
    told.wait(lock, [&] { return seen.size() >= 2; });
    EXPECT_EQ(seen.at(0), 3);
    EXPECT_EQ(seen.at(1), 4);
    const std::lock_guard of_log(log.mutex);
    const std::vector<std::string> expected = {
        "GPUs are not read, so placement by load does without: asleep", "GPUs are read again"};
    EXPECT_EQ(log.lines, expected);
}

}  // namespace
}  // namespace berth
