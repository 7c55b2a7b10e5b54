// Dates as Slurm prints them, "2026-08-20T17:10:37". The offset from UTC is the caller's to know.
#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/base/time.h"

namespace berth {

struct CivilTime {
    int year;
    int month;    // 1 … 12
    int day;      // 1 … 31
    int hour;     // 0 … 23
    int minute;   // 0 … 59
    int second;   // 0 … 59
    int weekday;  // 0 is Sunday.

    friend auto operator<=>(const CivilTime&, const CivilTime&) = default;
};

// `utc_offset` is what local time is ahead of UTC by: 2 h in Berlin's summer. Milliseconds are
// dropped. The weekday is worked out in one direction and ignored in the other.
CivilTime to_civil(Time at, Duration utc_offset);
Result<Time> from_civil(const CivilTime& civil, Duration utc_offset);

// "2026-08-20T17:10:37"
std::string format_date_time(Time at, Duration utc_offset);

// "2026-08-20T17:10:37", "2026-08-20T17:10" or "2026-08-20".
Result<Time> parse_date_time(std::string_view text, Duration utc_offset);

}  // namespace berth
