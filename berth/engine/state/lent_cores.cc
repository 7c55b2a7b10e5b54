#include "berth/engine/state/lent_cores.h"

namespace berth {

bool stands_still(const Job& run) {
    if (!run.lends_cores()) return false;
    return run.state == JobState::completing || (run.is_suspended() && run.suspension->proved);
}

// A share of another number of cores is that of a run from before a change of the node: it shares
// none.
BitSet shared_cores(const JobRecords& jobs, const JobIndex& index, const Job& run,
                    const NodeShare& share, Sharers of) {
    BitSet found(share.cores.size());
    if (!run.lends_cores() && !index.any_lender_on(share.node)) return found;
    for (const JobId id : index.on_node(share.node)) {
        const Job& other = jobs.at(id);
        if (id == run.id || (of != Sharers::all && is_above(other, run) != (of == Sharers::above)))
            continue;
        for (const NodeShare& held : other.allocation->shares) {
            const bool here = held.node == share.node && held.cores.size() == found.size();
            if (here) found |= held.cores;
        }
    }
    return found & share.cores;
}

Millicpu cpu_of(const NodeShare& share, const BitSet& cores) {
    const auto all = static_cast<std::int64_t>(share.cores.count());
    if (all == 0) return Millicpu(0);
    return Millicpu(share.amount.cpu().count() * static_cast<std::int64_t>(cores.count()) / all);
}

NodeShare without_cores(NodeShare share, const BitSet& cores) {
    share.amount.set_cpu(share.amount.cpu() - cpu_of(share, cores));
    share.cores -= cores;
    return share;
}

}  // namespace berth
