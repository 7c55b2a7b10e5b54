#include "berth/engine/derived/standing.h"

#include <algorithm>

namespace berth {

std::int64_t standing_of(const ClusterState& state, const DerivedState& derived, const Job& run,
                         Time now) {
    if (state.spec().scheduling.preemption.by != PreemptBy::priority) return run.start_priority;
    const EngineView view(state, derived, now);
    return std::max(run.start_priority, derived.policy.priority(run, view));
}

std::int64_t lost_work(const ClusterSpec& spec, const Job& run, Time now) {
    TresCounts counts;
    for (const NodeShare& share : run.allocation->shares) counts.amount += share.amount;
    const Rare<RunCheckpoint>& checkpoint = run.allocation->checkpoint;
    const Duration kept = checkpoint ? checkpoint->ran : Duration{};
    const Duration lost = ran_for(run, now) - kept + run.spec.command->restart_cost;
    const std::int64_t seconds = lost / std::chrono::seconds(1);
    return seconds * gpus_of(spec.dimensions, counts);
}

}  // namespace berth
