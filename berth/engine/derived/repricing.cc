#include "berth/engine/derived/repricing.h"

#include <algorithm>

namespace berth {

bool Repricing::is_due(Time period, bool never_change) {
    if (under_way_) return true;
    if (period_ == period) return false;
    // At first, each priority was computed when its job was evaluated.
    const bool first = !period_;
    period_ = period;
    under_way_ = !first && !never_change;
    return under_way_;
}

void Repricing::add(PendingJob& job, std::int64_t priority) {
    job.repriced = true;
    moved_.emplace_back(job.id, priority);
    if (!job.ordered) return;
    runs_.back().push_back({job.key, &job});
    runs_.back().back().key.priority = -priority;
}

void Repricing::sort_last_run() { std::ranges::sort(runs_.back(), {}, &JobOrder::Entry::key); }

std::vector<JobId> Repricing::take(PendingJobs& jobs, bool ranked) {
    std::vector<JobId> changed;
    JobSet moved;  // Of the jobs in the order.
    for (const auto& [id, priority] : moved_) {
        PendingJob* job = jobs.find(id);
        if (job == nullptr || !job->repriced) continue;
        job->repriced = false;
        job->set_priority(priority);
        changed.push_back(id);
        if (job->ordered) moved.insert(id);
    }
    if (!moved.empty() && ranked) {
        jobs.order().resort();  // An order rule also changes ranks, which the runs do not contain.
    } else if (!moved.empty()) {
        jobs.order().resort(std::move(runs_), moved);
    }
    forget();
    return changed;
}

void Repricing::restart() {
    forget();
    period_ = Time::min();
}

void Repricing::reset() {
    forget();
    period_.reset();
}

void Repricing::forget() {
    under_way_ = false;
    next_ = JobId(0);
    moved_ = {};
    runs_ = {};
}

}  // namespace berth
