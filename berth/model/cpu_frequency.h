// CpuFrequency: how fast --cpu-freq wants the CPUs of a step to run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth {

struct CpuSpeed {
    enum class Named : std::uint8_t { no, low, medium, highm1, high };
    Named named = Named::no;
    std::uint32_t khz = 0;  // If it has no name.
};

struct CpuFrequency {
    std::optional<CpuSpeed> least, most;  // `most` alone: this speed.
    std::string governor;                 // As the kernel writes it; empty: none is asked for.
};

// "2400000", "low-high", "low-2400000:ondemand" or a governor, each word in any case. Governors are
// those that Slurm allows by default: OnDemand, Performance, UserSpace.
Result<CpuFrequency> parse_cpu_frequency(std::string_view text);

std::string cpu_frequency_text(const CpuFrequency& frequency);  // "Low-2400000:OnDemand"

}  // namespace berth
