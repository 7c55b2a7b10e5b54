#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

TEST(Pack, PrefersFewestGpusLeftThenFewestCpusLeft) {
    testing::FixedView view;
    const DimensionId gpu = *view.cluster.dimensions.intern("gpu", "a100");
    Resources whole;
    whole.set_cpu(cores(64));
    whole[gpu] = 8;
    NodeSpec with_gpus{.capacity = whole};
    NodeSpec without{.capacity = whole};
    without.capacity[gpu] = 0;
    view.cluster.nodes = {with_gpus, without};

    struct Case {
        const char* what;
        std::uint32_t node;
        std::int64_t gpus_left, cpus_left;
        Ppm score;
    };
    const Case cases[] = {
        {"takes all that is left", 0, 0, 0, Ppm(1'000'000)},
        {"leaves CPUs", 0, 0, 32, Ppm(950'000)},
        {"leaves two GPUs", 0, 2, 32, Ppm(725'000)},
        {"breaks up a free node", 0, 7, 60, Ppm(118'750)},
        {"a node without GPUs", 1, 0, 60, Ppm(906'250)},
    };
    const auto rule = testing::make_rule(placement_scores(), "pack");
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        Resources left;
        left.set_cpu(cores(c.cpus_left));
        left[gpu] = c.gpus_left;
        EXPECT_EQ(rule->value({NodeId(c.node), Resources{}, left}, view), c.score);
    }
}

}  // namespace
}  // namespace berth
