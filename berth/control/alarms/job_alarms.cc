#include "berth/control/alarms/job_alarms.h"

namespace berth {

std::vector<JobId> JobAlarms::due(Time now) const {
    std::vector<JobId> jobs;
    for (const auto& [at, job] : order_) {
        if (at > now) break;
        jobs.push_back(job);
    }
    return jobs;
}

std::optional<Time> JobAlarms::next() const {
    return order_.empty() ? std::nullopt : std::optional(order_.begin()->first);
}

void JobAlarms::set(JobId job, std::optional<Time> at) {
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
