#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

TEST(Site, IsAddedPointByPoint) {
    const auto rule = testing::make_rule(priority_terms(), "site");
    for (const std::int64_t points : {-700, 0, 123456}) {
        Job job;
        job.site_factor = points;
        const Factor f = rule->value(job, testing::FixedView{});
        EXPECT_EQ(f.part, points * f.whole);
    }
}

}  // namespace
}  // namespace berth
