#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

std::int64_t partition_thousandths(const std::vector<std::int64_t>& factors,
                                   std::uint32_t partition, bool plain = false) {
    testing::FixedView view;
    for (const std::int64_t factor : factors) {
        view.cluster.partitions.push_back({.priority_job_factor = factor});
    }
    Job job;
    job.partition = PartitionId(partition);
    const Factor f = testing::make_rule(priority_terms(), "partition", {{"plain", plain ? 1 : 0}})
                         ->value(job, view);
    return 1000 * f.part / f.whole;
}

TEST(Partition, IsMeasuredAgainstTheHighestFactor) {
    EXPECT_EQ(partition_thousandths({10, 100}, 0), 100);
    EXPECT_EQ(partition_thousandths({10, 100}, 1), 1000);
    EXPECT_EQ(partition_thousandths({1}, 0), 1000);
    EXPECT_EQ(partition_thousandths({0, 0}, 1), 0);
    EXPECT_EQ(partition_thousandths({10, 100}, 0, true), 10'000);  // NO_NORMAL_PART
}

}  // namespace
}  // namespace berth
