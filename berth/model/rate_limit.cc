#include "berth/model/rate_limit.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::uint32_t kRateMax = 1'000'000;

Result<std::uint32_t> count_of(std::string_view word, std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed == std::errc() && end == text.data() + text.size() && value >= 1 &&
        value <= kRateMax) {
        return value;
    }
    return Error{ErrorCode::invalid_argument,
                 std::string(word) + " should be a number from 1 to " + std::to_string(kRateMax)};
}

}  // namespace

Result<RateLimit> rate_limit_of(std::string_view slurmctld_parameters) {
    RateLimit limit;
    for (const std::string_view item : split(slurmctld_parameters, ',')) {
        const std::string_view word = trim(item);
        const std::size_t equals = std::min(word.find('='), word.size());
        const std::string_view name = word.substr(0, equals);
        if (iequals(word, "rl_enable")) {
            limit.on = true;
            continue;
        }
        const bool is_size = iequals(name, "rl_bucket_size"),
                   is_rate = iequals(name, "rl_refill_rate"),
                   is_period = iequals(name, "rl_refill_period"),
                   is_table = iequals(name, "rl_table_size");
        if (!is_size && !is_rate && !is_period && !is_table) continue;
        BERTH_TRY(const std::uint32_t value,
                  count_of(name, word.substr(std::min(equals + 1, word.size()))));
        if (is_size) limit.bucket_size = value;
        if (is_rate) limit.refill_rate = value;
        if (is_period) limit.refill_period = std::chrono::seconds(value);
        if (is_table) limit.table_size = value;
    }
    return limit;
}

}  // namespace berth
