// Slurm's forms of a memory size.
#include "berth/base/size_text.h"

#include <cstdio>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::string_view kUnits = "kmgtp";
constexpr std::int64_t kMib = 1024 * 1024;

Error bad_size(std::string_view text) {
    return {ErrorCode::invalid_argument,
            "\"" + std::string(text) +
                "\" is not a memory size: a whole number of MiB, or one with K, M, G, T or P"};
}

}  // namespace

Result<Bytes> parse_size(std::string_view text) {
    const std::size_t unit_at = text.find_first_not_of("0123456789");
    const std::string unit =
        unit_at == std::string_view::npos ? "m" : to_lower(text.substr(unit_at));
    const Result<std::int64_t> number = parse_int64(text.substr(0, unit_at));
    const std::size_t power = kUnits.find(unit[0]);
    if (!number.ok() || power == std::string_view::npos) return bad_size(text);
    if (unit.size() > 1 && unit.substr(1) != "b" && unit.substr(1) != "ib") return bad_size(text);

    std::int64_t bytes = *number;
    for (std::size_t i = 0; i <= power; ++i) {
        if (__builtin_mul_overflow(bytes, 1024, &bytes)) {
            return Error{ErrorCode::invalid_argument, "\"" + std::string(text) + "\" is too large"};
        }
    }
    return Bytes(bytes);
}

// Slurm calls a half exact enough to go on to the next unit: 64000 MiB are 62.50G, yet 16000 MiB
// stay 16000M. After the first step it looks at the whole part alone, and so do we.
std::string format_size(Bytes size) {
    const std::int64_t in_unit = in_mib(size);
    if (in_unit == 0) return "0";
    std::size_t unit = 1;
    std::int64_t divisor = 1;
    while (in_unit / divisor >= 1024 && in_unit / divisor % 512 == 0 && unit + 1 < kUnits.size()) {
        divisor *= 1024;
        ++unit;
    }
    const char letter = static_cast<char>(kUnits[unit] - 'a' + 'A');
    if (in_unit % divisor == 0) return std::to_string(in_unit / divisor) + letter;
    char text[64];
    std::snprintf(text, sizeof text, "%.2f%c",
                  static_cast<double>(in_unit) / static_cast<double>(divisor), letter);
    return text;
}

std::int64_t in_mib(Bytes size) {
    const std::int64_t bytes = size.count();
    return bytes / kMib + (bytes % kMib > 0 ? 1 : 0);
}

}  // namespace berth
