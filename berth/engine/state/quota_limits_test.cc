// The limits of two QOS that both limit one job.
#include "berth/engine/state/quota_limits.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TresLimit limit_of_cpus(std::int64_t most) { return {.tres = "cpu", .most = most}; }
TresLimit limit_of_nodes(std::int64_t most) {
    return {.tres = "node", .kind = TresKind::node, .most = most};
}

TEST(QuotaLimits, OfASecondQosAreThoseThatTheFirstDoesNotSet) {
    QuotaLimits first, second;
    first.per_user = {limit_of_cpus(4)};
    first.group_jobs = 3;
    first.max_wall = std::chrono::hours(1);
    second.per_user = {limit_of_cpus(8), limit_of_nodes(2)};
    second.group = {limit_of_cpus(9)};
    second.group_jobs = 7;
    second.max_jobs = 5;
    second.max_wall = std::chrono::hours(2);
    const QuotaLimits left = without(second, first);
    EXPECT_EQ(left.per_user, TresLimitList{limit_of_nodes(2)});
    EXPECT_EQ(left.group, TresLimitList{limit_of_cpus(9)}) << "a group's is another limit";
    EXPECT_FALSE(left.group_jobs || left.max_wall);
    EXPECT_EQ(left.max_jobs, 5U);
    const QuotaLimits both = joined(first, left);
    EXPECT_EQ(both.per_user, (TresLimitList{limit_of_cpus(4), limit_of_nodes(2)}));
    EXPECT_EQ(both.group_jobs, 3U);
    EXPECT_EQ(both.max_jobs, 5U);
    EXPECT_EQ(both.max_wall, std::chrono::hours(1));
}

TEST(QuotaLimits, OfAQosWithoutAnyLeaveAllOfTheOther) {
    QuotaLimits second;
    second.per_account = {limit_of_cpus(8)};
    second.max_submitted = 2;
    EXPECT_EQ(without(second, {}), second);
    EXPECT_EQ(joined({}, second), second);
    EXPECT_EQ(without({}, second), QuotaLimits{});
}

}  // namespace
}  // namespace berth
