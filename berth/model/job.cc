#include "berth/model/job.h"

#include <algorithm>

namespace berth {

Duration ran_for(const Job& job, Time now) {
    const Time until = job.ended_at ? *job.ended_at : now;
    Duration before{};
    Time since = *job.started_at;
    if (job.suspension) {
        before = job.suspension->ran_before;
        since = job.suspension->changed_at;
        if (job.suspension->in_force) return before;
    }
    return before + std::max(Duration{}, until - since);
}

std::optional<Time> limit_ends(const Job& job) {
    if (job.time_limit == Duration::max() || job.is_suspended()) return std::nullopt;
    if (!job.suspension) return *job.started_at + job.time_limit;
    return job.suspension->changed_at +
           std::max(Duration{}, job.time_limit - job.suspension->ran_before);
}

}  // namespace berth
