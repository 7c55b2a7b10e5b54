#include "berth/control/alarms/step_limits.h"

#include <algorithm>
#include <vector>

namespace berth {
namespace {

// When the step's time is over; nullopt: it has no limit of its own, or is over already.
std::optional<Time> ends_at(const Job& job, const Step& step) {
    if (step.state != StepState::running || step.out_of_time) return std::nullopt;
    return limit_ends(job, step);
}

std::optional<Time> first_end(const Job& job) {
    if (job.state != JobState::running) return std::nullopt;
    std::optional<Time> first;
    for (const Step& step : job.steps) {
        const std::optional<Time> end = ends_at(job, step);
        if (end && (!first || *end < *first)) first = end;
    }
    return first;
}

}  // namespace

StepLimits::StepLimits(const ClusterState& state) {
    for (const JobId id : state.index().holding()) alarms_.set(id, first_end(*state.find_job(id)));
}

void StepLimits::note(const ClusterState& state, const ClusterState::Touched& touched) {
    for (const JobId id : touched.gone) alarms_.set(id, std::nullopt);
    for (const JobId id : touched.jobs) {
        const Job* const job = state.find_job(id);
        alarms_.set(id, job == nullptr ? std::nullopt : first_end(*job));
    }
}

void StepLimits::end_due(TurnBuilder& builder) const {
    for (const JobId id : alarms_.due(builder.now())) {
        const Job* const job = builder.state().find_job(id);
        // Of jobs that this turn has ended or removed, the alarms go at its end.
        if (job == nullptr || job->state != JobState::running) continue;
        std::vector<StepTimedOut> over;
        for (const Step& step : job->steps) {
            const std::optional<Time> end = ends_at(*job, step);
            if (end && *end <= builder.now()) over.push_back({id, job->attempt, step.id});
        }
        for (const StepTimedOut& fact : over) builder.record(fact);
    }
}

}  // namespace berth
