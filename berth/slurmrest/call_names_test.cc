#include "berth/slurmrest/call_names.h"

#include <gtest/gtest.h>

namespace berth::slurmrest {
namespace {

TEST(CallNames, AreSlurmsWhereItHasTheCall) {
    const auto rpcs = rpcs_of_calls({{.name = "POST /v1/jobs", .count = 2, .total = 30},
                                     {.name = "POST /v1/jobs/{ref}/hold", .count = 1, .total = 7}});
    ASSERT_EQ(rpcs.size(), 2U);
    EXPECT_EQ(rpcs[0].name, "REQUEST_SUBMIT_BATCH_JOB");
    EXPECT_EQ(rpcs[0].id, 4003);
    EXPECT_EQ(rpcs[0].count, 2);
    EXPECT_EQ(rpcs[0].total, 30);
    EXPECT_EQ(rpcs[1].name, "BERTH_POST_JOBS_HOLD");
    EXPECT_EQ(rpcs[1].id, 0);
}

TEST(CallNames, UsersHaveTheirNumbers) {
    const auto rpcs = rpcs_of_users({{.name = "ann", .uid = 1000, .count = 3, .total = 9}});
    ASSERT_EQ(rpcs.size(), 1U);
    EXPECT_EQ(rpcs[0].name, "ann");
    EXPECT_EQ(rpcs[0].id, 1000);
}

}  // namespace
}  // namespace berth::slurmrest
