// kMicro: weights of TRES and points of priority are counted in millionths.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace berth {

inline constexpr std::int64_t kMicro = 1'000'000;

// "0.25" in millionths. nullopt: not a number with up to six decimals, or 2^32 or more, which is
// beyond Slurm's weights.
std::optional<std::int64_t> parse_micro(std::string_view text);

}  // namespace berth
