#include "berth/slurm/text/time_format.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>

#include "berth/base/text.h"
#include "berth/model/slurm_variables.h"

namespace berth::slurm {
namespace {

constexpr const char* kStandard = "%Y-%m-%dT%H:%M:%S";

std::string& format_in_use() {
    static std::string format = kStandard;
    return format;
}

// Days since 1970 of the date, as it is in this time zone.
std::int64_t day_of(const std::tm& civil) {
    const std::chrono::year_month_day date{
        std::chrono::year(civil.tm_year + 1900),
        std::chrono::month(static_cast<unsigned>(civil.tm_mon + 1)),
        std::chrono::day(static_cast<unsigned>(civil.tm_mday))};
    return std::chrono::sys_days(date).time_since_epoch().count();
}

}  // namespace

void use_time_format(const Invocation& call) {
    const std::string* const asked = call.variable(kSlurmTimeFormat);
    const bool standard = asked == nullptr || asked->empty() || iequals(*asked, "standard");
    format_in_use() = standard ? kStandard : *asked;
    if (formatted_time(Time(), format_in_use().c_str()).empty()) format_in_use() = kStandard;
}

std::tm broken_down(Time at) {
    const std::time_t seconds =
        std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
    std::tm civil{};
    localtime_r(&seconds, &civil);
    return civil;
}

std::string formatted_time(Time at, const char* strftime_format) {
    const std::tm civil = broken_down(at);
    std::array<char, 256> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), strftime_format, &civil);
    return {text.data(), size};
}

std::string relative_time_text(Time at, Time now) {
    constexpr std::int64_t kYear = 365, kWeek = 7;
    const std::int64_t days = day_of(broken_down(at)) - day_of(broken_down(now));
    const char* format = "%a %H:%M";
    if (days == 0) {
        format = "%H:%M:%S";
    } else if (days == 1) {
        format = "Tomorr %H:%M";
    } else if (days == -1) {
        format = "Ystday %H:%M";
    } else if (std::abs(days) > kYear) {
        format = "%-d %b %Y";
    } else if (days < 0 || days >= kWeek) {
        format = "%-d %b %H:%M";
    }
    return formatted_time(at, format);
}

std::string time_in_format(Time at, Time now) {
    if (iequals(format_in_use(), "relative")) return relative_time_text(at, now);
    return formatted_time(at, format_in_use().c_str());
}

}  // namespace berth::slurm
