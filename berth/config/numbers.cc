// Numbers as configuration files write them.
#include "berth/base/text.h"
#include "berth/config/draft.h"

namespace berth::config {

std::optional<std::int64_t> parse_count(std::string_view text) {
    if (text.empty()) return std::nullopt;
    std::int64_t unit = 1;
    switch (to_lower(text.back())) {
        case 'k': unit = 1024; break;
        case 'm': unit = 1024 * 1024; break;
        case 'g': unit = 1024LL * 1024 * 1024; break;
        default: break;
    }
    if (unit > 1) text.remove_suffix(1);
    const Result<std::int64_t> number = parse_int64(text);
    if (!number.ok() || number.value() < 0 || number.value() > (1LL << 50) / unit)
        return std::nullopt;
    return number.value() * unit;
}

std::int64_t number_or(Draft& draft, const Line& line, const Pair& pair, std::int64_t low,
                       std::int64_t high, std::int64_t otherwise) {
    const Result<std::int64_t> number = parse_int64(pair.value.value_or(""));
    if (number.ok() && number.value() >= low && number.value() <= high) return number.value();
    draft.error(line, pair,
                pair.key + "=" + pair.value.value_or("") + " should be a whole number from " +
                    std::to_string(low) + " to " + std::to_string(high));
    return otherwise;
}

}  // namespace berth::config
