#include "berth/host/gpu_meter.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "berth/host/gpu_watch.h"

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
    const std::vector<GpuReading> expected = {{1, 10, 0, 31, 25}, {0, 30, 0, 33, 25}};
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
    EXPECT_EQ(*readings, expected);
    for (const auto& [text, error] : std::initializer_list<std::pair<const char*, const char*>>{
             {"0 1 2 3", "line 1: should be GPU UTILISATION"},
             {"\n0 1 2 3 x", "line 2: "},
             {"64 1 2 3 4", "line 1: no node has a GPU 64"},
             {"- 1 2 3 4", "line 1: no node has a GPU -"},
             {"0 -2 2 3 4", "line 1: \"-2\" is out of range"}}) {
        const auto wrong = parse_readings(text);
        ASSERT_FALSE(wrong.ok()) << text;
        EXPECT_EQ(wrong.error().message.find(error), 0U) << wrong.error().message;
    }
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
    GpuWatch watch(std::make_unique<Moody>(), Duration(1), log, [&](std::vector<GpuReading> gpus) {
        const std::lock_guard lock(mutex);
        seen.push_back(gpus.at(0).gpu);
        told.notify_all();
    });
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
