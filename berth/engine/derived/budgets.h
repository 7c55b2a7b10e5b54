// Budgets: what accounts and associations have used up of the minutes that GrpTRESMins and GrpWall
// give to all jobs below them together.
//
// What is used counts as it does for fair share: it fades by PriorityDecayHalfLife and begins anew
// by PriorityUsageResetPeriod. As in Slurm, it is looked at once in each PriorityCalcPeriod, and
// whenever a run below begins, changes or ends. So what is used up follows from the state and the
// period alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/base/bitmask.h"
#include "berth/engine/limits/limit_check.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

class Budgets {
public:
    // Counts anew what may have changed, as it is when the period begins: priority_time(). Returns
    // the leaves of the quota tree below holders for which other minutes are used up than before;
    // empty: there are none. All of them the first time.
    BitSet refresh(const ClusterState& state, Time period);
    // Whether anything may be used up as time passes.
    bool any() const { return any_; }

    // The first of its holders of which something is used up that the job asks for. In Slurm's
    // order: the association, then each account up to the root.
    std::optional<Excess> find(const ClusterState& state, const Job& job, const Demand& demand,
                               const LimitRequest& asked) const;
    // The same of something that the run holds: then it is to end. none: nothing is used up.
    PendingReason reason_to_end(const ClusterState& state, const Job& run) const;

private:
    using Index = QuotaTree::Index;
    // Of one holder: which of its budgets are used up, and how many minutes were used of each.
    struct Holder {
        std::uint64_t used_up = 0;
        std::vector<std::int64_t> minutes;
    };

    void look_for_limits(const ClusterState& state);
    bool is_stale(const std::vector<UsageRecord>& records, std::size_t leaf) const;
    std::vector<bool> stale_accounts(const ClusterState& state) const;
    // Both note the leaves for which something else is used up than before.
    void count_accounts(const ClusterState& state, BitSet& changed);
    void count_associations(const ClusterState& state, BitSet& changed);
    // Visits what limits the job in turn, with the holder, until the visit says false.
    template <class Visit>
    void each_used_up(const ClusterState& state, const Job& job, Visit visit) const;

    bool any_ = false;
    std::optional<std::size_t> looked_at_;  // So many leaves were looked at for limits.
    std::optional<Time> period_;
    std::vector<Time> seen_;        // By leaf: UsageRecord::at when it was counted.
    std::vector<Holder> of_leaf_;   // Of the leaf's own association.
    std::vector<Holder> accounts_;  // As in the quota tree.
};

}  // namespace berth
