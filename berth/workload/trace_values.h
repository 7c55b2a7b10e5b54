// The values that traces are full of, read exactly: no floating point between the text and the
// number.
#pragma once

#include <cstdint>
#include <string_view>

#include "berth/base/result.h"
#include "berth/base/time.h"

namespace berth::workload {

// Longer than any job, and far from where sums overflow: some 3000 years.
inline constexpr std::int64_t kMillisMax = 100'000'000'000'000;

// "12", "12.5", "-0.25", "1e-3" is refused: so many thousandths, rounded down to whole ones.
Result<std::int64_t> parse_thousandths(std::string_view text);

// Seconds, perhaps with a fraction; not negative, at most kMillisMax.
Result<Duration> parse_seconds(std::string_view text);
Result<Duration> parse_millis(std::string_view text);
// A whole number in these bounds; "8.0" is one too.
Result<std::int64_t> parse_count(std::string_view text, std::int64_t low, std::int64_t high);
// "2017-10-09 07:01:55", "2017-10-09T07:01:55" or "2017/10/9 7:01", as if it were UTC.
Result<Time> parse_moment(std::string_view text);

}  // namespace berth::workload
