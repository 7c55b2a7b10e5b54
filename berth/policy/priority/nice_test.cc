#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

TEST(Nice, IsSubtractedPointByPoint) {
    const auto rule = testing::make_rule(priority_terms(), "nice");
    for (const std::int32_t nice : {-50, 0, 10000}) {
        Job job;
        job.spec.nice = nice;
        const Factor f = rule->value(job, testing::FixedView{});
        EXPECT_EQ(f.part, -nice * f.whole);
    }
}

}  // namespace
}  // namespace berth
