#include <gtest/gtest.h>

#include "berth/testing/shared_gpus.h"

namespace berth {
namespace {

using Fgd = testing::SharedGpus;

TEST_F(Fgd, PrefersTheGpuThatItsRemnantSuits) {
    view_.work = {{.cpu = cores(4), .gpus = 1, .milli = 500, .count = 6},
                  {.cpu = cores(4), .gpus = 1, .milli = 1000, .count = 4}};
    // 300 of 500 leave 200, which no shape can use; 300 of 800 leave exactly what most shapes want.
    const Candidate small = candidate(64, {500, 800, 1000, 0}, 1, 300);
    const Ppm of_small = score("fgd", small);
    Candidate fitting = small;
    fitting.chosen = 2;
    EXPECT_GT(score("fgd", fitting), of_small);
    // Before: 4 × (500 + 800); after: 6 × 200 + 4 × (200 + 800). A gain of 0 scores 50, and so does
    // 0 / 10.
    EXPECT_EQ(of_small, Ppm(500'000));
    // Before: 5200; after: 4 × (500 + 500). 1200 / 10 thousandths, and 100 / (1 + e^-0.12) is
    // 52.99.
    EXPECT_EQ(score("fgd", fitting), Ppm(520'000));
}

}  // namespace
}  // namespace berth
