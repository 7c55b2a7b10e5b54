#include "berth/engine/cycle/preempted_runs.h"

#include <algorithm>

#include "berth/engine/state/job_queries.h"
#include "berth/engine/state/lent_cores.h"
#include "berth/model/preempted_by.h"

namespace berth {

void end_preempted(OpenCycle& cycle) {
    std::vector<JobId> due;
    for (const auto& [preemptor, victim] : cycle.state().index().preempted()) {
        const Job& run = *cycle.state().find_job(victim);
        if (run.state == JobState::running && !run.lends_cores() &&
            run.allocation->preempted->must_end(cycle.now()))
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

bool rests(const OpenCycle& cycle, const Job& job) {
    const auto& all = cycle.state().schedule().preemptor_rests();
    const auto known = all.find(record_of_array(cycle.state(), job));
    return known != all.end() && known->second.from <= cycle.now() &&
           cycle.now() < known->second.until;
}

namespace {

// By a job that is planned to start on a node of it.
bool is_waited_for(const OpenCycle& cycle, const Job& lender) {
    const JobId preemptor = lender.allocation->preempted->by;
    const Job* const job = cycle.state().find_job(preemptor);
    const PlannedStart* const planned = cycle.state().schedule().planned(preemptor);
    if (job == nullptr || job->state != JobState::pending || planned == nullptr) return false;
    return has_hold(cycle, preemptor) &&
           std::ranges::any_of(planned->amounts.nodes(),
                               [&](NodeId node) { return share_on(lender, node) != nullptr; });
}

bool may_go_on(const OpenCycle& cycle, JobId lender) {
    const ClusterState& state = cycle.state();
    const Job* const run = state.find_job(lender);
    if (run == nullptr || run->state != JobState::running || !run->lends_cores()) return true;
    if (!run->is_suspended() || is_waited_for(cycle, *run)) return false;
    return std::ranges::all_of(run->allocation->shares, [&](const NodeShare& share) {
        return shared_cores(state.jobs(), state.index(), *run, share, Sharers::above).empty();
    });
}

// The components of a heterogeneous job go on together.
std::vector<JobId> lenders_that_may_go_on(const OpenCycle& cycle) {
    std::vector<JobId> due;
    for (const auto& [preemptor, victim] : cycle.state().index().preempted()) {
        const Job& run = *cycle.state().find_job(victim);
        if (run.state != JobState::running || !run.lends_cores() || run.lends_by_turns()) continue;
        bool all = true;
        for (std::uint32_t i = 0; i < (run.het ? run.het->size : 1); ++i)
            all = all && may_go_on(cycle, run.het ? run.het->id(i) : victim);
        if (all) due.push_back(victim);
    }
    return due;
}

}  // namespace

bool any_lender_may_go_on(const OpenCycle& cycle) {
    return cycle.state().index().any_lenders() && !lenders_that_may_go_on(cycle).empty();
}

std::vector<JobId> lenders_past_deadline(const OpenCycle& cycle) {
    std::vector<JobId> due;
    for (const auto& [preemptor, victim] : cycle.state().index().preempted()) {
        const Job& run = *cycle.state().find_job(victim);
        const bool lends = run.state == JobState::running && run.lends_cores();
        if (lends && run.spec.deadline && *run.spec.deadline <= cycle.now()) due.push_back(victim);
    }
    return due;
}

void resume_lenders(OpenCycle& cycle) {
    if (!cycle.state().index().any_lenders()) return;
    for (const JobId id : lenders_that_may_go_on(cycle)) {
        const Attempt attempt = cycle.state().find_job(id)->attempt;
        cycle.decide(JobSuspended{.job = id, .attempt = attempt, .in_force = false});
    }
}

EndJob end_of_preempted(const ClusterState& state, const Job& run, Time now) {
    const PreemptedRun& preempted = *run.allocation->preempted;
    const bool saves = preempted.mode == PreemptMode::checkpoint;
    const bool again = (saves || preempted.mode == PreemptMode::requeue) && may_requeue(state, run);
    const bool is_late = saves && !preempted.saved && preempted.ends_at <= now;
    return {
        .job = run.id,
        .outcome = again ? JobState::pending : JobState::preempted,
        .reason = is_late ? checkpoint_timeout_text(preempted.by) : preempted_by_text(preempted.by),
        .preempted_by = preempted.by};
}

void end_preempted(OpenCycle& cycle, const Job& run) {
    cycle.decide(end_of_preempted(cycle.state(), run, cycle.now()));
}

std::optional<Time> next_preemption(const OpenCycle& cycle) {
    std::optional<Time> next = cycle.derived().preemptions.retry_at();
    const auto no_later_than = [&](Time at) {
        if (at > cycle.now() && (!next || at < *next)) next = at;
    };
    for (const auto& [preemptor, victim] : cycle.state().index().preempted()) {
        const Job& run = *cycle.state().find_job(victim);
        if (run.state != JobState::running) continue;
        if (!run.lends_cores()) no_later_than(run.allocation->preempted->ends_at);
        if (run.lends_cores() && run.spec.deadline) no_later_than(*run.spec.deadline);
    }
    for (const auto& [job, until] : cycle.state().schedule().preemptor_holds())
        no_later_than(until);
    for (const auto& [job, rest] : cycle.state().schedule().preemptor_rests())
        no_later_than(rest.until);
    return next;
}

}  // namespace berth
