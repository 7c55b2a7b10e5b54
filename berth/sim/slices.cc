#include "berth/sim/slices.h"

#include <algorithm>
#include <optional>

namespace berth::sim {
namespace {

std::int64_t gpus_held(const ClusterSpec& spec, const Job& job) {
    std::int64_t gpus = 0;
    for (const DimensionId gpu : spec.dimensions.of_name("gpu")) gpus += (*job.allocated)[gpu];
    return gpus;
}

}  // namespace

std::vector<JobId> overstayed(const ClusterState& state, Time now, Duration slice) {
    std::optional<Duration> least;
    for (const JobId id : state.index().pending()) {
        const Job& job = *state.find_job(id);
        if (job.hold == Hold::none) least = std::min(least.value_or(job.attained), job.attained);
    }
    std::vector<JobId> found;
    if (!least) return found;
    const Duration most = std::max(*least, slice) * kSliceRatio;
    for (const JobId id : state.index().holding()) {
        const Job& job = *state.find_job(id);
        if (job.state != JobState::running || now - *job.started_at < slice) continue;
        const Duration service =
            job.attained + (now - *job.started_at) * gpus_held(state.spec(), job);
        if (service > most) found.push_back(id);
    }
    return found;
}

}  // namespace berth::sim
