#include <gtest/gtest.h>

#include "berth/testing/shared_gpus.h"

namespace berth {
namespace {

using Spread = testing::SharedGpus;

TEST_F(Spread, PrefersTheNodeThatStaysTheEmptiestForItsSize) {
    // 24 of 64 cores weigh one part, 1500 of 4000 thousandths nine.
    EXPECT_EQ(score("spread", candidate(32, {1000, 1000, 0, 0}, 1, 500)), Ppm(375'000));
    EXPECT_EQ(score("spread", candidate(64, {1000, 1000, 1000, 1000}, 1, 500)), Ppm(875'000));
    EXPECT_EQ(score("spread", candidate(64, {0, 0, 0, 0}, 0, 0)), Ppm(87'500));
}

}  // namespace
}  // namespace berth
