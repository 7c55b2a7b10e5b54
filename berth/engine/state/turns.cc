#include "berth/engine/state/turns.h"

#include <algorithm>

#include "berth/engine/state/job_ids.h"
#include "berth/engine/state/lent_cores.h"
#include "berth/model/oversubscribe.h"

namespace berth {

bool asks_for_gres(const JobRequest& request) {
    return !request.gres_per_node.empty() || !request.gpus.empty() ||
           !request.gpus_per_node.empty() || !request.gpus_per_task.empty();
}

std::uint32_t jobs_on_core(const ClusterSpec& spec, const Job& job) {
    const JobRequest& request = *job.spec.request;
    if (!spec.scheduling.preemption.gang || job.het || asks_for_gres(request)) return 1;
    if (job.spec.time_min || !request.reservation.empty()) return 1;
    const CoreSharing sharing = core_sharing_of(spec.partition(job.partition).oversubscribe);
    return sharing.if_asked && !request.oversubscribe ? 1 : sharing.jobs;
}

Duration allowed_for_turns(const SchedulingSpec& scheduling, Duration limit,
                           std::uint32_t changes) {
    constexpr std::int64_t kCutShort = 8;
    const Duration change = scheduling.time_slice / 8;
    const std::int64_t turns = limit / (scheduling.time_slice - change) + 1 + kCutShort;
    return std::max<std::int64_t>(0, turns - changes / 2) * change;
}

Duration held_in_turns(const SchedulingSpec& scheduling, Duration limit, Duration over_time) {
    if (limit == Duration::max()) return limit;
    const Duration more = over_time + allowed_for_turns(scheduling, limit, 0);
    return limit > Duration::max() - more ? Duration::max() : limit + more;
}

Duration allowed_for_turns(const ClusterSpec& spec, const Job& run) {
    if (run.time_limit == Duration::max() || jobs_on_core(spec, run) == 1) return Duration{};
    const std::uint32_t changes = run.suspension ? run.suspension->changes : 0;
    return allowed_for_turns(spec.scheduling, run.time_limit, changes);
}

bool is_at_rest(const Job& run) {
    if (!run.suspension) return false;
    if (run.state == JobState::completing) return run.suspension->ended_still;
    return run.is_suspended() && run.suspension->proved;
}

std::vector<JobId> turn_sharers(const JobRecords& jobs, const JobIndex& index, const Job& run) {
    std::vector<JobId> found;
    for (const NodeShare& share : run.allocation->shares) {
        if (!index.any_lender_on(share.node)) continue;
        for (const JobId id : index.on_node(share.node)) {
            const Job& other = jobs.at(id);
            if (id == run.id) continue;
            const Job& lender = is_above(other, run) ? run : other;
            if (!lender.lends_by_turns()) continue;
            const BitSet& held = share_on(other, share.node)->cores;
            if (held.size() == share.cores.size() && held.intersects(share.cores))
                found.push_back(id);
        }
    }
    put_in_order(found);
    return found;
}

bool takes_turns(const JobRecords& jobs, const JobIndex& index, const Job& run) {
    return run.awaits_turn() || run.lends_by_turns() ||
           (index.any_lenders() && !turn_sharers(jobs, index, run).empty());
}

bool may_go_on(const JobRecords& jobs, const JobIndex& index, const Job& run) {
    if (run.lends_cores() && !run.lends_by_turns()) return !has_borrowers(jobs, index, run);
    if (!index.any_lenders()) return true;
    return std::ranges::all_of(turn_sharers(jobs, index, run),
                               [&](JobId id) { return is_at_rest(jobs.at(id)); });
}

}  // namespace berth
