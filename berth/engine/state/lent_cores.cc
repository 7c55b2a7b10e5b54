#include "berth/engine/state/lent_cores.h"

#include <algorithm>

namespace berth {

bool stands_still(const Job& run) {
    if (!run.lends_cores() || run.lends_by_turns()) return false;
    return run.state == JobState::completing || (run.is_suspended() && run.suspension->proved);
}

bool lends_already(const Job& run, Time now) {
    return run.lends_cores() && run.allocation->preempted->at < now;
}

const NodeShare* share_on(const Job& run, NodeId node) {
    const std::vector<NodeShare>& shares = run.allocation->shares;
    const auto found = std::ranges::lower_bound(shares, node, {}, &NodeShare::node);
    return found == shares.end() || found->node != node ? nullptr : &*found;
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
        const NodeShare& held = *share_on(other, share.node);
        if (held.cores.size() == found.size()) found |= held.cores;
    }
    return found & share.cores;
}

bool has_borrowers(const JobRecords& jobs, const JobIndex& index, const Job& run) {
    return run.lends_cores() &&
           std::ranges::any_of(run.allocation->shares, [&](const NodeShare& share) {
               return !shared_cores(jobs, index, run, share, Sharers::above).empty();
           });
}

bool are_lent(const JobRecords& jobs, const JobIndex& index, NodeId node, const BitSet& held,
              bool in_turns) {
    BitSet lent(held.size());
    for (const JobId id : index.on_node(node)) {
        const Job& run = jobs.at(id);
        const BitSet& own = share_on(run, node)->cores;
        if (own.size() != held.size() || !own.intersects(held)) continue;
        if (!stands_still(run) && !(in_turns && run.lends_by_turns())) return false;
        lent |= own;
    }
    return held.is_subset_of(lent);
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
