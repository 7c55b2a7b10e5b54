#include "berth/model/usage.h"

#include <gtest/gtest.h>

#include "berth/base/calendar.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

constexpr Duration kHalfLife = 14 * 24h;

UsageRecord holding(std::int64_t rate) {
    UsageRecord record;
    record.rate[kBillingUsage] = {rate, 0};
    return record;
}

TEST(Usage, GrowsWhileAJobStillRuns) {
    const UsageRecord record = holding(8);
    EXPECT_EQ(record.used_by(Time(0s), kBillingUsage, {Duration{}}).whole, 0);
    EXPECT_EQ(record.used_by(Time(1h), kBillingUsage, {Duration{}}).whole, 8 * 3600);
    EXPECT_EQ(record.used_by(Time(1500ms), kBillingUsage, {Duration{}}).whole, 12);
}

TEST(Usage, HalvesInAHalfLife) {
    UsageRecord record;
    record.used[kBillingUsage] = {360'000, 0};
    EXPECT_EQ(record.used_by(Time(kHalfLife), kBillingUsage, {kHalfLife}).whole, 180'000);
    EXPECT_EQ(record.used_by(Time(2 * kHalfLife), kBillingUsage, {kHalfLife}).whole, 90'000);
    EXPECT_EQ(record.used_by(Time(2 * kHalfLife), kBillingUsage, {Duration{}}).whole, 360'000);
}

TEST(Usage, DoesNotDependOnHowOftenItIsWrittenDown) {
    UsageRecord once = holding(3), often = holding(3);
    for (int minute = 1; minute <= 7 * 24 * 60; ++minute) {
        often.advance(Time(std::chrono::minutes(minute)), {kHalfLife});
    }
    once.advance(Time(7 * 24h), {kHalfLife});
    const Wide off = once.used[kBillingUsage].units() - often.used[kBillingUsage].units();
    EXPECT_LT(off < 0 ? -off : off, Wide{1} << 22);  // A thousandth of a second, after 10 080.
}

TEST(Usage, DoesNotRunBackwards) {
    UsageRecord record = holding(3);
    record.advance(Time(1h), {kHalfLife});
    const UsageRecord before = record;
    record.advance(Time(30min), {kHalfLife});
    EXPECT_EQ(record, before);
}

TEST(Usage, IsHeldWhereNumbersEnd) {
    UsageAmount most{INT64_MAX, 0};
    EXPECT_EQ((most + most).whole, INT64_MAX);
    EXPECT_EQ((UsageAmount{} - UsageAmount{1, 1}).units(), -(Wide{1} << 32) - 1);
}

struct Reset {
    const char* now;
    UsageReset period;
    const char* last;
};
TEST(Usage, IsResetAtTheStartOfEachPeriod) {
    const Reset cases[] = {
        {"2026-08-20T17:10:37", UsageReset::daily, "2026-08-20"},
        {"2026-08-20T17:10:37", UsageReset::weekly, "2026-08-16"},  // A Sunday.
        {"2026-08-16", UsageReset::weekly, "2026-08-16"},
        {"2026-08-20T17:10:37", UsageReset::monthly, "2026-08-01"},
        {"2026-08-20T17:10:37", UsageReset::quarterly, "2026-07-01"},
        {"2026-12-31T23:59:59", UsageReset::quarterly, "2026-10-01"},
        {"2026-08-20T17:10:37", UsageReset::yearly, "2026-01-01"},
    };
    const auto at = [](const char* text) { return parse_date_time(text, Duration{}).value(); };
    for (const Reset& c : cases) {
        SCOPED_TRACE(c.now);
        EXPECT_EQ(last_reset(at(c.now), c.period), at(c.last));
    }
    UsageRecord record = holding(2);
    record.at = at("2026-08-19T00:00:00");
    record.used[kBillingUsage] = {1000, 0};
    const UsageDecay daily{Duration{}, UsageReset::daily};
    EXPECT_EQ(record.used_by(at("2026-08-19T00:01:00"), kBillingUsage, daily).whole, 1120);
    EXPECT_EQ(record.used_by(at("2026-08-20T00:01:00"), kBillingUsage, daily).whole, 120);
}

}  // namespace
}  // namespace berth
