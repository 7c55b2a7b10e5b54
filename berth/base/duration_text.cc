// Slurm's forms of a length of time.
#include "berth/base/duration_text.h"

#include <cstdint>
#include <cstdio>
#include <vector>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::int64_t kLargestPart = 100'000'000;  // Some 190 years of minutes: surely a slip.

Error bad_duration(std::string_view text) {
    return {ErrorCode::invalid_argument,
            "\"" + std::string(text) +
                "\" is not a length of time: minutes, minutes:seconds, hours:minutes:seconds, "
                "days-hours[:minutes[:seconds]] or UNLIMITED"};
}

// "12:30:00" -> {12, 30, 0}; nothing where a part is not a plain number.
std::optional<std::vector<std::int64_t>> parse_parts(std::string_view text) {
    std::vector<std::int64_t> parts;
    for (const std::string_view part : split(text, ':')) {
        const Result<std::int64_t> number = parse_int64(part);
        if (!number.ok() || *number < 0 || *number > kLargestPart) return std::nullopt;
        parts.push_back(*number);
    }
    return parts;
}

Duration hms(std::int64_t hours, std::int64_t minutes, std::int64_t seconds) {
    return std::chrono::seconds((hours * 60 + minutes) * 60 + seconds);
}

struct Clock {
    long long days, hours, minutes, seconds;
};

Clock split_clock(Duration length) {
    BERTH_ASSERT(length >= Duration::zero());
    const long long whole = seconds(length);
    return {whole / 86400, whole / 3600 % 24, whole / 60 % 60, whole % 60};
}

}  // namespace

Result<std::optional<Duration>> parse_time_limit(std::string_view text) {
    if (iequals(text, "UNLIMITED") || iequals(text, "INFINITE") || text == "-1") {
        return std::optional<Duration>();
    }
    const std::size_t dash = text.find('-');
    if (dash != std::string_view::npos) {
        const auto days = parse_parts(text.substr(0, dash));
        auto rest = parse_parts(text.substr(dash + 1));
        if (!days || days->size() != 1 || !rest || rest->size() > 3) return bad_duration(text);
        rest->resize(3);
        return hms(days->front() * 24 + (*rest)[0], (*rest)[1], (*rest)[2]);
    }
    const auto parts = parse_parts(text);
    if (!parts) return bad_duration(text);
    switch (parts->size()) {
        case 1: return hms(0, (*parts)[0], 0);
        case 2: return hms(0, (*parts)[0], (*parts)[1]);
        case 3: return hms((*parts)[0], (*parts)[1], (*parts)[2]);
        default: return bad_duration(text);
    }
}

Duration round_up_to_minute(Duration limit) {
    return std::chrono::ceil<std::chrono::minutes>(limit);
}

std::string format_duration(Duration length) {
    const Clock clock = split_clock(length);
    char text[64];
    if (clock.days > 0) {
        std::snprintf(text, sizeof text, "%lld-%02lld:%02lld:%02lld", clock.days, clock.hours,
                      clock.minutes, clock.seconds);
    } else {
        std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld", clock.hours, clock.minutes,
                      clock.seconds);
    }
    return text;
}

std::string format_duration_short(Duration length) {
    const Clock clock = split_clock(length);
    if (clock.days > 0) return format_duration(length);
    char text[64];
    if (clock.hours > 0) {
        std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", clock.hours, clock.minutes,
                      clock.seconds);
    } else {
        std::snprintf(text, sizeof text, "%lld:%02lld", clock.minutes, clock.seconds);
    }
    return text;
}

std::string format_time_limit(std::optional<Duration> limit) {
    return limit ? format_duration(*limit) : "UNLIMITED";
}

std::string format_time_limit_short(std::optional<Duration> limit) {
    return limit ? format_duration_short(*limit) : "UNLIMITED";
}

std::string format_duration_units(Duration length) {
    const std::int64_t all = length / std::chrono::seconds(1);
    std::string text;
    if (all >= 3600) text += std::to_string(all / 3600) + "h";
    if (all >= 60) text += std::to_string(all / 60 % 60) + "m";
    return text + std::to_string(all % 60) + "s";
}

}  // namespace berth
