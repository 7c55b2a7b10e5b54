// Dependencies: after, afterany, afterok, afternotok, aftercorr, singleton.
#include <algorithm>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

// A dependency names one job, or all tasks of an array.
struct Targets {
    std::vector<const Job*> jobs;  // Empty: none is known any more.

    bool all(auto&& is) const { return std::ranges::all_of(jobs, is); }
    bool any(auto&& is) const { return std::ranges::any_of(jobs, is); }
};

Targets targets_of(const ClusterState& state, const Dependency& dependency,
                   std::optional<std::uint32_t> task) {
    Targets targets;
    for (const JobId id : array_members(state, dependency.job)) {
        const Job* job = state.find_job(id);
        if (job == nullptr) continue;
        const bool holds_task =
            !task || job->array_task == task ||
            (job->spec.array && std::ranges::binary_search(job->spec.array->tasks, *task));
        if (holds_task) targets.jobs.push_back(job);
    }
    if (targets.jobs.empty() && !task) {
        if (const Job* job = state.find_job(dependency.job)) targets.jobs.push_back(job);
    }
    return targets;
}

bool is_over(const Job* job) { return is_final(job->state); }
bool went_well(const Job* job) { return job->state == JobState::completed; }
bool went_wrong(const Job* job) { return is_over(job) && !went_well(job); }

DependencyAnswer from(bool ready, bool never = false) {
    if (ready) return {Readiness::ready, {}};
    return {never ? Readiness::never : Readiness::waiting, {}};
}

// Satisfied `delay` after the last target has started or ended without a start.
DependencyAnswer after_start(const Targets& targets, Duration delay, Time now) {
    Time due = Time::min();
    for (const Job* job : targets.jobs) {
        if (job->state == JobState::pending) return from(false);
        const std::optional<Time> began = job->started_at ? job->started_at : job->ended_at;
        if (began) due = std::max(due, after(*began, delay));
    }
    if (due <= now) return from(true);
    return {Readiness::waiting, due};
}

// `task`: the array task whose dependency this is, for aftercorr.
DependencyAnswer answer(const ClusterState& state, const Job& job, const Dependency& dependency,
                        std::optional<std::uint32_t> task, Time now) {
    if (dependency.kind == DependencyKind::singleton) {
        const std::vector<JobId> same = state.index().singletons(job.owner->uid, job.spec.name);
        return from(same.empty() || same.front() >= job.id);
    }
    const bool by_task = dependency.kind == DependencyKind::aftercorr && task.has_value();
    const Targets targets = targets_of(state, dependency, by_task ? task : dependency.array_task);
    switch (dependency.kind) {
        case DependencyKind::after: return after_start(targets, dependency.delay, now);
        case DependencyKind::afterany: return from(targets.all(is_over));
        case DependencyKind::afterok:
        case DependencyKind::aftercorr:
            return from(targets.all(went_well), targets.any(went_wrong));
        case DependencyKind::afternotok:
            return from(targets.jobs.empty() || (targets.all(is_over) && targets.any(went_wrong)),
                        targets.all(went_well));
        case DependencyKind::singleton: break;
    }
    return from(true);
}

// With ",", all dependencies must be satisfied; with "?", any of them.
DependencyAnswer combined(const ClusterState& state, const Job& job,
                          std::optional<std::uint32_t> task, Time now) {
    if (job.spec.dependencies.empty()) return from(true);
    bool any_waits = false, any_never = false, any_ready = false;
    std::optional<Time> due;
    for (const Dependency& dependency : job.spec.dependencies) {
        // With "?", a job that is no longer known was taken into account while it was known.
        const bool forgotten = job.spec.any_dependency &&
                               dependency.kind != DependencyKind::singleton &&
                               targets_of(state, dependency, dependency.array_task).jobs.empty();
        if (forgotten) continue;
        const DependencyAnswer one = answer(state, job, dependency, task, now);
        any_waits = any_waits || one.readiness == Readiness::waiting;
        any_never = any_never || one.readiness == Readiness::never;
        any_ready = any_ready || one.readiness == Readiness::ready;
        if (one.due) due = due ? std::min(*due, *one.due) : one.due;
    }
    const bool all_forgotten = !any_waits && !any_never && !any_ready;
    if (all_forgotten) return from(true);
    if (job.spec.any_dependency) {
        if (any_ready) return from(true);
        return {any_waits ? Readiness::waiting : Readiness::never, due};
    }
    if (any_never) return from(false, true);
    return {any_waits ? Readiness::waiting : Readiness::ready, due};
}

bool has_aftercorr(const Job& job) {
    return std::ranges::any_of(job.spec.dependencies, [](const Dependency& dependency) {
        return dependency.kind == DependencyKind::aftercorr;
    });
}

}  // namespace

std::optional<std::uint32_t> first_ready_task(const ClusterState& state, const Job& array,
                                              Time now) {
    const std::vector<std::uint32_t>& tasks = array.spec.array->tasks;
    if (!has_aftercorr(array)) return tasks.front();
    for (const std::uint32_t task : tasks) {
        if (combined(state, array, task, now).readiness == Readiness::ready) return task;
    }
    return std::nullopt;
}

DependencyAnswer dependencies_of(const ClusterState& state, const Job& job, Time now) {
    if (!job.spec.array || !has_aftercorr(job)) return combined(state, job, job.array_task, now);
    // An array is ready when any of its tasks is.
    DependencyAnswer best{Readiness::never, {}};
    for (const std::uint32_t task : job.spec.array->tasks) {
        const DependencyAnswer one = combined(state, job, task, now);
        if (one.readiness == Readiness::ready) return one;
        if (one.readiness == Readiness::waiting) best = one;
    }
    return best;
}

}  // namespace berth
