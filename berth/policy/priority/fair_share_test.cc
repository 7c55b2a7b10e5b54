#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

TEST(FairShare, IsWhatTheRuleOfFairnessSays) {
    testing::FixedView view;
    view.job_association.fair_share = {2, 3};
    const Factor f = testing::make_rule(priority_terms(), "fair_share")->value(Job{}, view);
    EXPECT_EQ(f.part, 2);
    EXPECT_EQ(f.whole, 3);
}

}  // namespace
}  // namespace berth
