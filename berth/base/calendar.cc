// Civil dates, by the proleptic Gregorian calendar of <chrono>.
#include "berth/base/calendar.h"

#include <algorithm>
#include <cstdio>

#include "berth/base/text.h"

namespace berth {
namespace {

Error bad_moment(std::string_view text) {
    return {ErrorCode::invalid_argument,
            "\"" + std::string(text) + "\" is not a date of the form YYYY-MM-DD[THH:MM[:SS]]"};
}

// Exactly `width` digits at `at`, or -1.
int digits(std::string_view text, std::size_t at, std::size_t width) {
    if (at + width > text.size()) return -1;
    int number = 0;
    for (const char letter : text.substr(at, width)) {
        if (letter < '0' || letter > '9') return -1;
        number = number * 10 + (letter - '0');
    }
    return number;
}

bool has_form(std::string_view text, std::string_view form) {
    return std::ranges::equal(text, form, [](char letter, char expected) {
        return expected == '0' ? letter >= '0' && letter <= '9' : letter == expected;
    });
}

}  // namespace

CivilTime to_civil(Time at, Duration utc_offset) {
    const auto local = std::chrono::floor<std::chrono::seconds>(at.time_since_epoch() + utc_offset);
    const auto since_epoch = std::chrono::floor<std::chrono::days>(local);
    const std::chrono::sys_days day_count(since_epoch);
    const std::chrono::year_month_day date(day_count);
    const std::chrono::hh_mm_ss clock(local - since_epoch);
    return {
        .year = static_cast<int>(date.year()),
        .month = static_cast<int>(static_cast<unsigned>(date.month())),
        .day = static_cast<int>(static_cast<unsigned>(date.day())),
        .hour = static_cast<int>(clock.hours().count()),
        .minute = static_cast<int>(clock.minutes().count()),
        .second = static_cast<int>(clock.seconds().count()),
        .weekday = static_cast<int>(std::chrono::weekday(day_count).c_encoding()),
    };
}

Result<Time> from_civil(const CivilTime& civil, Duration utc_offset) {
    const std::chrono::year_month_day date(std::chrono::year(civil.year),
                                           std::chrono::month(static_cast<unsigned>(civil.month)),
                                           std::chrono::day(static_cast<unsigned>(civil.day)));
    const auto within = [](int part, int end) { return part >= 0 && part < end; };
    if (!date.ok() || civil.year < 1970 || civil.year > 9999 || !within(civil.hour, 24) ||
        !within(civil.minute, 60) || !within(civil.second, 60)) {
        return Error{ErrorCode::invalid_argument,
                     "no such day or hour, or not in the years 1970 to 9999"};
    }
    const auto local = std::chrono::sys_days(date).time_since_epoch() +
                       std::chrono::hours(civil.hour) + std::chrono::minutes(civil.minute) +
                       std::chrono::seconds(civil.second);
    return Time(local - utc_offset);
}

std::string format_date_time(Time at, Duration utc_offset) {
    const CivilTime civil = to_civil(at, utc_offset);
    char text[80];
    std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d", civil.year, civil.month,
                  civil.day, civil.hour, civil.minute, civil.second);
    return text;
}

Result<Time> parse_date_time(std::string_view text, Duration utc_offset) {
    const bool with_seconds = has_form(text, "0000-00-00T00:00:00");
    const bool with_minutes = with_seconds || has_form(text, "0000-00-00T00:00");
    if (!with_minutes && !has_form(text, "0000-00-00")) return bad_moment(text);
    const CivilTime civil = {
        .year = digits(text, 0, 4),
        .month = digits(text, 5, 2),
        .day = digits(text, 8, 2),
        .hour = with_minutes ? digits(text, 11, 2) : 0,
        .minute = with_minutes ? digits(text, 14, 2) : 0,
        .second = with_seconds ? digits(text, 17, 2) : 0,
        .weekday = 0,
    };
    Result<Time> at = from_civil(civil, utc_offset);
    if (!at.ok()) return prefixed("\"" + std::string(text) + "\": ", at.error());
    return at;
}

}  // namespace berth
