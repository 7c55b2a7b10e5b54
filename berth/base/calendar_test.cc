#include "berth/base/calendar.h"

#include <gtest/gtest.h>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(Calendar, PrintsLocalTime) {
    EXPECT_EQ(format_date_time(Time{}, 0h), "1970-01-01T00:00:00");
    EXPECT_EQ(format_date_time(from_seconds(1'787'238'637), 0h), "2026-08-20T15:10:37");
    EXPECT_EQ(format_date_time(from_seconds(1'787'238'637), 2h), "2026-08-20T17:10:37");
    EXPECT_EQ(format_date_time(from_seconds(1'709'164'799), 30min), "2024-02-29T00:29:59");
    EXPECT_EQ(format_date_time(Time{}, -30min), "1969-12-31T23:30:00");
    EXPECT_EQ(to_civil(from_seconds(1'787'238'637), 0h).weekday, 4);  // A Thursday.
}

TEST(Calendar, ReadsDatesWithAndWithoutTheTime) {
    EXPECT_EQ(seconds(*parse_date_time("2026-08-20T17:10:37", 2h)), 1'787'238'637);
    EXPECT_EQ(seconds(*parse_date_time("2026-08-20T17:10", 2h)), 1'787'238'600);
    EXPECT_EQ(seconds(*parse_date_time("1970-01-02", 0h)), 86'400);
}

TEST(Calendar, RefusesTheRest) {
    for (const char* text :
         {"", "2026-8-20", "2026-02-30", "2026-13-01", "2026-01-01T24:00:00", "2026-01-01 10:00:00",
          "2026-01-01T10:00:60", "1969-12-31", "tomorrow", "2026-01-01T10:00:00Z", "20 6-01-01"}) {
        EXPECT_FALSE(parse_date_time(text, 0h).ok()) << text;
    }
}

TEST(Calendar, ReadsWhatItPrints) {
    testing::for_each_seed(300, [](Rng& rng) {
        const Time at = from_seconds(rng.between(0, 10'000'000'000));
        const Duration offset = std::chrono::minutes(rng.between(0, 14 * 60));
        EXPECT_EQ(parse_date_time(format_date_time(at, offset), offset).value(), at);
    });
}

}  // namespace
}  // namespace berth
