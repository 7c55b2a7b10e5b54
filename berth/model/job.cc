#include "berth/model/job.h"

#include <algorithm>
#include <array>

#include "berth/base/assert.h"
#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 12> kJobStates = {
    "PENDING", "RUNNING",   "COMPLETING", "COMPLETED",     "FAILED",    "CANCELLED",
    "TIMEOUT", "NODE_FAIL", "PREEMPTED",  "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE"};
static_assert(kJobStates.size() == static_cast<std::size_t>(JobState::deadline) + 1);

}  // namespace

std::string_view slurm_name(JobState state) {
    BERTH_ASSERT(static_cast<std::size_t>(state) < kJobStates.size());
    return kJobStates[static_cast<std::size_t>(state)];
}

std::optional<JobState> job_state_of(std::string_view name) {
    for (std::size_t i = 0; i < kJobStates.size(); ++i) {
        if (iequals(kJobStates[i], name)) return static_cast<JobState>(i);
    }
    return std::nullopt;
}

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

std::optional<Time> limit_ends(const Job& job, const Step& step) {
    if (!step.time_limit || job.is_suspended()) return std::nullopt;
    const Duration after = step.began_after + *step.time_limit;
    if (!job.suspension) return *job.started_at + after;
    return job.suspension->changed_at + std::max(Duration{}, after - job.suspension->ran_before);
}

}  // namespace berth
