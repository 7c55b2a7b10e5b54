// A figure has met its gate only if it is at least as sure as the gate.
#include "bench/control_cases.h"

#include <gtest/gtest.h>

#include <cmath>

namespace berth::bench {
namespace {

TEST(ControlRow, MeetsItsGate) {
    EXPECT_TRUE((Row{.value = 5, .asked = 5}.is_met()));
    EXPECT_FALSE((Row{.value = 5.1, .asked = 5}.is_met()));
    EXPECT_TRUE((Row{.value = 5, .asked = 5, .at_least = true}.is_met()));
    EXPECT_FALSE((Row{.value = 4.9, .asked = 5, .at_least = true}.is_met()));
    EXPECT_TRUE((Row{.value = 5}.is_met())) << "nothing is asked";
}

TEST(ControlRow, MeetsNoGateThatItsNoiseExceeds) {
    EXPECT_TRUE((Row{.value = -1.6, .asked = 5, .unsure = 5}.is_met()));
    EXPECT_FALSE((Row{.value = -1.6, .asked = 5, .unsure = 7.9}.is_met()));
    EXPECT_FALSE((Row{.value = 6, .asked = 5, .unsure = 1}.is_met()));
}

TEST(ControlRow, MeetsNoGateUnmeasured) {
    EXPECT_FALSE((Row{.value = std::nan(""), .asked = 5}.is_met()));
    EXPECT_FALSE((Row{.value = std::nan(""), .asked = 5, .at_least = true}.is_met()));
    EXPECT_FALSE((Row{.value = 1, .asked = 5, .unsure = std::nan("")}.is_met()));
}

}  // namespace
}  // namespace berth::bench
