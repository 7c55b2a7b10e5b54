#include "berth/model/cpu_frequency.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

// As Slurm writes it again, or what is wrong.
std::string read_frequency(std::string_view text) {
    const auto frequency = parse_cpu_frequency(text);
    return frequency.ok() ? cpu_frequency_text(*frequency) : frequency.error().message;
}

TEST(CpuFrequency, IsASpeedARangeOrAGovernor) {
    EXPECT_EQ(read_frequency("2400000"), "2400000");
    EXPECT_EQ(read_frequency("HIGH"), "High");
    EXPECT_EQ(read_frequency("him1"), "Highm1");
    EXPECT_EQ(read_frequency("low-medium"), "Low-Medium");
    EXPECT_EQ(read_frequency("low-2400000:onDemand"), "Low-2400000:OnDemand");
    EXPECT_EQ(read_frequency("performance"), "Performance");
    EXPECT_EQ(parse_cpu_frequency("perf")->governor, "performance");
    EXPECT_EQ(parse_cpu_frequency("1000-high:user")->least->khz, 1000U);
    EXPECT_FALSE(parse_cpu_frequency("high")->least);
}

TEST(CpuFrequency, IsRefusedInSlurmsWords) {
    EXPECT_EQ(read_frequency("fast"), "unrecognized --cpu-freq argument \"fast\"");
    EXPECT_EQ(read_frequency(""), "unrecognized --cpu-freq argument \"\"");
    EXPECT_EQ(read_frequency("2400MHz"), "unrecognized --cpu-freq argument \"2400MHz\"");
    EXPECT_EQ(read_frequency("low-"), "unrecognized --cpu-freq argument \"\"");
    EXPECT_EQ(read_frequency("high-low"), "min cpu-frec (high) must be < max cpu-freq (low)");
    EXPECT_EQ(read_frequency("2-1"), "min cpu-frec (2) must be < max cpu-freq (1)");
    EXPECT_EQ(read_frequency("high:performance"),
              "gov on cpu-frec (performance) illegal without max");
    EXPECT_EQ(read_frequency("low-high:"), "illegal governor:  on --cpu-freq");
    EXPECT_EQ(read_frequency("low-high:fast"), "illegal governor: fast on --cpu-freq");
    EXPECT_EQ(read_frequency("powersave"), "governor of powersave is not allowed in slurm.conf");
    EXPECT_EQ(read_frequency("perf:user"),
              "governor cannot be specified twice perf{-}:user in --cpu-freq");
}

}  // namespace
}  // namespace berth
