#include "berth/model/gpu_frequency.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

std::string told(const std::optional<GpuClock>& clock) {
    if (!clock) return "-";
    constexpr const char* kNames[] = {"", "low", "medium", "highm1", "high"};
    return clock->named == GpuClock::Named::no ? std::to_string(clock->mhz)
                                               : kNames[static_cast<int>(clock->named)];
}

// "GRAPHICS MEMORY", and an exclamation mark where the step is to tell.
std::string read_clocks(const char* text) {
    const auto read = parse_gpu_frequency(text);
    if (!read.ok()) return read.error().message;
    return told(read->graphics) + " " + told(read->memory) + (read->verbose ? "!" : "");
}

TEST(GpuFrequency, IsANamedClockOrMegahertz) {
    EXPECT_EQ(read_clocks("low"), "low -");
    EXPECT_EQ(read_clocks("highm1"), "highm1 -");
    EXPECT_EQ(read_clocks("900"), "900 -");
    EXPECT_EQ(read_clocks("memory=medium"), "- medium");
    EXPECT_EQ(read_clocks("900,memory=high,verbose"), "900 high!");
    EXPECT_EQ(read_clocks("memory=877,low"), "low 877");
    EXPECT_EQ(read_clocks("verbose"), "- -!");
}

TEST(GpuFrequency, TakesTheLaterOfTwo) {
    EXPECT_EQ(read_clocks("low,high"), "high -");
    EXPECT_EQ(read_clocks("memory=high,memory=low"), "- low");
}

// As Slurm 22.05 reads them.
TEST(GpuFrequency, PassesOverEmptyWordsAndHugeNumbers) {
    EXPECT_EQ(read_clocks(",low,"), "low -");
    EXPECT_EQ(read_clocks("99999999999"), "4294967295 -");
}

TEST(GpuFrequency, IsRefusedInSlurmsWords) {
    for (const char* wrong : {"", "foo", "LOW", "-5", "900MHz", "memory", "memory=", "memory=foo",
                              "memory=low=high", "graphics=low", "verbose=1", "low ,high"}) {
        EXPECT_EQ(read_clocks(wrong), std::string("Invalid --gpu-freq argument: gpu:") + wrong);
    }
}

}  // namespace
}  // namespace berth
