#include "berth/policy/gpu_choice.h"

#include <algorithm>

namespace berth {
namespace {

bool alike(const GpuLeft& a, const GpuLeft& b) { return a.type == b.type && a.milli == b.milli; }

// Drops GPUs of which the same would be left as of an earlier one.
DeviceMask without_equals(std::span<const GpuLeft> gpus, DeviceMask usable) {
    DeviceMask kept = 0;
    for_each_bit(usable, [&](int i) {
        bool is_new = true;
        for_each_bit(kept, [&](int j) {
            is_new = is_new &&
                     !alike(gpus[static_cast<std::size_t>(i)], gpus[static_cast<std::size_t>(j)]);
        });
        if (is_new) kept |= bit(i);
    });
    return kept;
}

DeviceMask tightest(std::span<const GpuLeft> gpus, DeviceMask usable) {
    int best = -1;
    for_each_bit(usable, [&](int i) {
        const auto left = [&](int one) { return gpus[static_cast<std::size_t>(one)].milli; };
        if (best < 0 || left(i) < left(best)) best = i;
    });
    return bit(best);
}

}  // namespace

GpuChoice choose_gpu(const PlacementPolicy& policy, Candidate candidate, DeviceMask usable,
                     const View& view) {
    BERTH_ASSERT(usable != 0);
    switch (policy.weighs_gpus()) {
        case GpuWeighing::tightest: usable = tightest(candidate.gpus, usable); break;
        case GpuWeighing::by_what_is_left: usable = without_equals(candidate.gpus, usable); break;
        case GpuWeighing::each: break;
    }
    std::optional<GpuChoice> best;
    for_each_bit(usable, [&](int i) {
        candidate.chosen = bit(i);
        const std::int64_t score = policy.score(candidate, view);
        if (!best || score > best->score) best = GpuChoice{candidate.chosen, score};
    });
    return *best;
}

}  // namespace berth
