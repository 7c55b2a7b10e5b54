// Invariants of runs that take turns: I1 (of those that share a core, one runs at a time), I2 (no
// more of them share it than their partition lets).
#include <algorithm>

#include "berth/model/oversubscribe.h"
#include "berth/sim/oracle.h"

namespace berth::sim {

// On a node where both still are.
bool Oracle::shares_cores(const Run& run, const Run& other) const {
    return std::ranges::any_of(run.allocation.shares, [&](const NodeShare& share) {
        if (run.ended.contains(share.node) || other.ended.contains(share.node)) return false;
        return std::ranges::any_of(other.allocation.shares, [&](const NodeShare& held) {
            return held.node == share.node && held.cores.intersects(share.cores);
        });
    });
}

bool Oracle::takes_turns(JobId id, const Run& run) const {
    return std::ranges::any_of(jobs_, [&](const auto& entry) {
        const auto& [other, job] = entry;
        return other != id && !job.run.over() && !job.run.lends && shares_cores(run, job.run);
    });
}

// It goes on only while all others on its cores are at rest.
void Oracle::take_turn(JobId id, Run& run, bool waits) {
    run.is_suspended = waits;
    run.is_at_rest = false;
    if (waits) return;
    ++turns_;
    for (const auto& [other, job] : jobs_) {
        if (other == id || job.run.over() || !shares_cores(run, job.run)) continue;
        if (job.run.is_at_rest || (job.run.lends && job.run.stands_still)) continue;
        stage_.violated("I1", words(id) + " has its turn, and " + words(other) +
                                  " on its cores is not known to stand still");
    }
}

void Oracle::check_shared(JobId id, const Known& job, const StartJob& fact) {
    const auto partition = std::ranges::find_if(cluster_.partitions, [&](const auto& one) {
        return job.spec.partition.empty() ? one.is_default : one.name == job.spec.partition;
    });
    if (partition == cluster_.partitions.end()) return;
    const CoreSharing sharing = core_sharing_of(partition->oversubscribe);
    if (sharing.if_asked && !job.spec.request->oversubscribe)
        stage_.violated("I2", words(id) + " shares cores and has not asked for it");
    for (const NodeShare& share : fact.allocation.shares) {
        if (share.devices != 0) stage_.violated("I1", words(id) + " takes turns with devices");
        for (std::size_t core = share.cores.find_first(); core < share.cores.size();
             core = share.cores.find_next(core)) {
            std::uint32_t holders = 0;
            for (const auto& [other, known] : jobs_) {
                if (known.run.over() || known.run.lends || known.run.ended.contains(share.node))
                    continue;
                holders += static_cast<std::uint32_t>(
                    std::ranges::count_if(known.run.allocation.shares, [&](const NodeShare& held) {
                        return held.node == share.node && held.cores.test(core);
                    }));
            }
            if (holders <= sharing.jobs) continue;
            stage_.violated("I2", "more jobs hold core " + std::to_string(core) + " of " +
                                      cluster_.node(share.node).name + " than share it, " +
                                      words(id) + " among them");
        }
    }
}

}  // namespace berth::sim
