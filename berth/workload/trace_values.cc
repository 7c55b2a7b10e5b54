#include "berth/workload/trace_values.h"

#include <algorithm>
#include <string>

#include "berth/base/calendar.h"
#include "berth/base/text.h"

namespace berth::workload {
namespace {

Error wrong(std::string_view text, std::string_view wanted) {
    constexpr std::size_t kShown = 40;
    return {ErrorCode::invalid_argument,
            "'" + std::string(text.substr(0, kShown)) + "' should be " + std::string(wanted)};
}

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

Result<int> digits(std::string_view& text, std::size_t most) {
    std::size_t n = 0;
    int value = 0;
    while (n < text.size() && n < most && is_digit(text[n])) value = value * 10 + (text[n++] - '0');
    if (n == 0) return Error{ErrorCode::invalid_argument, "digits"};
    text.remove_prefix(n);
    return value;
}

bool skip(std::string_view& text, std::string_view any_of) {
    if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

Result<std::int64_t> parse_thousandths(std::string_view text) {
    constexpr std::string_view kWanted = "a number, perhaps with a decimal point";
    std::string_view rest = text;
    const bool negative = rest.starts_with('-');
    if (negative) rest.remove_prefix(1);
    const std::size_t point = rest.find('.');
    const std::string_view whole = rest.substr(0, point);
    const std::string_view part = point == std::string_view::npos ? "" : rest.substr(point + 1);
    constexpr std::size_t kDigits = 15;
    if (whole.size() > kDigits || (whole.empty() && part.empty())) return wrong(text, kWanted);
    if (!std::ranges::all_of(whole, is_digit) || !std::ranges::all_of(part, is_digit)) {
        return wrong(text, kWanted);
    }
    std::int64_t value = 0;
    for (const char digit : whole) value = value * 10 + (digit - '0');
    for (std::size_t i = 0; i < 3; ++i) value = value * 10 + (i < part.size() ? part[i] - '0' : 0);
    return negative ? -value : value;
}

Result<Duration> parse_seconds(std::string_view text) {
    const auto millis = parse_thousandths(text);
    if (!millis.ok() || *millis < 0 || *millis > kMillisMax) {
        return wrong(text, "a number of seconds, not negative");
    }
    return Duration(*millis);
}

Result<Duration> parse_millis(std::string_view text) {
    const auto micros = parse_thousandths(text);
    if (!micros.ok() || *micros < 0 || *micros / 1000 > kMillisMax) {
        return wrong(text, "a number of milliseconds, not negative");
    }
    return Duration(*micros / 1000);
}

Result<std::int64_t> parse_count(std::string_view text, std::int64_t low, std::int64_t high) {
    const auto thousandths = parse_thousandths(text);
    const bool good = thousandths.ok() && *thousandths % 1000 == 0 && *thousandths / 1000 >= low &&
                      *thousandths / 1000 <= high;
    if (!good) {
        return wrong(text,
                     "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return *thousandths / 1000;
}

Result<Time> parse_moment(std::string_view text) {
    const Error no = wrong(text, "a date and time such as 2017-10-09 07:01:55");
    std::string_view rest = text;
    CivilTime civil{};
    int* const parts[] = {&civil.year, &civil.month,  &civil.day,
                          &civil.hour, &civil.minute, &civil.second};
    constexpr std::string_view kBehind[] = {"-/", "-/", " T", ":", ":", ""};
    for (std::size_t i = 0; i < std::size(parts); ++i) {
        const auto value = digits(rest, i == 0 ? 4 : 2);
        if (!value.ok()) return no;
        *parts[i] = *value;
        if (i == 4 && rest.empty()) break;  // Without seconds.
        if (i < 5 && !skip(rest, kBehind[i])) return no;
    }
    if (!rest.empty() && rest != "Z") return no;
    const auto at = from_civil(civil, Duration(0));
    return at.ok() ? at : no;
}

}  // namespace berth::workload
