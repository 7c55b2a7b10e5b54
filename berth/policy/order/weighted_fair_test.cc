#include <gtest/gtest.h>

#include "berth/testing/order_case.h"

namespace berth {
namespace {

using testing::Waiting;

// The article's four scores decide between a queue of weight 10 and one that is easy to compare
// with: one job of weight W and nothing in use has the score W.
std::string ahead_of(std::int64_t other_weight, std::int64_t used, std::uint32_t priority,
                     Duration waited) {
    testing::OrderView view = testing::order_view();
    view.cluster.accounts = {{.name = "ours", .parent = "root", .shares = 10},
                             {.name = "other", .parent = "root", .shares = other_weight}};
    if (used > 0) {
        Job run;
        run.spec.account = "ours";
        run.allocated.edit()[DimensionId(2)] = used;
        view.jobs_running = {run};
    }
    const auto rule = testing::make_rule(order_rules(), "weighted_fair");
    return testing::order_of(
        *rule, view,
        {{.name = "x", .account = "other"},
         {.name = "o", .account = "ours", .priority = priority, .waited = waited}});
}

TEST(WeightedFair, Seed002ScoresTenOneOneAndAHalfAndTwoAndAHalf) {
    const Duration none{}, ninety = std::chrono::minutes(90);
    EXPECT_EQ(ahead_of(9, 0, 0, none), "ox") << "10 is above 9";
    EXPECT_EQ(ahead_of(11, 0, 0, none), "xo");
    EXPECT_EQ(ahead_of(2, 9, 0, none), "xo") << "10 / (9 + 1) is 1";
    EXPECT_EQ(ahead_of(1, 9, 500'000, none), "ox") << "1.5";
    EXPECT_EQ(ahead_of(2, 9, 500'000, none), "xo");
    EXPECT_EQ(ahead_of(2, 9, 0, ninety), "ox") << "2.5";
    EXPECT_EQ(ahead_of(3, 9, 0, ninety), "xo");
}

// What a queue gets counts at once: each job is taken from the queue it is in, once.
TEST(WeightedFair, QueuesTakeTurnsByTheirWeights) {
    testing::OrderView view = testing::order_view();
    view.cluster.accounts = {{.name = "two", .parent = "root", .shares = 2},
                             {.name = "one", .parent = "root", .shares = 1}};
    const Waiting t{.name = "t", .account = "two", .gpus = 1};
    const Waiting o{.name = "o", .account = "one", .gpus = 1};
    // 2, 1; then 2/2 = 1/1, and the earlier; 2/3 < 1/1; 2/3 > 1/2; 2/4 = 1/2, ...
    EXPECT_EQ(testing::order_of(*testing::make_rule(order_rules(), "weighted_fair"), view,
                                {t, t, t, t, t, o, o, o}),
              "ttottoto");
}

TEST(WeightedFair, WithinAQueueTheHigherScoreIsFirst) {
    EXPECT_EQ(testing::order_of("weighted_fair", {{.name = "a"},
                                                  {.name = "b", .priority = 1'000'000},
                                                  {.name = "c", .waited = std::chrono::hours(2)},
                                                  {.name = "d"}}),
              "cbad");
}

}  // namespace
}  // namespace berth
