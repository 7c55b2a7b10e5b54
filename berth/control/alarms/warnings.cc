#include "berth/control/alarms/warnings.h"

#include <algorithm>

namespace berth {
namespace {

// nullopt: no signal is due. A job whose warning time exceeds its time limit is signalled at once.
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
    for (const JobId id : state.index().holding()) alarms_.set(id, warned_at(*state.find_job(id)));
}

void Warnings::note(const ClusterState& state, const ClusterState::Touched& touched) {
    for (const JobId id : touched.gone) alarms_.set(id, std::nullopt);
    for (const JobId id : touched.jobs) {
        const Job* const job = state.find_job(id);
        alarms_.set(id, job == nullptr ? std::nullopt : warned_at(*job));
    }
}

}  // namespace berth
