#include <gtest/gtest.h>

#include "berth/testing/shared_gpus.h"

namespace berth {
namespace {

using DotProduct = testing::SharedGpus;

TEST_F(DotProduct, KeepsLargeFreeNodesForLargeJobs) {
    // (32/64 × 8/64 + 2000/4000 × 500/4000) / 2 = 0.0625.
    EXPECT_EQ(score("dot_product", candidate(32, {1000, 1000, 0, 0}, 1, 500)), Ppm(937'500));
    EXPECT_EQ(score("dot_product", candidate(64, {1000, 1000, 1000, 1000}, 1, 500)), Ppm(875'000));
}

}  // namespace
}  // namespace berth
