#include "berth/model/gpu_frequency.h"

#include <algorithm>
#include <array>
#include <utility>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth {
namespace {

constexpr std::string_view kMemory = "memory=";

constexpr auto kClocks = std::to_array<std::pair<std::string_view, GpuClock::Named>>(
    {{"low", GpuClock::Named::low},
     {"medium", GpuClock::Named::medium},
     {"highm1", GpuClock::Named::highm1},
     {"high", GpuClock::Named::high}});

std::optional<GpuClock> parse_clock(std::string_view text) {
    const auto named = std::ranges::find(kClocks, text, [](const auto& one) { return one.first; });
    if (named != kClocks.end()) return GpuClock{.named = named->second};
    const bool digits =
        !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) return std::nullopt;
    const auto mhz = parse_int64(text);
    const bool fits = mhz.ok() && *mhz < UINT32_MAX;
    return GpuClock{.mhz = fits ? static_cast<std::uint32_t>(*mhz) : UINT32_MAX};
}

}  // namespace

Result<GpuFrequency> parse_gpu_frequency(std::string_view text) {
    GpuFrequency frequency;
    bool any = false;
    for (const std::string_view word : split(text, ',')) {
        if (word.empty()) continue;
        any = true;
        if (word == "verbose") {
            frequency.verbose = true;
            continue;
        }
        const bool memory = word.starts_with(kMemory);
        const auto clock = parse_clock(memory ? word.substr(kMemory.size()) : word);
        if (!clock) {
            any = false;
            break;
        }
        (memory ? frequency.memory : frequency.graphics) = clock;
    }
    if (any) return frequency;
    return invalid_argument("Invalid --gpu-freq argument: gpu:" + std::string(text));
}

}  // namespace berth
