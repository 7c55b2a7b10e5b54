#include "berth/model/limit_inheritance.h"

#include <algorithm>

namespace berth {
namespace {

void inherit_tres(TresLimits& own, const TresLimits& above) {
    for (const auto& limit : above) {
        const bool is_set =
            std::ranges::any_of(own, [&](const auto& entry) { return entry.first == limit.first; });
        if (!is_set) own.push_back(limit);
    }
}

}  // namespace

void inherit_limits(Limits& own, const Limits& above) {
    inherit_tres(own.max_tres_per_job, above.max_tres_per_job);
    inherit_tres(own.max_tres_per_node, above.max_tres_per_node);
    inherit_tres(own.max_tres_minutes_per_job, above.max_tres_minutes_per_job);
    if (!own.max_jobs) own.max_jobs = above.max_jobs;
    if (!own.max_submitted) own.max_submitted = above.max_submitted;
    if (!own.max_wall) own.max_wall = above.max_wall;
}

}  // namespace berth
