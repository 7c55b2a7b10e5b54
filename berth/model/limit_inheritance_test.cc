#include "berth/model/limit_inheritance.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(LimitInheritance, TakesOfEachLimitTheNearest) {
    Limits own, above;
    own.max_tres_per_job = {{"cpu", 4}};
    own.max_jobs = 2;
    above.max_tres_per_job = {{"cpu", 8}, {"gres/gpu", 1}};
    above.max_jobs = 7;
    above.max_submitted = 9;
    above.max_wall = 1h;
    inherit_limits(own, above);
    EXPECT_EQ(own.max_tres_per_job, (TresLimits{{"cpu", 4}, {"gres/gpu", 1}}));
    EXPECT_EQ(own.max_jobs, 2U);
    EXPECT_EQ(own.max_submitted, 9U);
    EXPECT_EQ(own.max_wall, Duration(1h));
}

TEST(LimitInheritance, LeavesGroupLimitsToTheirAccount) {
    Limits own, above;
    above.group_tres = {{"cpu", 8}};
    above.group_jobs = 3;
    above.group_submitted = 3;
    inherit_limits(own, above);
    EXPECT_TRUE(own.none());
}

}  // namespace
}  // namespace berth
