#include "berth/engine/cycle/preempted_runs.h"

#include <algorithm>

#include "berth/engine/state/job_queries.h"
#include "berth/model/preempted_by.h"

namespace berth {

void end_preempted(OpenCycle& cycle) {
    std::vector<JobId> due;
    for (const auto& [preemptor, victim] : cycle.state().index().preempted()) {
        const Job& run = *cycle.state().find_job(victim);
        if (run.state == JobState::running && run.allocation->preempted->ends_at <= cycle.now())
            due.push_back(victim);
    }
    for (const JobId id : due) {
        const Job* const run = cycle.state().find_job(id);
        if (run != nullptr && run->state == JobState::running) end_preempted(cycle, *run);
    }
    if (const auto retry = cycle.derived().preemptions.retry_at(); retry && *retry <= cycle.now())
        cycle.derived().preemptions.forget_failures();
}

bool has_hold(const OpenCycle& cycle, JobId job) {
    const auto& holds = cycle.state().schedule().preemptor_holds();
    const auto known = holds.find(job);
    return known != holds.end() && cycle.now() < known->second;
}

EndJob end_of_preempted(const ClusterState& state, const Job& run) {
    const PreemptedRun preempted = *run.allocation->preempted;
    const bool again = preempted.mode == PreemptMode::requeue && may_requeue(state, run);
    return {.job = run.id,
            .outcome = again ? JobState::pending : JobState::preempted,
            .reason = preempted_by_text(preempted.by),
            .preempted_by = preempted.by};
}

void end_preempted(OpenCycle& cycle, const Job& run) {
    cycle.decide(end_of_preempted(cycle.state(), run));
}

std::optional<Time> next_preemption(const OpenCycle& cycle) {
    std::optional<Time> next = cycle.derived().preemptions.retry_at();
    const auto no_later_than = [&](Time at) {
        if (at > cycle.now() && (!next || at < *next)) next = at;
    };
    for (const auto& [preemptor, victim] : cycle.state().index().preempted()) {
        const Job& run = *cycle.state().find_job(victim);
        if (run.state == JobState::running) no_later_than(run.allocation->preempted->ends_at);
    }
    for (const auto& [job, until] : cycle.state().schedule().preemptor_holds())
        no_later_than(until);
    return next;
}

}  // namespace berth
