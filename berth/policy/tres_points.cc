#include "berth/policy/tres_points.h"

#include <algorithm>
#include <limits>

namespace berth {

std::vector<TresPoints> tres_points(const Job& job, const View& view, bool plain) {
    const SchedulingSpec& scheduling = view.spec().scheduling;
    std::vector<TresPoints> all;
    if (scheduling.priority_tres.empty()) return all;
    const TresCounts asked = view.tres(job);
    const TresCounts& there = view.total(job.partition);
    for (const TresScale& scale : scales_of(view.spec().dimensions, scheduling.priority_tres)) {
        const Wide count = scale.count(asked);
        const Wide whole = plain ? 1 : scale.count(there);
        if (count == 0 || whole <= 0) continue;
        constexpr Wide kMost = std::numeric_limits<std::int64_t>::max() / 64;
        const Wide twice = scale.micro() * count * 2 / whole;
        const Wide points = std::clamp(twice >= 0 ? (twice + 1) / 2 : twice / 2, -kMost, kMost);
        all.push_back({scale.name(), scale.micro(), static_cast<std::int64_t>(points)});
    }
    return all;
}

}  // namespace berth
