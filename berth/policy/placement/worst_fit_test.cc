#include <gtest/gtest.h>

#include "berth/testing/shared_gpus.h"

namespace berth {
namespace {

using WorstFit = testing::SharedGpus;

TEST_F(WorstFit, IsBestFitReversed) {
    // Left: 24 of 64 cores, 1500 of 4000 thousandths; half of each sum is (0.375 + 0.375) / 2.
    const Candidate half = candidate(32, {1000, 1000, 0, 0}, 1, 500);
    EXPECT_EQ(score("worst_fit", half), Ppm(375'000));
    EXPECT_EQ(score("worst_fit", half, {{"steps", 10}}), Ppm(300'000));
}

}  // namespace
}  // namespace berth
