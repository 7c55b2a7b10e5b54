#include <gtest/gtest.h>

#include "berth/testing/shared_gpus.h"

namespace berth {
namespace {

using IdleCpus = testing::SharedGpus;

// What the job takes is idle before it starts.
TEST_F(IdleCpus, PrefersTheNodeWithTheMost) {
    const Ppm some = score("idle_cpus", candidate(8, {1000, 1000, 0, 0}, 1, 500));
    const Ppm more = score("idle_cpus", candidate(9, {1000, 1000, 0, 0}, 1, 500));
    EXPECT_LT(some, more) << "one CPU more";
    EXPECT_EQ(score("idle_cpus", candidate(9, {0, 0, 0, 0}, 0, 0)), more) << "whatever its GPUs";
}

}  // namespace
}  // namespace berth
