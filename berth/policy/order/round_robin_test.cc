#include <gtest/gtest.h>

#include "berth/testing/order_case.h"

namespace berth {
namespace {

const std::vector<testing::Waiting> kThreeUsersJobs = {
    {.name = "a", .user = "ann"}, {.name = "b", .user = "ann"}, {.name = "c", .user = "ann"},
    {.name = "d", .user = "ben"}, {.name = "e", .user = "ben"}, {.name = "f", .user = "cleo"}};

TEST(RoundRobin, LetsUsersTakeTurns) {
    EXPECT_EQ(testing::order_of("round_robin", kThreeUsersJobs), "adfbec");
}

TEST(RoundRobin, CountsWhatRunsAsTurnsTaken) {
    testing::OrderView view = testing::order_view();
    Job runs;
    runs.owner.edit().uid = 'a';
    view.jobs_running = {runs, runs};
    EXPECT_EQ(
        testing::order_of(*testing::make_rule(order_rules(), "round_robin"), view, kThreeUsersJobs),
        "dfeabc");
}

}  // namespace
}  // namespace berth
