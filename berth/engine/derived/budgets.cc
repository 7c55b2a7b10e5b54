#include "berth/engine/derived/budgets.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "berth/engine/limits/limit_terms.h"
#include "berth/policy/tres.h"

namespace berth {
namespace {

constexpr std::size_t kBudgetsMax = 64;  // Of one holder; Slurm has fewer TRES.

// The seconds that the association has used of what the limit counts.
UsageAmount used_of(const UsageRecord& record, const TresLimit& limit, Time at,
                    const UsageDecay& decay) {
    switch (limit.kind) {
        case TresKind::cpu: return record.used_by(at, usage_kind_of(kCpuDimension), decay);
        case TresKind::mem: return record.used_by(at, usage_kind_of(kMemoryDimension), decay);
        case TresKind::node: return record.used_by(at, kNodeUsage, decay);
        case TresKind::billing: return record.used_by(at, kBillingUsage, decay);
        case TresKind::license: return {};  // Refused: see set_limit().
        case TresKind::gres: break;
    }
    UsageAmount sum;
    for (DimensionSet left = limit.dimensions; left != 0; left &= left - 1) {
        const auto lowest = static_cast<std::uint32_t>(std::countr_zero(left));
        sum = sum + record.used_by(at, usage_kind_of(DimensionId(lowest)), decay);
    }
    return sum;
}

// What one holder gives to all jobs below it: minutes of TRES, and then of runs.
class HolderBudgets {
public:
    // nullptr: nothing is limited.
    explicit HolderBudgets(const QuotaLimits* limits)
        : budgets_(limits == nullptr ? nullptr : &limits->budgets) {}

    std::size_t size() const {
        if (budgets_ == nullptr) return 0;
        return std::min(budgets_->minutes.size() + (budgets_->wall ? 1 : 0), kBudgetsMax);
    }
    bool empty() const { return size() == 0; }
    // nullptr: of runs.
    const TresLimit* tres(std::size_t i) const {
        return i < budgets_->minutes.size() ? &budgets_->minutes[i] : nullptr;
    }
    std::int64_t most(std::size_t i) const {
        return tres(i) != nullptr ? tres(i)->most : *budgets_->wall / std::chrono::minutes(1);
    }

private:
    const GroupBudgets* budgets_;
};

// Of the association itself.
HolderBudgets own_budgets(const QuotaTree& quota, const QuotaTree::Place& place) {
    const bool has_own = place.association != QuotaTree::kNone;
    return HolderBudgets(has_own ? quota.nearest_limits(place) : nullptr);
}

HolderBudgets budgets_of(const QuotaTree& quota, QuotaTree::Index account) {
    return HolderBudgets(quota.account(account).limits);
}

// Sums up what is used below one holder.
class Sum {
public:
    explicit Sum(const HolderBudgets& budgets) : budgets_(budgets), used_(budgets.size()) {}

    void add(const UsageRecord& record, Time at, const UsageDecay& decay) {
        for (std::size_t i = 0; i < used_.size(); ++i) {
            const TresLimit* const tres = budgets_.tres(i);
            used_[i] = used_[i] + (tres != nullptr ? used_of(record, *tres, at, decay)
                                                   : record.used_by(at, kWallUsage, decay));
        }
    }
    std::vector<std::int64_t> minutes() const {
        std::vector<std::int64_t> all;
        all.reserve(used_.size());
        for (const UsageAmount& used : used_) all.push_back(used.whole / 60);
        return all;
    }
    std::uint64_t used_up() const {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < used_.size(); ++i) {
            if (used_[i].whole / 60 >= budgets_.most(i)) bits |= std::uint64_t{1} << i;
        }
        return bits;
    }

private:
    HolderBudgets budgets_;
    std::vector<UsageAmount> used_;
};

// What the job asks for until its time limit.
std::int64_t minutes_of(const Job& job, std::int64_t amount) {
    if (job.time_limit == Duration::max()) return INT64_MAX;
    const Wide minutes = Wide{amount} * (job.time_limit / std::chrono::minutes(1));
    return static_cast<std::int64_t>(std::min<Wide>(minutes, INT64_MAX));
}

// A budget that is used up.
struct UsedUp {
    const TresLimit* tres = nullptr;  // nullptr: of runs.
    std::int64_t minutes = 0, most = 0;
};

PendingReason reason_of(const UsedUp& one) {
    return one.tres == nullptr ? PendingReason::assoc_grp_wall
                               : reason_for(PendingReason::assoc_grp_minutes, one.tres->tres);
}

// How much of the TRES a run holds.
std::int64_t held_of(const ClusterSpec& spec, const Job& run, const TresLimit& limit) {
    const auto nodes = static_cast<std::int64_t>(run.nodes.size());
    if (limit.kind == TresKind::billing)
        return billing_of(spec, run.partition, {nodes, run.allocated}).whole;
    return amount_of(limit, {.nodes = nodes, .amount = run.allocated, .licenses = {}});
}

}  // namespace

// Whether the record has changed since it was counted.
bool Budgets::is_stale(const std::vector<UsageRecord>& records, std::size_t leaf) const {
    return leaf >= seen_.size() || seen_[leaf] != records[leaf].at;
}

// Of the accounts that limit minutes, those below which a record is stale.
std::vector<bool> Budgets::stale_accounts(const ClusterState& state) const {
    const QuotaTree& quota = state.quota();
    const std::vector<UsageRecord>& records = state.usage().records();
    std::vector<bool> stale(state.spec().accounts.size());
    for (std::size_t leaf = 0; leaf < records.size(); ++leaf) {
        if (!is_stale(records, leaf)) continue;
        for (Index a = quota.place_of(static_cast<Index>(leaf)).account; a != QuotaTree::kNone;
             a = quota.account(a).parent)
            stale[a] = stale[a] || !budgets_of(quota, a).empty();
    }
    return stale;
}

// Of accounts once, and of each association when it has its first job.
void Budgets::look_for_limits(const ClusterState& state) {
    const QuotaTree& quota = state.quota();
    const std::size_t leaves = state.usage().records().size();
    if (!quota.enforced() || (looked_at_ && *looked_at_ == leaves)) return;
    for (Index a = 0; !looked_at_ && a < state.spec().accounts.size(); ++a)
        any_ = any_ || !budgets_of(quota, a).empty();
    for (std::size_t leaf = std::min(looked_at_.value_or(0), leaves); leaf < leaves; ++leaf)
        any_ = any_ || !own_budgets(quota, quota.place_of(static_cast<Index>(leaf))).empty();
    looked_at_ = leaves;
}

BitSet Budgets::refresh(const ClusterState& state, Time period) {
    const std::vector<UsageRecord>& records = state.usage().records();
    look_for_limits(state);
    if (!any_) return {};
    const bool is_new = !period_;
    const bool all = std::exchange(period_, period) != period || records.size() < seen_.size();
    if (all) seen_.clear();
    BitSet changed(records.size());
    count_accounts(state, changed);
    count_associations(state, changed);
    seen_.clear();
    for (const UsageRecord& record : records) seen_.push_back(record.at);
    if (is_new) return BitSet::all(records.size());
    return changed.empty() ? BitSet() : changed;
}

void Budgets::count_associations(const ClusterState& state, BitSet& changed) {
    const std::vector<UsageRecord>& records = state.usage().records();
    of_leaf_.resize(records.size());
    for (std::size_t leaf = 0; leaf < records.size(); ++leaf) {
        const QuotaTree::Place place = state.quota().place_of(static_cast<Index>(leaf));
        const HolderBudgets own = own_budgets(state.quota(), place);
        if (own.empty() || !is_stale(records, leaf)) continue;
        Sum sum(own);
        sum.add(records[leaf], *period_, state.spec().scheduling.usage_decay);
        of_leaf_[leaf].minutes = sum.minutes();
        if (std::exchange(of_leaf_[leaf].used_up, sum.used_up()) != sum.used_up())
            changed.set(leaf);
    }
}

void Budgets::count_accounts(const ClusterState& state, BitSet& changed) {
    const QuotaTree& quota = state.quota();
    const std::vector<UsageRecord>& records = state.usage().records();
    const std::vector<bool> stale = stale_accounts(state);
    accounts_.resize(stale.size());
    if (std::ranges::find(stale, true) == stale.end()) return;
    std::vector<std::optional<Sum>> sums(stale.size());
    for (std::size_t a = 0; a < stale.size(); ++a) {
        if (stale[a]) sums[a].emplace(budgets_of(quota, static_cast<Index>(a)));
    }
    const auto each_stale_above = [&](std::size_t leaf, auto visit) {
        for (Index a = quota.place_of(static_cast<Index>(leaf)).account; a != QuotaTree::kNone;
             a = quota.account(a).parent) {
            if (stale[a]) visit(a);
        }
    };
    for (std::size_t leaf = 0; leaf < records.size(); ++leaf) {
        each_stale_above(leaf, [&](Index a) {
            sums[a]->add(records[leaf], *period_, state.spec().scheduling.usage_decay);
        });
    }
    std::vector<bool> differs(stale.size());
    for (std::size_t a = 0; a < stale.size(); ++a) {
        if (!stale[a]) continue;
        accounts_[a].minutes = sums[a]->minutes();
        differs[a] = std::exchange(accounts_[a].used_up, sums[a]->used_up()) != sums[a]->used_up();
    }
    for (std::size_t leaf = 0; leaf < records.size(); ++leaf) {
        each_stale_above(leaf, [&](Index a) {
            if (differs[a]) changed.set(leaf);
        });
    }
}

template <class Visit>
void Budgets::each_used_up(const ClusterState& state, const Job& job, Visit visit) const {
    if (!any_) return;
    const QuotaTree& quota = state.quota();
    const QuotaTree::Place place = place_in_quota(state, job);
    const auto visit_holder = [&](const Holder& holder, const HolderBudgets& budgets,
                                  const auto& name) {
        for (std::size_t i = 0; i < budgets.size(); ++i) {
            if ((holder.used_up >> i & 1) == 0) continue;
            const UsedUp one = {budgets.tres(i), holder.minutes[i], budgets.most(i)};
            if (!visit(one, name)) return false;
        }
        return true;
    };
    if (place.leaf < of_leaf_.size()) {
        const auto name = [&] {
            return "user " + job.owner->user + " in account " + job.spec.account;
        };
        if (!visit_holder(of_leaf_[place.leaf], own_budgets(quota, place), name)) return;
    }
    for (Index a = place.account; a != QuotaTree::kNone; a = quota.account(a).parent) {
        if (a >= accounts_.size()) continue;
        const auto name = [&] { return "account " + state.spec().accounts[a].name; };
        if (!visit_holder(accounts_[a], budgets_of(quota, a), name)) return;
    }
}

std::optional<Excess> Budgets::find(const ClusterState& state, const Job& job, const Demand& demand,
                                    const LimitRequest& asked) const {
    std::optional<Excess> found;
    each_used_up(state, job, [&](const UsedUp& one, const auto& holder) {
        const std::int64_t amount = one.tres == nullptr ? 1 : asked.of(*one.tres, demand);
        if (amount == 0) return true;
        found = Excess{.reason = reason_of(one),
                       .holder = holder(),
                       .what = (one.tres == nullptr ? "wall-clock" : one.tres->tres) + " minutes",
                       .asked = minutes_of(job, amount),
                       .used = one.minutes,
                       .most = one.most,
                       .in_all = true};
        return false;
    });
    return found;
}

PendingReason Budgets::reason_to_end(const ClusterState& state, const Job& run) const {
    PendingReason reason = PendingReason::none;
    each_used_up(state, run, [&](const UsedUp& one, const auto&) {
        if (one.tres != nullptr && held_of(state.spec(), run, *one.tres) == 0) return true;
        reason = reason_of(one);
        return false;
    });
    return reason;
}

}  // namespace berth
