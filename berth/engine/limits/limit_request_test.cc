// What a job counts for in limits.
#include "berth/engine/limits/limit_request.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"

namespace berth {
namespace {

TEST(LimitRequest, HasAllThreadsOfTheCoresOfWhichTasksUseOne) {
    const ClusterSpec spec =
        testing::make_cluster(1, {.cores_per_socket = 16, .threads_per_core = 2});
    ClusterState state;
    state.apply(Time{}, SpecInstalled{spec});
    Job job;
    job.spec.request.edit().tasks = 16;
    job.spec.request.edit().memory_per_cpu = gib(1);
    const auto asked = [&] {
        return limit_request_of(state, PartitionId(0), demand_of(spec, job));
    };
    EXPECT_EQ(asked().cpus, 16);
    EXPECT_EQ(asked().memory, 16 * 1024);
    EXPECT_EQ(asked().billing, 16);
    job.spec.request.edit().nearness.edit().node.threads_per_core = 1;
    EXPECT_EQ(asked().cpus, 32);
    EXPECT_EQ(asked().memory, 32 * 1024);
    EXPECT_EQ(asked().billing, 32);
}

}  // namespace
}  // namespace berth
