#include "berth/engine/order.h"

#include <algorithm>
#include <tuple>

#include "berth/base/codec.h"

namespace berth {

Demand plain_demand_of(const ClusterSpec& spec, const Job& job) {
    Demand demand = demand_of(spec, job);
    if (demand.nodes_max > 1) return demand;
    for (const GresDemand& gres : demand.gres_total) demand.gres_per_node.push_back(gres);
    demand.gres_total.clear();
    return demand;
}

std::shared_ptr<Shape> PendingJobs::shape_of(const ClusterState& state, const Job& job) {
    Writer key;
    key.write(job.spec.request);
    key.write(job.partition);
    key.write(job.time_limit);
    std::weak_ptr<Shape>& known = shapes_[key.take()];
    std::shared_ptr<Shape> shape = known.lock();
    if (shape == nullptr) {
        shape = std::make_shared<Shape>();
        shape->demand = plain_demand_of(state.spec(), job);
        shape->length = job.time_limit;
        known = shape;
    }
    if (shapes_.size() > sweep_at_) {
        std::erase_if(shapes_, [](const auto& entry) { return entry.second.expired(); });
        sweep_at_ = 64 + 2 * shapes_.size();
    }
    return shape;
}

void PendingJobs::refresh(const ClusterState& state, JobId id) {
    const Job* job = state.find_job(id);
    if (job == nullptr || job->state != JobState::pending) {
        jobs_.erase(id);
        return;
    }
    PendingJob& pending = jobs_[id];
    pending.id = id;
    pending.partition = job->partition;
    pending.usage = state.usage_of(*job);
    pending.shape = shape_of(state, *job);
    pending.checked_at = 0;
    pending.checked_time = Time::min();
}

void PendingJobs::rebuild(const ClusterState& state) {
    jobs_.clear();
    shapes_.clear();
    for (const JobId id : state.pending_jobs()) refresh(state, id);
}

void PendingJobs::forget_chances() {
    for (auto& [key, known] : shapes_) {
        if (const auto shape = known.lock()) shape->chance = Shape::Chance::unknown;
    }
}

PendingJob* PendingJobs::find(JobId job) {
    const auto found = jobs_.find(job);
    return found == jobs_.end() ? nullptr : &found->second;
}

const PendingJob* PendingJobs::find(JobId job) const {
    const auto found = jobs_.find(job);
    return found == jobs_.end() ? nullptr : &found->second;
}

namespace {

auto place_in_order(const ClusterState& state, const PendingJob& pending) {
    const Job& job = *state.find_job(pending.id);
    return std::tuple(!job.expedited, -state.spec().partition(job.partition).priority_tier,
                      pending.rank, -pending.priority, job.submitted_at, job.id);
}

}  // namespace

namespace {

// With INCR_ONLY it never falls, but by a hold or by hand.
std::int64_t priority_of(const ClusterState& state, const Job& job, const Policy& policy,
                         const View& view) {
    const std::int64_t priority = policy.priority(job, view);
    const bool may_only_rise = state.spec().scheduling.priorities_only_rise;
    if (!may_only_rise || priority == 0 || job.spec.priority) return priority;
    return std::max(priority, state.priority(job.id));
}

// All that wait are ranked together, also those whose gate is shut just now.
void rank_jobs(const ClusterState& state, PendingJobs& jobs, const OrderRule& rule,
               const View& view) {
    std::vector<std::pair<const Job*, PendingJob*>> waiting;
    for (auto& [id, pending] : jobs.all()) waiting.emplace_back(state.find_job(id), &pending);
    std::ranges::stable_sort(waiting, {}, [](const auto& one) { return one.first->submitted_at; });
    std::vector<const Job*> ranked;
    for (const auto& [job, pending] : waiting) ranked.push_back(job);
    const std::vector<std::int64_t> ranks = rule.ranks(ranked, view);
    BERTH_ASSERT(ranks.size() == waiting.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) waiting[i].second->rank = ranks[i];
}

}  // namespace

bool comes_before(const ClusterState& state, const PendingJob& a, const PendingJob& b) {
    return place_in_order(state, a) < place_in_order(state, b);
}

std::vector<PendingJob*> in_order(const ClusterState& state, PendingJobs& jobs,
                                  const Policy& policy, const View& view) {
    if (policy.order() != nullptr) rank_jobs(state, jobs, *policy.order(), view);
    using Place = decltype(place_in_order(state, PendingJob{}));
    std::vector<std::pair<Place, PendingJob*>> sorted;
    for (auto& [id, pending] : jobs.all()) {
        pending.priority = priority_of(state, *state.find_job(id), policy, view);
        if (pending.gate.reason != PendingReason::none) continue;
        sorted.emplace_back(place_in_order(state, pending), &pending);
    }
    std::ranges::sort(sorted, {}, &std::pair<Place, PendingJob*>::first);
    std::vector<PendingJob*> order;
    order.reserve(sorted.size());
    for (const auto& [place, pending] : sorted) order.push_back(pending);
    return order;
}

}  // namespace berth
