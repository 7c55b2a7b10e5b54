#include "berth/control/agents/hardware.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

Dimensions dimensions() {
    Dimensions all;
    all.intern("gpu", "a100");
    all.intern("fpga", "");
    all.intern("license", "");
    return all;
}

NodeSpec configured() {
    const Dimensions all = dimensions();
    NodeSpec node;
    node.sockets = 2;
    node.cores_per_socket = 16;
    node.memory = mib(64'000);
    for (int i = 0; i < 8; ++i) node.devices.push_back({.dimension = *all.find("gpu", "a100")});
    for (int i = 0; i < 2; ++i) node.devices.push_back({.dimension = *all.find("fpga", "")});
    return node;
}

NodeSpec found(std::uint32_t cores, std::int64_t megabytes, std::string gres) {
    NodeSpec node;
    node.cores_per_socket = cores;
    node.memory = mib(megabytes);
    node.gres_text = std::move(gres);
    return node;
}

TEST(HardwareShortfall, NamesWhatIsMissingInSlurmsWords) {
    struct Case {
        NodeSpec found;
        std::string reason;
    };
    const std::string low_cpus = "Low socket*core*thread count, Low CPUs";
    const std::string low_memory = "Low RealMemory (reported:63999 < 100.00% of configured:64000)";
    const Case cases[] = {
        {found(32, 64'000, "gpu:a100:8,fpga:2"), ""},
        {found(64, 128'000, "gpu:a100:9,fpga:2,tpu:4"), ""},
        {found(31, 64'000, "gpu:a100:8,fpga:2"), low_cpus},
        {found(32, 63'999, "gpu:a100:8,fpga:2"), low_memory},
        {found(32, 64'000, "gpu:a100:6,fpga:2"),
         "gres/gpu count reported lower than configured (6 < 8)"},
        {found(32, 64'000, "gpu:a100:8"), "gres/fpga count reported lower than configured (0 < 2)"},
        {found(1, 63'999, "gpu:a100:8,fpga:2"), low_cpus + ", " + low_memory},
        {found(32, 64'000, "gpu:a100:4(S:0,1),gpu:h100:4(S:1),fpga:2"), ""},
        {found(32, 64'000, "gpu,fpga:2"), "gres/gpu count reported lower than configured (1 < 8)"},
        {found(32, 64'000, "gpu:9223372036854775807,gpu:9223372036854775807,fpga:2"), ""},
        {found(32, 64'000, "gpu:-3,fpga:2,,:"),
         "gres/gpu count reported lower than configured (0 < 8)"},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(hardware_shortfall(configured(), one.found, dimensions()), one.reason)
            << one.found.gres_text;
    }
}

TEST(HardwareShortfall, CountsDevicesWhereTheAgentNamesNoGres) {
    NodeSpec all = configured();
    EXPECT_EQ(hardware_shortfall(configured(), all, dimensions()), "");
    all.devices.erase(all.devices.begin());
    EXPECT_EQ(hardware_shortfall(configured(), all, dimensions()),
              "gres/gpu count reported lower than configured (7 < 8)");
}

}  // namespace
}  // namespace berth
