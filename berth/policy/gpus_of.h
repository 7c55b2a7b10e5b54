// GpusOf: a candidate's GPUs before and after; and scores in steps.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "berth/policy/rule.h"

namespace berth {

// The node's GPUs one by one, before and after, as well as that is known: where it is not, all that
// are free are whole.
class GpusOf {
public:
    GpusOf(const Candidate& candidate, const View& view);

    std::span<const GpuLeft> before() const { return {before_.data(), size_}; }
    std::span<const GpuLeft> after() const { return {after_.data(), size_}; }
    std::int64_t milli_before() const;
    std::int64_t milli_after() const;
    std::int64_t milli_taken() const { return milli_before() - milli_after(); }
    std::int32_t taken() const { return taken_; }  // How many GPUs the job gets something of.

private:
    std::array<GpuLeft, kDevicesPerNodeMax> before_, after_;
    std::size_t size_ = 0;
    std::int32_t taken_ = 0;
};

// Between 0 and 1 in so many even steps, rounded down; 0 steps: as it is.
Ppm in_steps(Ppm value, std::int64_t steps);
inline constexpr std::int64_t kStepsMax = 1'000'000;

}  // namespace berth
