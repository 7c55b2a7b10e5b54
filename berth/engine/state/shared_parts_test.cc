#include "berth/engine/state/shared_parts.h"
#include "berth/engine/state/snapshot.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"

namespace berth {
namespace {

TEST(SharedParts, HasEqualJobsHoldTheSame) {
    SharedParts parts;
    JobSpec one = testing::make_job({.gpus = 2}), equal = testing::make_job({.gpus = 2});
    JobSpec other = testing::make_job({.gpus = 3});
    for (JobSpec* spec : {&one, &equal, &other}) parts.share(*spec);
    EXPECT_TRUE(equal.request.is_same(one.request));
    EXPECT_FALSE(other.request.is_same(one.request));
    EXPECT_EQ(other.request->gpus_per_node.front().count, 3);
}

TEST(SharedParts, HoldNamesOwnersAndListsOnce) {
    SharedParts parts;
    Job one, other;
    one.spec = testing::make_job({.name = "train", .gpus = 2, .cpus = 1});
    other.spec = testing::make_job({.name = "train", .gpus = 2, .cpus = 3});
    for (Job* job : {&one, &other}) {
        job->owner.edit().user = "ann";
        parts.share(*job);
    }
    EXPECT_FALSE(other.spec.request.is_same(one.spec.request));
    EXPECT_TRUE(other.spec.request->gpus_per_node.is_same(one.spec.request->gpus_per_node));
    EXPECT_TRUE(other.spec.name.is_same(one.spec.name));
    EXPECT_TRUE(other.owner.is_same(one.owner));
    EXPECT_EQ(other.spec.request->cpus_per_task, 3U);
}

TEST(SharedParts, ForgetsWhatNoJobHolds) {
    SharedParts parts;
    const JobSpec kept = [&] {
        JobSpec spec = testing::make_job({.gpus = 2});
        parts.share(spec);
        return spec;
    }();
    JobSpec last;
    for (std::uint32_t cpus = 1; cpus < 1000; ++cpus) {
        last = testing::make_job({.gpus = 2, .cpus = cpus});
        parts.share(last);
    }
    JobSpec again = testing::make_job({.gpus = 2});
    parts.share(again);
    EXPECT_TRUE(again.request.is_same(kept.request));
    EXPECT_LT(parts.size(), 200U);
}

TEST(SharedParts, AreHeldOnceByTheJobsOfAState) {
    Engine engine = testing::make_engine(testing::make_cluster(1));
    const JobId one = testing::submit(engine, Time{}, testing::make_job({.gpus = 2}));
    const JobId two = testing::submit(engine, Time{}, testing::make_job({.gpus = 2}));
    const auto slices = slices_of(engine.state(), 1U << 20);
    const ClusterState read = state_from(slices).value();
    for (const ClusterState* state : {&engine.state(), &read}) {
        const JobSpec& first = state->find_job(one)->spec;
        EXPECT_TRUE(state->find_job(two)->spec.request.is_same(first.request));
    }
}

}  // namespace
}  // namespace berth
