#include "berth/control/warnings.h"

#include <algorithm>

namespace berth {
namespace {

// Nullopt: none is to come. Who asks for more time than his limit is warned at once.
std::optional<Time> warned_at(const Job& job) {
    const auto& warning = job.spec.command->warning;
    const bool waits = job.state == JobState::running && warning && !job.warned;
    if (!waits) return std::nullopt;
    const std::optional<Time> end = limit_ends(job);
    if (!end) return std::nullopt;
    return std::max(*job.started_at, *end - warning->before);
}

}  // namespace

Warnings::Warnings(const ClusterState& state) {
    for (const JobId id : state.holding_jobs()) set(id, warned_at(*state.find_job(id)));
}

void Warnings::note(const ClusterState& state, const ClusterState::Touched& touched) {
    for (const JobId id : touched.gone) set(id, std::nullopt);
    for (const JobId id : touched.jobs) {
        const Job* const job = state.find_job(id);
        set(id, job == nullptr ? std::nullopt : warned_at(*job));
    }
}

std::vector<JobId> Warnings::due(Time now) const {
    std::vector<JobId> jobs;
    for (const auto& [at, job] : order_) {
        if (at > now) break;
        jobs.push_back(job);
    }
    return jobs;
}

std::optional<Time> Warnings::next() const {
    return order_.empty() ? std::nullopt : std::optional(order_.begin()->first);
}

void Warnings::set(JobId job, std::optional<Time> at) {
    const auto known = at_.find(job);
    if (known != at_.end()) {
        order_.erase({known->second, job});
        at_.erase(known);
    }
    if (!at) return;
    order_.emplace(*at, job);
    at_.emplace(job, *at);
}

}  // namespace berth
