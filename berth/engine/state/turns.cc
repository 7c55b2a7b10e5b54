#include "berth/engine/state/turns.h"

#include <algorithm>

#include "berth/engine/state/job_ids.h"
#include "berth/engine/state/lent_cores.h"

namespace berth {

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
