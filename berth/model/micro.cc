#include "berth/model/micro.h"

#include <algorithm>
#include <string>

#include "berth/base/text.h"

namespace berth {

std::optional<std::int64_t> parse_micro(std::string_view text) {
    constexpr std::int64_t kWholeMax = 4'294'967'295;
    const std::size_t point = text.find('.');
    const std::string_view whole_text = text.substr(0, point);
    std::string decimals(point == std::string_view::npos ? "" : text.substr(point + 1));
    while (decimals.size() > 6 && decimals.back() == '0') decimals.pop_back();
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (decimals.size() > 6 || !std::ranges::all_of(decimals, is_digit) ||
        !std::ranges::all_of(whole_text, is_digit) || (whole_text.empty() && decimals.empty())) {
        return std::nullopt;
    }
    decimals.resize(6, '0');
    const auto whole = parse_int64(whole_text.empty() ? "0" : whole_text);
    if (!whole.ok() || *whole > kWholeMax) return std::nullopt;
    return *whole * kMicro + parse_int64(decimals).value();
}

}  // namespace berth
