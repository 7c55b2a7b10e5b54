#include "berth/control/alarms/keepalives.h"

#include <algorithm>

#include "berth/control/requests/job_ref.h"
#include "berth/control/requests/refused.h"

namespace berth {
namespace {

// Used without a limit, since one may be set later.
constexpr Duration kLongestPause = std::chrono::minutes(1);

// A job that is being configured is not watched: its client waits for it. As in Slurm, jobs of
// partitions for root alone are left to root's own scheduler.
bool is_watched(const ClusterState& state, const Job& job) {
    return job.state == JobState::running && !job.is_configuring() &&
           job.spec.command->interactive && job.spec.command->attended &&
           !state.spec().partition(job.partition).root_only;
}

}  // namespace

Keepalives::Keepalives(const ClusterState& state)
    : limit_(state.spec().scheduling.inactive_limit) {}

// The interval is a third of the limit, so two keepalives in a row may be lost.
Answer Keepalives::keep_alive(const TurnBuilder& builder, const Principal& principal,
                              const KeepAlive& command) {
    auto found = find_targets(builder.state(), command.job);
    if (auto* refusing = std::get_if<Refusing>(&found)) return refused(std::move(*refusing));
    for (const JobTarget& target : std::get<std::vector<JobTarget>>(found)) {
        const Job& job = *builder.state().find_job(target.job);
        if (auto no = forbidden(builder.state().spec(), principal, Verb::complete_job, job))
            return *no;
        const auto known = heard_.find(job.id);
        if (known == heard_.end()) continue;
        known->second = builder.now();
        set(builder.state(), job.id);
    }
    if (limit_ == Duration{}) return KeptAlive{kLongestPause};
    return KeptAlive{std::clamp<Duration>(limit_ / 3, std::chrono::seconds(1), kLongestPause)};
}

// The client of a suspended job may be stopped, too.
void Keepalives::set(const ClusterState& state, JobId id) {
    const Job& job = *state.find_job(id);
    const bool counts = limit_ > Duration{} && !job.is_suspended();
    alarms_.set(id, counts ? std::optional(heard_.at(id) + limit_) : std::nullopt);
}

void Keepalives::note(const ClusterState& state, Time now, const ClusterState::Touched& touched) {
    const auto look_at = [&](JobId id) {
        const Job* const job = state.find_job(id);
        if (job == nullptr || !is_watched(state, *job)) {
            heard_.erase(id);
            return alarms_.set(id, std::nullopt);
        }
        heard_.emplace(id, now);
        set(state, id);
    };
    for (const JobId id : touched.gone) look_at(id);
    for (const JobId id : touched.jobs) look_at(id);
    const Duration limit = state.spec().scheduling.inactive_limit;
    if (knows_running_ && limit == limit_) return;
    knows_running_ = true;
    // Clients that were not asked for keepalives until now get the full limit.
    limit_ = limit;
    for (auto& [id, at] : heard_) at = now;
    for (const JobId id : state.index().holding()) look_at(id);
}

void Keepalives::end_silent(TurnBuilder& builder) {
    for (const JobId id : alarms_.due(builder.now())) {
        const Job* const job = builder.state().find_job(id);
        if (job == nullptr || !is_watched(builder.state(), *job)) continue;
        builder.log(LogLevel::info, "job " + to_string(id) +
                                        " is ended: its salloc or srun has not been heard for " +
                                        std::to_string(seconds(limit_)) + " s (InactiveLimit)");
        EndJob end{.job = id, .outcome = JobState::timeout};
        end.reason = kInactiveLimit;
        builder.record(std::move(end));
    }
}

}  // namespace berth
