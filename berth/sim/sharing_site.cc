#include "berth/sim/sharing_site.h"

namespace berth::sim {

using std::chrono::seconds;

ClusterSpec with_turns(ClusterSpec spec, Rng rng) {
    spec.scheduling.preemption.gang = true;
    spec.scheduling.preemption.hold_timeout = seconds(rng.between(30, 600));
    spec.scheduling.time_slice = seconds(rng.between(5, 90));
    const std::string jobs = std::to_string(rng.between(2, 3));
    const std::string sharing = (rng.chance(70) ? "FORCE:" : "YES:") + jobs;
    for (PartitionSpec& partition : spec.partitions) {
        if (!partition.exclusive) partition.oversubscribe = sharing;
    }
    return spec;
}

void ask_to_share(std::vector<PlannedJob>& jobs, Rng rng) {
    for (PlannedJob& job : jobs) {
        if (job.spec.request->exclusive || !rng.chance(70)) continue;
        job.spec.request.edit().oversubscribe = true;
    }
}

}  // namespace berth::sim
