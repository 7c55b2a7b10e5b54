#include "berth/policy/tres.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

ClusterSpec gpu_cluster(BillingSum how, std::vector<TresWeight> weights) {
    ClusterSpec spec;
    spec.dimensions.intern("gpu", "a100");
    spec.dimensions.intern("gpu", "h100");
    spec.partitions = {{.name = "main", .billing_weights = std::move(weights)}};
    spec.qos = {{.name = "normal"}, {.name = "half", .usage_factor = Ppm(500'000)}};
    spec.scheduling.billing_sum = how;
    return spec;
}

// 8 CPUs, 64 GiB, 2 A100, 1 H100 on 2 nodes.
TresCounts example() {
    TresCounts counts{.nodes = 2, .amount = {}};
    counts.amount.set_cpu(cores(8));
    counts.amount.set_memory(gib(64));
    counts.amount[DimensionId(2)] = 2;
    counts.amount[DimensionId(3)] = 1;
    return counts;
}

TEST(Billing, AddsUpTheWeightsOrTakesTheLargest) {
    const TresWeight cpu{"cpu", 1'000'000}, memory{"mem", 250'000, gib(1).count()},
        gpu{"gres/gpu", 2'500'000}, h100{"gres/gpu:h100", 1'000'000}, node{"node", 3'000'000},
        unknown{"gres/tpu", 9'000'000};
    struct Case {
        const char* what;
        BillingSum how;
        std::vector<TresWeight> weights;
        std::int64_t milli;
    };
    const Case cases[] = {
        {"a CPU is one without weights", BillingSum::all, {}, 8'000},
        {"CPU and memory", BillingSum::all, {cpu, memory}, 24'000},
        {"GPUs of any type, and one type more", BillingSum::all, {gpu, h100}, 8'500},
        {"everything", BillingSum::all, {cpu, memory, gpu, h100, node}, 38'500},
        {"what there is none of", BillingSum::all, {unknown}, 0},
        {"MAX_TRES", BillingSum::largest, {cpu, memory, gpu}, 16'000},
        {"MAX_TRES_GRES", BillingSum::largest_and_gres, {cpu, memory, gpu}, 23'500},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        const UsageAmount billing =
            billing_of(gpu_cluster(c.how, c.weights), PartitionId(0), example());
        EXPECT_EQ(static_cast<std::int64_t>(billing.units() * 1000 >> 32), c.milli);
    }
}

TEST(Billing, OfAJobCountsTimesItsQos) {
    const ClusterSpec spec = gpu_cluster(BillingSum::all, {{"gres/gpu", 2'000'000}});
    Job job;
    job.allocated = example().amount;
    job.nodes = {NodeId(0), NodeId(1)};
    UsageVector rate = usage_rate_of(spec, job);
    EXPECT_EQ(rate[kBillingUsage].whole, 6);
    EXPECT_EQ(rate[kNodeUsage].whole, 2);
    EXPECT_EQ(rate[kWallUsage].whole, 1) << "one run, however many nodes it has";
    EXPECT_EQ(rate[usage_kind_of(kCpuDimension)].whole, 8);
    EXPECT_EQ(rate[usage_kind_of(kMemoryDimension)].whole, 65536);
    EXPECT_EQ(rate[usage_kind_of(DimensionId(3))].whole, 1);
    job.qos = QosId(1);
    rate = usage_rate_of(spec, job);
    EXPECT_EQ(rate[kBillingUsage].whole, 3);
    EXPECT_EQ(rate[kWallUsage], (UsageAmount{0, 1U << 31}));
    EXPECT_EQ(rate[usage_kind_of(DimensionId(3))], (UsageAmount{0, 1U << 31}));
}

}  // namespace
}  // namespace berth
