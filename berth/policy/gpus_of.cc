#include "berth/policy/gpus_of.h"

#include <algorithm>

namespace berth {

GpusOf::GpusOf(const Candidate& candidate, const View& view) {
    if (!candidate.gpus.empty()) {
        BERTH_ASSERT(candidate.gpus.size() <= before_.size());
        size_ = candidate.gpus.size();
        std::ranges::copy(candidate.gpus, before_.begin());
        std::ranges::copy(candidate.gpus, after_.begin());
        for_each_bit(candidate.chosen, [&](int i) {
            after_[static_cast<std::size_t>(i)].milli -= candidate.milli;
            ++taken_;
        });
        return;
    }
    const DimensionSet types = view.totals().gpu_types;
    for (std::uint32_t d = 0; d < kDimensionsMax; ++d) {
        const DimensionId type(d);
        if ((types & dimension_bit(type)) == 0) continue;
        const std::int64_t free = candidate.left[type] + candidate.take[type];
        for (std::int64_t n = 0; n < free && size_ < before_.size(); ++n, ++size_) {
            const bool gone = n < candidate.take[type];
            before_[size_] = {type, kWholeGpu};
            after_[size_] = {type, gone ? 0 : kWholeGpu};
            taken_ += gone ? 1 : 0;
        }
    }
}

namespace {

std::int64_t sum_of(std::span<const GpuLeft> gpus) {
    std::int64_t sum = 0;
    for (const GpuLeft& gpu : gpus) sum += gpu.milli;
    return sum;
}

}  // namespace

std::int64_t GpusOf::milli_before() const { return sum_of(before()); }
std::int64_t GpusOf::milli_after() const { return sum_of(after()); }

Ppm in_steps(Ppm value, std::int64_t steps) {
    if (steps == 0) return value;
    return Ppm(value.count() * steps / kPpmOne.count() * (kPpmOne.count() / steps));
}

}  // namespace berth
