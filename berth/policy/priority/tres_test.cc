#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

std::int64_t millipoints(std::vector<TresWeight> weights, bool plain = false) {
    testing::FixedView view;
    const DimensionId gpu = *view.cluster.dimensions.intern("gpu", "a100");
    NodeSpec node;
    node.capacity.set_cpu(cores(32));
    node.capacity.set_memory(gib(256));
    node.capacity[gpu] = 8;
    view.cluster.nodes = std::vector(4, node);
    view.cluster.partitions = {{.name = "main", .nodes = {NodeId(0), NodeId(1), NodeId(2)}}};
    view.cluster.scheduling.priority_tres = std::move(weights);
    view.job_tres.nodes = 1;
    view.job_tres.amount.set_cpu(cores(24));
    view.job_tres.amount[gpu] = 4;
    const Factor points = testing::make_rule(priority_terms(), "tres", {{"plain", plain ? 1 : 0}})
                              ->value(Job{}, view);
    return 1000 * points.part / points.whole;
}

TEST(Tres, WeighsThePartOfThePartition) {
    EXPECT_EQ(millipoints({}), 0);
    EXPECT_EQ(millipoints({{"cpu", 1'000'000'000}}), 250'000);
    EXPECT_EQ(millipoints({{"gres/gpu", 3'000'000'000}}), 500'000);
    EXPECT_EQ(millipoints({{"node", 1'000'000'000}, {"cpu", 500'000'000}}), 458'333);
    EXPECT_EQ(millipoints({{"mem", 1'000'000'000}}), 0);  // The job asks for none.
    EXPECT_EQ(millipoints({{"gres/tpu", 1'000'000'000}}), 0);
    EXPECT_EQ(millipoints({{"cpu", 2'500'000}}, true), 60'000);
}

TEST(Tres, LosesNothingWhereThirdsMakeAWhole) {
    // 24 of 96 CPUs, 1 of 3 nodes, 4 of 24 GPUs: 300/4 + 100/3 + 400/6.
    EXPECT_EQ(millipoints({{"cpu", 300'000'000}, {"node", 100'000'000}, {"gres/gpu", 400'000'000}}),
              175'000);
}

}  // namespace
}  // namespace berth
