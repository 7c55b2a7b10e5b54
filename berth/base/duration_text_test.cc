#include "berth/base/duration_text.h"

#include <gtest/gtest.h>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

TEST(TimeLimit, ReadsEveryFormSlurmReads) {
    struct Case {
        const char* text;
        const char* scontrol;
        const char* squeue;
    };
    // clang-format off
    const Case cases[] = {
        {"0",           "00:00:00",     "0:00"},
        {"30",          "00:30:00",     "30:00"},
        {"90",          "01:30:00",     "1:30:00"},
        {"90:30",       "01:30:30",     "1:30:30"},
        {"0:05",        "00:00:05",     "0:05"},
        {"1:30:00",     "01:30:00",     "1:30:00"},
        {"48:00:00",    "2-00:00:00",   "2-00:00:00"},
        {"2-12",        "2-12:00:00",   "2-12:00:00"},
        {"2-12:30",     "2-12:30:00",   "2-12:30:00"},
        {"2-12:30:15",  "2-12:30:15",   "2-12:30:15"},
        {"0-36",        "1-12:00:00",   "1-12:00:00"},
        {"UNLIMITED",   "UNLIMITED",    "UNLIMITED"},
        {"unlimited",   "UNLIMITED",    "UNLIMITED"},
        {"INFINITE",    "UNLIMITED",    "UNLIMITED"},
        {"-1",          "UNLIMITED",    "UNLIMITED"},
    };
    // clang-format on
    for (const Case& c : cases) {
        const auto limit = parse_time_limit(c.text);
        ASSERT_TRUE(limit.ok()) << c.text << ": " << limit.error().message;
        EXPECT_EQ(format_time_limit(*limit), c.scontrol) << c.text;
        EXPECT_EQ(format_time_limit_short(*limit), c.squeue) << c.text;
    }
}

TEST(TimeLimit, RefusesTheRestAndSaysWhatItWanted) {
    for (const char* text : {"", "-", "1-", "-2", "1:2:3:4", "ten", "1-2-3", "99999999999",
                             "1:", "1-:", "1-1:1:1:1", " 1", "1.5", "+1"}) {
        const auto limit = parse_time_limit(text);
        ASSERT_FALSE(limit.ok()) << text;
        EXPECT_NE(limit.error().message.find("days-hours"), std::string::npos);
    }
}

TEST(TimeLimit, IsRoundedUpToTheMinute) {
    EXPECT_EQ(round_up_to_minute(std::chrono::seconds(0)), std::chrono::minutes(0));
    EXPECT_EQ(round_up_to_minute(std::chrono::seconds(1)), std::chrono::minutes(1));
    EXPECT_EQ(round_up_to_minute(std::chrono::seconds(60)), std::chrono::minutes(1));
    EXPECT_EQ(round_up_to_minute(std::chrono::seconds(61)), std::chrono::minutes(2));
}

// squeue's short form "5:30" is minutes and seconds, which is how it is read, too.
TEST(TimeLimit, ReadsWhatItPrints) {
    testing::for_each_seed(300, [](Rng& rng) {
        const std::optional<Duration> length = std::chrono::seconds(rng.between(0, 1'000'000));
        EXPECT_EQ(parse_time_limit(format_time_limit(length)).value(), length);
        EXPECT_EQ(parse_time_limit(format_time_limit_short(length)).value(), length);
    });
}

TEST(DurationText, HasUnitsAsGoPrintsThem) {
    EXPECT_EQ(format_duration_units(std::chrono::seconds(0)), "0s");
    EXPECT_EQ(format_duration_units(std::chrono::seconds(45)), "45s");
    EXPECT_EQ(format_duration_units(std::chrono::minutes(10)), "10m0s");
    EXPECT_EQ(format_duration_units(std::chrono::minutes(90)), "1h30m0s");
    EXPECT_EQ(format_duration_units(std::chrono::hours(48)), "48h0m0s");
}

}  // namespace
}  // namespace berth
