#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

std::int64_t association_thousandths(AssociationStanding standing, bool plain = false) {
    testing::FixedView view;
    view.job_association = standing;
    const auto rule =
        testing::make_rule(priority_terms(), "association", {{"plain", plain ? 1 : 0}});
    const Factor f = rule->value(Job{}, view);
    return 1000 * f.part / f.whole;
}

TEST(Association, IsMeasuredAgainstTheHighestPriority) {
    EXPECT_EQ(association_thousandths({.fair_share = {}, .priority = 50, .priority_max = 200}),
              250);
    EXPECT_EQ(association_thousandths({.fair_share = {}, .priority = 200, .priority_max = 200}),
              1000);
    EXPECT_EQ(association_thousandths({}), 0);
    EXPECT_EQ(
        association_thousandths({.fair_share = {}, .priority = 50, .priority_max = 200}, true),
        50'000);
}

TEST(Association, InheritsThePriorityOfItsAccount) {
    ClusterSpec spec;
    spec.accounts = {{.name = "a", .parent = "root", .priority = 7},
                     {.name = "b", .parent = "a"},
                     {.name = "c", .parent = "a", .priority = 9}};
    spec.associations = {{.account = "b", .user = "ann"},
                         {.account = "c", .user = "ben", .priority = 3}};
    const ShareTree tree(spec, {});
    EXPECT_EQ(tree.nodes()[*tree.find("b", "ann")].priority, 7);
    EXPECT_EQ(tree.nodes()[*tree.find("c", "ben")].priority, 3);
    EXPECT_EQ(tree.nodes()[*tree.find("root", "root")].priority, 0);
    EXPECT_EQ(tree.priority_max(), 9);
}

}  // namespace
}  // namespace berth
