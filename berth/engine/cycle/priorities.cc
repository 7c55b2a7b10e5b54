#include "berth/engine/cycle/priorities.h"

#include <algorithm>

#include "berth/engine/state/job_queries.h"

namespace berth {

void rerank(OpenCycle& cycle) {
    const OrderRule* const rule = cycle.derived().policy.order();
    if (rule == nullptr) return;
    cycle.derived().refresh_services(cycle.state());
    std::vector<std::pair<const Job*, PendingJob*>> waiting;
    for (const auto& [id, pending] : cycle.derived().pending.all()) {
        waiting.emplace_back(cycle.state().find_job(id), &pending);
    }
    std::ranges::stable_sort(waiting, {}, [](const auto& one) { return one.first->submitted_at; });
    std::vector<const Job*> ranked;
    ranked.reserve(waiting.size());
    for (const auto& [job, pending] : waiting) ranked.push_back(job);
    const std::vector<std::int64_t> ranks = rule->ranks(ranked, cycle.view());
    BERTH_ASSERT(ranks.size() == waiting.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        waiting[i].second->key.rank = ranks[i];
    }
    cycle.order().resort();
}

void reprioritize(OpenCycle& cycle) {
    DerivedState& derived = cycle.derived();
    Repricing& repricing = derived.repricing;
    const Time period = priority_time(cycle.state().spec(), cycle.now());
    if (!repricing.is_due(period, derived.policy.is_fifo())) return;
    const bool is_long = repricing.has_begun_earlier();
    const auto compute = [&](JobId id) {
        return priority_of(cycle.state(), *cycle.state().find_job(id), derived.policy,
                           cycle.view());
    };
    if (!repricing.compute_some(derived.pending, compute)) return;
    const bool ranked = derived.policy.order() != nullptr;
    derived.unwritten.add_later(repricing.take(derived.pending, ranked));
    if (is_long) cycle.leave_rest();  // Enough for one cycle: the next one plans.
}

void prioritize_running(OpenCycle& cycle) {
    if (!cycle.scheduling().prioritize_running) return;
    for (const JobId id : cycle.state().index().holding()) {
        const Job& job = *cycle.state().find_job(id);
        if (job.state != JobState::running) continue;
        const std::int64_t priority = cycle.derived().policy.priority(job, cycle.view());
        if (current_priority(cycle.state(), id) != priority)
            cycle.mutable_state().set_priority(id, priority);
    }
}

}  // namespace berth
