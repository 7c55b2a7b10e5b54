#include "berth/server/views/time_buckets.h"

#include <gtest/gtest.h>

#include <limits>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

constexpr std::int64_t kFirst = 1'700'000'000, kOneHour = 3600;

Time moment_at(std::int64_t after) { return from_seconds(kFirst + after); }

TresVector cpus(std::int64_t count) {
    TresVector vector;
    vector.amounts[TresVector::kCpu] = count;
    return vector;
}

// "7200 3600": of CPUs, in each bucket.
std::string text_of(const TimeBuckets& buckets) {
    std::string text;
    for (const TresVector& one : buckets.totals())
        text += (text.empty() ? "" : " ") + std::to_string(one.amounts[TresVector::kCpu]);
    return text;
}

TEST(TimeBuckets, CutOffWhatLiesOutside) {
    struct Case {
        std::int64_t begin, end;
        const char* expected;
    };
    const Case cases[] = {
        {-kOneHour, 0, "0 0 0 0"},
        {-10, 10, "20 0 0 0"},
        {10, 20, "20 0 0 0"},
        {kOneHour - 5, kOneHour + 5, "10 10 0 0"},
        {0, 4 * kOneHour, "7200 7200 7200 3600"},
        {-kOneHour, 9 * kOneHour, "7200 7200 7200 3600"},
        {1800, 3 * kOneHour + 60, "3600 7200 7200 120"},
        {kOneHour, 2 * kOneHour, "0 7200 0 0"},
        {3 * kOneHour + 1800, 3 * kOneHour + 1900, "0 0 0 0"},
        {20, 10, "0 0 0 0"},
    };
    for (const Case& one : cases) {
        TimeBuckets buckets(moment_at(0),
                            moment_at(3 * kOneHour + 1800));  // The last one is half as long.
        buckets.add(moment_at(one.begin), moment_at(one.end), cpus(2));
        EXPECT_EQ(text_of(buckets), one.expected) << one.begin << " to " << one.end;
    }
}

TEST(TimeBuckets, AreWiderWhereTheyWouldBeTooMany) {
    const std::int64_t years = 20 * 365 * 24 * kOneHour;
    TimeBuckets buckets(moment_at(0), moment_at(years));
    buckets.add(moment_at(-5), moment_at(years + 5), cpus(3));
    const auto totals = buckets.totals();
    EXPECT_LE(totals.size(), static_cast<std::size_t>(TimeBuckets::kMost));
    TresVector sum;
    for (const TresVector& one : totals) sum += one;
    EXPECT_EQ(sum.amounts[TresVector::kCpu], 3 * years);
}

TEST(TimeBuckets, TogetherHaveAllThatWasAdded) {
    testing::for_each_seed(50, [](Rng& rng) {
        const auto length = static_cast<std::int64_t>(1 + rng.next() % 500'000);
        TimeBuckets buckets(moment_at(0), moment_at(length));
        std::int64_t expected = 0;
        for (int i = 0; i < 30; ++i) {
            const auto begin = static_cast<std::int64_t>(rng.next() % 600'000) - 50'000;
            const auto end = begin + static_cast<std::int64_t>(rng.next() % 300'000);
            buckets.add(moment_at(begin), moment_at(end), cpus(i));
            expected +=
                i * overlap(moment_at(begin), moment_at(end), moment_at(0), moment_at(length));
        }
        TresVector sum;
        for (const TresVector& one : buckets.totals()) sum += one;
        EXPECT_EQ(sum.amounts[TresVector::kCpu], expected);
    });
}

TEST(TresVectors, DoNotWrapAround) {
    TresVector much = cpus(std::int64_t{1} << 62);
    TresVector sum;
    sum.add_times(much, 4);
    EXPECT_EQ(sum.amounts[TresVector::kCpu], std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace berth
