#include <gtest/gtest.h>

#include "berth/testing/shared_gpus.h"

namespace berth {
namespace {

using Random = testing::SharedGpus;

TEST_F(Random, DependsOnJobNodeAndGpuAlone) {
    const Candidate one = candidate(64, {400, 1000, 1000, 1000}, 1, 300);
    EXPECT_EQ(score("random", one), score("random", one));
    Candidate other_job = one, other_gpu = one;
    other_job.job = JobId(2);
    other_gpu.chosen = 2;
    EXPECT_NE(score("random", one), score("random", other_job));
    EXPECT_EQ(score("random", one).count() / 1000, score("random", other_gpu).count() / 1000);
}

}  // namespace
}  // namespace berth
