#include "berth/sim/series.h"

#include <gtest/gtest.h>

#include <numeric>

namespace berth::sim {
namespace {

using namespace std::chrono_literals;

TEST(Series, SpreadsAValueOverItsBuckets) {
    Series series(Time{}, 10s);
    series.add(Time{}, Time(5s), 4);
    series.add(Time(5s), Time(25s), 2);
    ASSERT_EQ(series.buckets().size(), 3U);
    EXPECT_TRUE(series.buckets()[0] == 4 * 5000 + 2 * 5000);
    EXPECT_TRUE(series.buckets()[1] == 2 * 10'000);
    EXPECT_TRUE(series.buckets()[2] == 2 * 5000);
    EXPECT_EQ(series.highest(), 4);
}

TEST(Series, BecomesCoarserAndLosesNothing) {
    Series series(Time{}, 1s);
    for (int hour = 0; hour < 5000; ++hour) {
        series.add(Time(std::chrono::hours(hour)), Time(std::chrono::hours(hour + 1)), hour % 7);
    }
    EXPECT_LE(series.buckets().size(), Series::kBuckets);
    EXPECT_GE(series.buckets().size(), Series::kBuckets / 2);
    const Wide sum = std::accumulate(series.buckets().begin(), series.buckets().end(), Wide{0});
    EXPECT_TRUE(sum == series.sum());
}

}  // namespace
}  // namespace berth::sim
