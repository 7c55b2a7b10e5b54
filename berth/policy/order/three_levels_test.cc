#include <gtest/gtest.h>

#include "berth/testing/order_case.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kMedium = 0, kHigh = 1, kLow = 2;

// The rule's score, in points.
std::int64_t score(const testing::Waiting& one) {
    testing::OrderView view = testing::order_view();
    const Job job = testing::job_of(one, 1, view);
    const Job* pointer = &job;
    const std::int64_t level = one.qos == kHigh ? 0 : one.qos == kLow ? 2 : 1;
    const std::int64_t rank = testing::make_rule(order_rules(), "three_levels")
                                  ->ranks(std::span<const Job* const>(&pointer, 1), view)
                                  .front();
    return (level * 1'000'000'000'000'000 - rank) / 1'000'000;
}

TEST(SeedQueue, Seed003Scores) {
    EXPECT_EQ(score({.gpus = 1, .qos = kHigh}), 990);
    EXPECT_EQ(score({.gpus = 8, .qos = kMedium, .waited = 1h}), 520);
    EXPECT_EQ(score({.gpus = 1, .qos = kLow, .waited = 30min}), 140);
    EXPECT_EQ(score({.gpus = 51, .qos = kMedium}), -10);
    EXPECT_EQ(score({.gpus = 1, .qos = kHigh, .waited = 5h}), 1090);  // At most one hour counts.
}

TEST(SeedQueue, Seed003PutsEveryMediumBeforeAnyLow) {
    EXPECT_EQ(
        testing::order_of("three_levels", {{.name = "a", .gpus = 1, .qos = kLow, .waited = 1h},
                                           {.name = "b", .gpus = 51, .qos = kMedium},
                                           {.name = "c", .gpus = 8, .qos = kHigh},
                                           {.name = "d", .gpus = 1, .qos = kHigh},
                                           {.name = "e", .gpus = 1, .qos = kMedium}}),
        "dceba");
}

}  // namespace
}  // namespace berth
