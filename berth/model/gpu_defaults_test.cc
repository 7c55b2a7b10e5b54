#include "berth/model/gpu_defaults.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

std::string reread(std::string_view text, GpuDefaults before = {}) {
    const auto defaults = parse_job_defaults(text, before);
    return defaults.ok() ? job_defaults_text(*defaults) : defaults.error().message;
}

TEST(GpuDefaults, AreReadAsSlurmWritesThem) {
    EXPECT_EQ(reread("DefCpuPerGPU=2,DefMemPerGPU=1024"), "DefCpuPerGPU=2,DefMemPerGPU=1024");
    EXPECT_EQ(reread("defmempergpu=8"), "DefMemPerGPU=8");
    EXPECT_EQ(reread("(null)", {.cpus = 4}), "(null)");
    EXPECT_EQ(reread("DefMemPerGPU=8", {.cpus = 4}), "DefCpuPerGPU=4,DefMemPerGPU=8");
    EXPECT_EQ(reread("DefCpuPerGPU=0", {.cpus = 4}), "(null)");
}

TEST(GpuDefaults, SayWhatIsWrong) {
    EXPECT_EQ(reread("DefCpuPerNode=2"),
              "JobDefaults: DefCpuPerNode=2 should be DefCpuPerGPU=NUMBER or "
              "DefMemPerGPU=MEBIBYTES");
    EXPECT_EQ(reread("DefCpuPerGPU=-2"),
              "DefCpuPerGPU=-2 should be a whole number from 0 to 65536");
    EXPECT_EQ(reread("DefMemPerGPU=4G"),
              "DefMemPerGPU=4G should be a whole number from 0 to 1099511627776");
}

}  // namespace
}  // namespace berth
