#include "berth/slurm/text/when.h"

#include <array>
#include <chrono>
#include <ctime>
#include <optional>
#include <string>

#include "berth/base/text.h"
#include "berth/slurm/text/time_format.h"

namespace berth::slurm {
namespace {

Error malformed(std::string_view text) {
    return {ErrorCode::invalid_argument,
            "Invalid time specification (pos=0): " + std::string(text)};
}

// mktime settles what the zone's offset was on that day.
Time at_local(std::tm civil) {
    civil.tm_isdst = -1;
    return Time(std::chrono::seconds(std::mktime(&civil)));
}

std::optional<int> digits(std::string_view text, int low, int high) {
    const auto number = parse_int64(text);
    if (!number.ok() || text.size() > 4 || number.value() < low || number.value() > high)
        return std::nullopt;
    return static_cast<int>(number.value());
}

struct NamedTime {
    std::string_view name;
    int hour;
};
constexpr auto kNamed = std::to_array<NamedTime>(
    {{"midnight", 0}, {"noon", 12}, {"elevenses", 11}, {"fika", 15}, {"teatime", 16}});

// "17:10", "17:10:37", "5:10PM", "noon".
bool read_time_of_day(std::string_view text, std::tm& civil) {
    for (const NamedTime& named : kNamed) {
        if (!iequals(named.name, text)) continue;
        civil.tm_hour = named.hour, civil.tm_min = civil.tm_sec = 0;
        return true;
    }
    bool afternoon = false, morning = false;
    if (text.size() > 2 && (iequals(text.substr(text.size() - 2), "PM") ||
                            iequals(text.substr(text.size() - 2), "AM"))) {
        afternoon = to_lower(text[text.size() - 2]) == 'p';
        morning = !afternoon;
        text.remove_suffix(2);
    }
    const auto parts = split(text, ':');
    if (parts.size() < 2 || parts.size() > 3) return false;
    const auto hour = digits(parts[0], 0, 23), minute = digits(parts[1], 0, 59);
    const auto second = parts.size() == 3 ? digits(parts[2], 0, 59) : std::optional(0);
    if (!hour || !minute || !second) return false;
    civil.tm_hour = afternoon && *hour < 12 ? *hour + 12 : morning && *hour == 12 ? 0 : *hour;
    civil.tm_min = *minute, civil.tm_sec = *second;
    return true;
}

// "2026-08-20", "08/20/26", "0820", "082026".
bool read_date(std::string_view text, std::tm& civil) {
    std::optional<int> year, month, day;
    const auto dashes = split(text, '-'), slashes = split(text, '/');
    if (dashes.size() == 3) {
        year = digits(dashes[0], 1970, 9999), month = digits(dashes[1], 1, 12),
        day = digits(dashes[2], 1, 31);
    } else if (slashes.size() >= 2 && slashes.size() <= 3) {
        month = digits(slashes[0], 1, 12), day = digits(slashes[1], 1, 31);
        year =
            slashes.size() == 3 ? digits(slashes[2], 0, 9999) : std::optional(civil.tm_year + 1900);
    } else if (text.size() == 4 || text.size() == 6) {
        month = digits(text.substr(0, 2), 1, 12), day = digits(text.substr(2, 2), 1, 31);
        year =
            text.size() == 6 ? digits(text.substr(4), 0, 99) : std::optional(civil.tm_year + 1900);
    }
    if (!year || !month || !day) return false;
    if (*year < 100) *year += 2000;
    civil.tm_year = *year - 1900, civil.tm_mon = *month - 1, civil.tm_mday = *day;
    return true;
}

// "+2hours", "-3days", "+90" (seconds).
std::optional<Duration> read_offset(std::string_view text) {
    if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
    const std::size_t unit_at = text.find_first_not_of("0123456789", 1);
    const auto number =
        parse_int64(text.substr(1, unit_at == std::string_view::npos ? unit_at : unit_at - 1));
    if (!number.ok() || number.value() > 1'000'000'000) return std::nullopt;
    const std::string unit =
        unit_at == std::string_view::npos ? "seconds" : to_lower(text.substr(unit_at));
    struct Unit {
        std::string_view name;
        std::int64_t length;
    };
    for (const auto& [name, length] : {Unit{"seconds", 1}, Unit{"minutes", 60}, Unit{"hours", 3600},
                                       Unit{"days", 86400}, Unit{"weeks", 604800}}) {
        const bool matches =
            unit == name || unit == name.substr(0, name.size() - 1) || unit == name.substr(0, 3);
        if (matches)
            return std::chrono::seconds(number.value() * length) * (text[0] == '-' ? -1 : 1);
    }
    return std::nullopt;
}

}  // namespace

Time midnight_before(Time now) {
    std::tm civil = broken_down(now);
    civil.tm_hour = civil.tm_min = civil.tm_sec = 0;
    return at_local(civil);
}

Result<Time> parse_when(std::string_view text, Time now, bool past_is_fine) {
    constexpr auto kDay = std::chrono::hours(24);
    if (starts_with_icase(text, "now")) {
        if (text.size() == 3) return now;
        const auto offset = read_offset(text.substr(3));
        if (!offset) return malformed(text);
        return std::chrono::floor<std::chrono::seconds>(now) + *offset;
    }
    if (iequals(text, "today")) return midnight_before(now);
    if (iequals(text, "tomorrow")) return midnight_before(midnight_before(now) + kDay + kDay / 2);
    if (iequals(text, "yesterday")) return midnight_before(midnight_before(now) - kDay / 2);
    std::tm civil = broken_down(now);
    civil.tm_sec = 0;
    if (read_time_of_day(text, civil)) {
        const Time at = at_local(civil);
        if (at >= now || past_is_fine) return at;
        civil.tm_mday += 1;
        return at_local(civil);
    }
    const std::size_t divide = text.find_first_of("T- ", text.find('-') == 4 ? 10 : 0);
    const std::string_view date = text.substr(0, divide);
    civil.tm_hour = civil.tm_min = civil.tm_sec = 0;
    if (!read_date(date, civil)) return malformed(text);
    if (divide != std::string_view::npos && divide < text.size() &&
        !read_time_of_day(text.substr(divide + 1), civil))
        return malformed(text);
    return at_local(civil);
}

Duration utc_offset_at(Time at) { return std::chrono::seconds(broken_down(at).tm_gmtoff); }

}  // namespace berth::slurm
