#include <gtest/gtest.h>

#include "berth/testing/shared_gpus.h"

namespace berth {
namespace {

using GpuClustering = testing::SharedGpus;

TEST_F(GpuClustering, PrefersItsOwnKind) {
    const Candidate part = candidate(64, {400, 1000, 1000, 1000}, 1, 300);
    // 3400 of 4000 are free: 25 × 600 / 4000 is 3.
    const std::pair<std::uint64_t, std::int64_t> cases[] = {
        {0b1, 78}, {0b11, 53}, {0, 28}, {0b10, 3}};
    for (const auto& [counts, percent] : cases) {
        view_.gpu_counts = counts;
        EXPECT_EQ(score("gpu_clustering", part), Ppm(percent * 10'000)) << counts;
    }
}

}  // namespace
}  // namespace berth
