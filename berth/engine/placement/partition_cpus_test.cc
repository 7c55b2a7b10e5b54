#include "berth/model/partition_cpus.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"

namespace berth {
namespace {

ClusterSpec cpu_and_gpu() {
    ClusterSpec spec = testing::make_cluster(2, {.cores_per_socket = 8, .gpus = 4});
    spec.partitions.resize(2);
    spec.partitions[0].name = "cpu";
    spec.partitions[1].name = "gpu";
    return spec;
}

std::int64_t most_on(const ClusterSpec& spec, std::size_t node) {
    return spec.nodes[node].capacity[*spec.dimensions.find(Dimension::kPartitionCpus, "cpu")];
}

TEST(PartitionCpus, AreAResourceOfEveryNode) {
    ClusterSpec spec = cpu_and_gpu();
    const ClusterSpec without = spec;
    EXPECT_TRUE(count_partition_cpus(spec));
    EXPECT_EQ(spec.dimensions.size(), without.dimensions.size())
        << "where no partition has a limit";
    spec.partitions[0].max_cpus_per_node = 8;
    EXPECT_FALSE(partition_cpus(spec, spec.partitions[0]));
    EXPECT_TRUE(count_partition_cpus(spec));
    EXPECT_TRUE(partition_cpus(spec, spec.partitions[0]));
    EXPECT_FALSE(partition_cpus(spec, spec.partitions[1]));
    EXPECT_EQ(most_on(spec, 0), 8);
    EXPECT_EQ(most_on(spec, 1), 8);
    EXPECT_EQ(spec.dimensions.gres(), without.dimensions.gres()) << "it is no GRES";
}

// Jobs may still be counted there: what they give back must fit.
TEST(PartitionCpus, AreEnoughForAllOnceTheLimitIsGone) {
    ClusterSpec spec = cpu_and_gpu();
    spec.partitions[0].max_cpus_per_node = 8;
    EXPECT_TRUE(count_partition_cpus(spec));
    spec.partitions[0].max_cpus_per_node.reset();
    EXPECT_TRUE(count_partition_cpus(spec));
    EXPECT_FALSE(partition_cpus(spec, spec.partitions[0]));
    EXPECT_GT(most_on(spec, 0), 1'000'000);
    spec.partitions[0].max_cpus_per_node = 4;
    EXPECT_TRUE(count_partition_cpus(spec));
    EXPECT_EQ(most_on(spec, 1), 4);
    spec.nodes.push_back(spec.nodes[0]);
    spec.nodes.edit(2).capacity[*partition_cpus(spec, spec.partitions[0])] = 0;
    count_partition_cpus(spec, NodeId(2));
    EXPECT_EQ(most_on(spec, 2), 4);
}

TEST(PartitionCpus, HaveNoRoomBesideAsManyKindsOfGresAsThereMayBe) {
    ClusterSpec spec = cpu_and_gpu();
    for (int i = 0; spec.dimensions.size() < kDimensionsMax; ++i)
        (void)spec.dimensions.intern("gres" + std::to_string(i), "");
    spec.partitions[0].max_cpus_per_node = 8;
    EXPECT_FALSE(count_partition_cpus(spec));
    EXPECT_FALSE(partition_cpus(spec, spec.partitions[0]));
}

TEST(PartitionCpus, LimitsAreComparedByPartition) {
    ClusterSpec spec = cpu_and_gpu();
    const PartitionCpuLimits none = partition_cpu_limits(spec);
    EXPECT_TRUE(none.empty());
    spec.partitions[1].max_cpus_per_node = 3;
    EXPECT_EQ(partition_cpu_limits(spec).size(), 2U);
    spec.partitions[1].gone = true;
    EXPECT_EQ(partition_cpu_limits(spec), none);
}

}  // namespace
}  // namespace berth
