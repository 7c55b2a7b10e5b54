// GpusOf: a candidate's GPUs before and after placement; and scores rounded to steps.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "berth/policy/rule.h"

namespace berth {

// The node's GPUs one by one, before and after placement. If they are not known one by one, all
// free GPUs count as whole.
class GpusOf {
public:
    GpusOf(const Candidate& candidate, const View& view);

    std::span<const GpuLeft> before() const { return {before_.data(), size_}; }
    std::span<const GpuLeft> after() const { return {after_.data(), size_}; }
    std::int64_t milli_before() const;
    std::int64_t milli_after() const;
    std::int64_t milli_taken() const { return milli_before() - milli_after(); }
    std::int32_t taken() const { return taken_; }  // Number of GPUs of which the job gets some.

private:
    std::array<GpuLeft, kDevicesPerNodeMax> before_, after_;
    std::size_t size_ = 0;
    std::int32_t taken_ = 0;
};

// Rounds a value within [0, 1] down to a multiple of 1/steps; 0 steps: unchanged.
Ppm in_steps(Ppm value, std::int64_t steps);
inline constexpr std::int64_t kStepsMax = 1'000'000;

}  // namespace berth
