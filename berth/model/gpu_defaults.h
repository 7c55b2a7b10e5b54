// GpuDefaults: what a job gets for each of its GPUs if it does not say itself: DefCpuPerGPU and
// DefMemPerGPU of a partition, which JobDefaults lists.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/base/fields.h"
#include "berth/base/quantity.h"
#include "berth/base/result.h"

namespace berth {

struct GpuDefaults {
    std::uint32_t cpus = 0;  // 0: none.
    Bytes memory{};          // Likewise.

    bool none() const { return *this == GpuDefaults{}; }

    BERTH_FIELDS(GpuDefaults, cpus, memory)
};

// "DefCpuPerGPU=2,DefMemPerGPU=1024", memory in MiB: what it names replaces what was there before.
// "(null)" or nothing: none. The error says what would be right.
Result<GpuDefaults> parse_job_defaults(std::string_view text, GpuDefaults before = {});
std::string job_defaults_text(const GpuDefaults& defaults);  // "(null)": none.

}  // namespace berth
