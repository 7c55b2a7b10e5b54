#include "berth/model/reservation.h"

#include <gtest/gtest.h>

#include "berth/base/calendar.h"

namespace berth {
namespace {

TEST(Reservation, ComesAgainAsItsFlagSays) {
    struct Case {
        Repeat repeat;
        const char *start, *next;
    };
    // 2026-11-20 is a Friday.
    const Case cases[] = {
        {Repeat::hourly, "2026-11-20T10:00:00", "2026-11-20T11:00:00"},
        {Repeat::daily, "2026-11-20T10:00:00", "2026-11-21T10:00:00"},
        {Repeat::weekly, "2026-11-20T10:00:00", "2026-11-27T10:00:00"},
        {Repeat::weekday, "2026-11-19T10:00:00", "2026-11-20T10:00:00"},
        {Repeat::weekday, "2026-11-20T10:00:00", "2026-11-23T10:00:00"},
        {Repeat::weekend, "2026-11-20T10:00:00", "2026-11-21T10:00:00"},
        {Repeat::weekend, "2026-11-22T10:00:00", "2026-11-28T10:00:00"},
    };
    for (const Case& one : cases) {
        const Reservation reservation{.repeat = one.repeat};
        const Time start = parse_date_time(one.start, {}).value();
        EXPECT_EQ(format_date_time(next_start(reservation, start), {}), one.next);
    }
}

TEST(Reservation, CountsWeekdaysByTheClockOfWhoMadeIt) {
    // Friday 23:00 UTC is Saturday in Tokyo.
    const Time friday = parse_date_time("2026-11-20T23:00:00", {}).value();
    const Reservation tokyo{.repeat = Repeat::weekend, .utc_offset = std::chrono::hours(9)};
    EXPECT_EQ(format_date_time(next_start(tokyo, friday), {}), "2026-11-21T23:00:00");
    EXPECT_EQ(format_date_time(next_start(tokyo, friday + std::chrono::hours(24)), {}),
              "2026-11-27T23:00:00");
}

TEST(Reservation, NamesItsFlagsAsSlurmDoes) {
    EXPECT_EQ(flags_text({}), "");
    EXPECT_EQ(flags_text({.maint = true, .listed_nodes = true}), "MAINT,SPEC_NODES");
    EXPECT_EQ(
        flags_text(
            {.repeat = Repeat::weekly, .flex = true, .ignore_jobs = true, .listed_nodes = true}),
        "FLEX,IGNORE_JOBS,WEEKLY,SPEC_NODES");
    EXPECT_EQ(flags_text({.partition = "debug", .listed_nodes = true, .all_nodes = true}),
              "SPEC_NODES,PART_NODES");
    EXPECT_EQ(flags_text({.licenses = {{"matlab", 2}}}), "ANY_NODES");
}

}  // namespace
}  // namespace berth
