// Generator: workloads that look like a known cluster's: sizes, run times by size, bursts of
// submissions, users, failures. Whole numbers only, so that a seed gives the same jobs everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "berth/base/result.h"
#include "berth/workload/workload.h"

namespace berth::workload {

struct GeneratorOptions {
    std::size_t jobs = 10'000;
    std::uint64_t seed = 1;
    std::int64_t gpus_max = 128;  // Larger jobs are drawn again.
};

struct Mix {
    std::string_view name, summary;
};
std::span<const Mix> mixes();

// An error names the mixes that there are.
Result<Workload> generate(std::string_view mix, const GeneratorOptions& options);

}  // namespace berth::workload
