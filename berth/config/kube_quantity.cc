#include "berth/config/kube_quantity.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth::config {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kDigitsMax = 100;         // Before and behind the point together.
constexpr std::size_t kBinaryDecimalsMax = 15;  // So that the steps by 1024 stay within 64 bits.
constexpr std::int64_t kExponentMax = 100;
constexpr std::size_t kNanoDigits = 9;

// "1.5" of "1.5Gi", and "Gi".
struct QuantityParts {
    std::string before, behind;  // The point.
    std::string_view suffix;
};

std::optional<QuantityParts> split_quantity(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    QuantityParts parts;
    std::size_t end = std::min(text.find_first_not_of(kDigits), text.size());
    parts.before = text.substr(0, end);
    text.remove_prefix(end);
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        end = std::min(text.find_first_not_of(kDigits), text.size());
        parts.behind = text.substr(0, end);
        text.remove_prefix(end);
    }
    parts.suffix = text;
    const std::size_t digits = parts.before.size() + parts.behind.size();
    if (digits == 0 || digits > kDigitsMax) return std::nullopt;
    return parts;
}

// Of "Ki" 1, of "Ei" 6.
std::optional<int> binary_power(std::string_view suffix) {
    constexpr std::string_view kLetters = "KMGTPE";
    if (suffix.size() != 2 || suffix[1] != 'i') return std::nullopt;
    const std::size_t at = kLetters.find(suffix[0]);
    if (at == std::string_view::npos) return std::nullopt;
    return static_cast<int>(at) + 1;
}

// Of "m" -3, of "k" 3, of "e3" 3; "E" is exa, "E3" an exponent.
std::optional<std::int64_t> decimal_power(std::string_view suffix) {
    constexpr std::string_view kLetters = "num kMGTPE";
    if (suffix.empty()) return 0;
    if (suffix.size() == 1 && suffix[0] != ' ') {
        const std::size_t at = kLetters.find(suffix[0]);
        if (at == std::string_view::npos) return std::nullopt;
        return (static_cast<std::int64_t>(at) - 3) * 3;
    }
    if (to_lower(suffix[0]) != 'e') return std::nullopt;
    suffix.remove_prefix(1);
    if (suffix.starts_with('+')) suffix.remove_prefix(1);
    const auto power = parse_int64(suffix);
    if (!power.ok() || *power < -kExponentMax || *power > kExponentMax) return std::nullopt;
    return *power;
}

// "1" and "5" times 10³ are "1500" and "".
void shift_point(QuantityParts& parts, std::int64_t power) {
    for (; power > 0; --power) {
        parts.before += parts.behind.empty() ? '0' : parts.behind.front();
        if (!parts.behind.empty()) parts.behind.erase(0, 1);
    }
    for (; power < 0; ++power) {
        parts.behind.insert(0, 1, parts.before.empty() ? '0' : parts.before.back());
        if (!parts.before.empty()) parts.before.pop_back();
    }
}

// nullopt: it is too large.
std::optional<KubeQuantity> value_of_parts(const QuantityParts& parts) {
    KubeQuantity value;
    for (const char digit : parts.before) {
        if (__builtin_mul_overflow(value.whole, 10, &value.whole) ||
            __builtin_add_overflow(value.whole, digit - '0', &value.whole)) {
            return std::nullopt;
        }
    }
    for (std::size_t i = 0; i < kNanoDigits; ++i) {
        value.nano = value.nano * 10 + (i < parts.behind.size() ? parts.behind[i] - '0' : 0);
    }
    if (parts.behind.find_first_not_of('0', kNanoDigits) != std::string::npos) ++value.nano;
    if (value.nano < 1'000'000'000) return value;
    value.nano = 0;
    if (__builtin_add_overflow(value.whole, 1, &value.whole)) return std::nullopt;
    return value;
}

// The value times 1024 to this power. nullopt: too large, or too many decimal places.
std::optional<KubeQuantity> binary_value(QuantityParts parts, int power) {
    while (parts.behind.ends_with('0')) parts.behind.pop_back();
    if (parts.behind.size() > kBinaryDecimalsMax) return std::nullopt;
    std::int64_t fraction = 0, one = 1;
    for (const char digit : parts.behind) {
        fraction = fraction * 10 + (digit - '0');
        one *= 10;
    }
    const auto whole = value_of_parts({.before = parts.before, .behind = {}, .suffix = {}});
    if (!whole) return std::nullopt;
    std::int64_t value = whole->whole;
    for (int i = 0; i < power; ++i) {
        fraction *= 1024;
        if (__builtin_mul_overflow(value, 1024, &value) ||
            __builtin_add_overflow(value, fraction / one, &value)) {
            return std::nullopt;
        }
        fraction %= one;
    }
    std::string decimals = std::to_string(one + fraction).substr(1);
    return value_of_parts(
        {.before = std::to_string(value), .behind = std::move(decimals), .suffix = {}});
}

}  // namespace

Result<KubeQuantity> parse_kube_quantity(std::string_view text) {
    const auto wrong = [&](const char* why) {
        return invalid_argument(std::string(text).append(" ").append(why));
    };
    if (text.starts_with('-')) return wrong("is negative; it should be 0 or more");
    auto parts = split_quantity(text);
    if (!parts) return wrong("should be a quantity, like 8, 500m, 1.5 or 512Gi");
    if (const auto power = binary_power(parts->suffix)) {
        const auto value = binary_value(*parts, *power);
        if (value) return *value;
        return wrong("is too large, or has more than 15 decimal places");
    }
    const auto power = decimal_power(parts->suffix);
    if (!power) return wrong("should be a quantity, like 8, 500m, 1.5 or 512Gi");
    shift_point(*parts, *power);
    const auto value = value_of_parts(*parts);
    if (!value) return wrong("is too large");
    return *value;
}

}  // namespace berth::config
