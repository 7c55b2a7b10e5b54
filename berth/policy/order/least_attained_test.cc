#include <gtest/gtest.h>

#include "berth/testing/order_case.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

const std::vector<testing::Waiting> kServedJobs = {{.name = "a", .attained = 7200s},
                                                   {.name = "b", .attained = 3250s},
                                                   {.name = "c"},
                                                   {.name = "d", .attained = 3249s},
                                                   {.name = "e", .attained = 7199s}};

TEST(LeastAttained, PutsJobsIntoQueuesByTheirService) {
    EXPECT_EQ(testing::order_of("least_attained", kServedJobs), "cdbea");
    EXPECT_EQ(testing::order_of("least_attained", kServedJobs, {{"first", 1}, {"second", 3250}}),
              "cdabe");
}

TEST(LeastAttained, MayHaveMoreQueues) {
    // Queues end at 10, 20, 40, 80 s. The three jobs of 30 s or less are in the third queue or an
    // earlier one.
    const std::vector<testing::Waiting> jobs = {
        {.name = "a", .attained = 80s}, {.name = "b", .attained = 79s},
        {.name = "c", .attained = 40s}, {.name = "d", .attained = 39s},
        {.name = "e", .attained = 20s}, {.name = "f", .attained = 9s}};
    EXPECT_EQ(testing::order_of("least_attained", jobs,
                                {{"first", 10}, {"second", 20}, {"queues", 5}, {"factor", 2}}),
              "fdebca");
}

TEST(LeastAttained, MayGoByTheGittinsIndexWithinAQueue) {
    // Ended jobs had services of 100 and 10 000 s. For a fresh job, one of the two ends within the
    // quantum of 1000 s, and they use 100 + 1000 s of it. After 100 s of service only the long one
    // remains, which does not end soon: index 0. Near its end the index is positive.
    testing::OrderView view = testing::order_view();
    view.services_over = {100s, 10'000s};
    const auto rule = testing::make_rule(
        order_rules(), "least_attained",
        {{"first", 1'000'000}, {"second", 2'000'000}, {"quantum", 1000}, {"gittins", 1}});
    EXPECT_EQ(
        testing::order_of(
            *rule, view,
            {{.name = "x", .attained = 200s}, {.name = "y"}, {.name = "z", .attained = 9500s}}),
        "yzx");
}

}  // namespace
}  // namespace berth
