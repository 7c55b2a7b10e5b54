// kMicro: weights of TRES and points of priority are counted in millionths.
#pragma once

#include <cstdint>

namespace berth {

inline constexpr std::int64_t kMicro = 1'000'000;

}  // namespace berth
