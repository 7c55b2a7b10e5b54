// How GPUs' clocks are set and put back, with a library in place of NVIDIA's.
#include "berth/host/shepherd/gpu_clocks.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace berth {
namespace {

namespace fs = std::filesystem;

// The fake library's GPUs run at 1215 or 405 MHz of memory; with 1215 at 1410, 1110, 810 or 210
// MHz, with 405 at 405 or 210. It notes each call in the file FAKE_NVML_CLOCKS.
class GpuClocksTest : public ::testing::Test {
protected:
    GpuClocksTest() {
        char name[] = "/tmp/berth-clocks.XXXXXX";
        folder = mkdtemp(name);
        calls = folder + "/calls";
        ::setenv("FAKE_NVML_CLOCKS", calls.c_str(), 1);
    }
    ~GpuClocksTest() override {
        ::unsetenv("FAKE_NVML_CLOCKS");
        fs::remove_all(folder);
    }
    std::string noted() const {
        std::ostringstream text;
        text << std::ifstream(calls).rdbuf();
        return text.str();
    }
    static std::string with(const char* asked, std::vector<std::string> files = {"/dev/nvidia3"}) {
        GpuClocks clocks(FAKE_NVML);
        return clocks.set(files, *parse_gpu_frequency(asked));
    }

    std::string folder, calls;
};

TEST_F(GpuClocksTest, AreAsAskedAndThenTheDefaults) {
    {
        GpuClocks clocks(FAKE_NVML);
        EXPECT_EQ(clocks.set({"/dev/nvidia3", "/dev/nvidia1"}, *parse_gpu_frequency("low")),
                  "GpuFreq=memory_freq:1215,graphics_freq:210");
        EXPECT_EQ(noted(), "0: 1215 210\n2: 1215 210\n");
    }
    EXPECT_EQ(noted(), "0: 1215 210\n2: 1215 210\n0: reset\n2: reset\n");
}

TEST_F(GpuClocksTest, AreTheNextHigherOnesThatTheGpuHas) {
    EXPECT_EQ(with("900"), "GpuFreq=memory_freq:1215,graphics_freq:1110");
    EXPECT_EQ(with("810"), "GpuFreq=memory_freq:1215,graphics_freq:810");
    EXPECT_EQ(with("1"), "GpuFreq=memory_freq:1215,graphics_freq:210");
    EXPECT_EQ(with("5000"), "GpuFreq=memory_freq:1215,graphics_freq:1410");
    EXPECT_EQ(with("highm1"), "GpuFreq=memory_freq:1215,graphics_freq:1110");
    EXPECT_EQ(with("medium"), "GpuFreq=memory_freq:1215,graphics_freq:1110");
    EXPECT_EQ(with("verbose"), "GpuFreq=memory_freq:1215,graphics_freq:1410");
}

// Which graphics clocks there are depends on the memory's.
TEST_F(GpuClocksTest, AreThoseOfTheMemorysClock) {
    EXPECT_EQ(with("memory=low,high"), "GpuFreq=memory_freq:405,graphics_freq:405");
    EXPECT_EQ(with("memory=400,low"), "GpuFreq=memory_freq:405,graphics_freq:210");
}

TEST_F(GpuClocksTest, StayWhereTheyCannotBeSet) {
    EXPECT_EQ(with("low", {"/dev/nvidia9"}), "GpuFreq=control_disabled") << "no such GPU";
    EXPECT_EQ(with("low", {}), "GpuFreq=control_disabled") << "a simulated one";
    GpuClocks without("libno-such-library.so.1");
    EXPECT_EQ(without.set({"/dev/nvidia0"}, {}), "GpuFreq=control_disabled");
    EXPECT_EQ(noted(), "");
}

}  // namespace
}  // namespace berth
