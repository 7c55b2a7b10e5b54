#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

TEST(Weight, PrefersTheLowerWeightByWholeSteps) {
    testing::FixedView view;
    view.cluster.nodes = {NodeSpec{.weight = 1}, NodeSpec{.weight = 10}};
    const auto rule = testing::make_rule(placement_scores(), "weight");
    const Resources nothing;
    EXPECT_EQ(rule->value({NodeId(0), nothing, nothing}, view), Ppm(-1'000'000));
    EXPECT_EQ(rule->value({NodeId(1), nothing, nothing}, view), Ppm(-10'000'000));
}

}  // namespace
}  // namespace berth
