#include "berth/engine/state/queue_quotas.h"

#include <algorithm>
#include <map>

#include "berth/base/assert.h"

namespace berth {
namespace {

std::optional<std::int64_t> count_of(const TresLimits& counts, const std::string& tres) {
    const auto found = std::ranges::find(counts, tres, &TresLimits::value_type::first);
    return found == counts.end() ? std::nullopt : std::optional(found->second);
}

QueueQuotas::Quota quota_of(const QueueSpec& queue, const std::string& tres) {
    QueueQuotas::Quota quota{.nominal = count_of(queue.nominal, tres)};
    const std::int64_t nominal = quota.nominal.value_or(0);
    quota.guarantee = count_of(queue.guarantee, tres).value_or(0);
    if (const auto lent = count_of(queue.lend_max, tres)) {
        quota.guarantee = std::max(quota.guarantee, nominal - *lent);
    }
    quota.limit = count_of(queue.limit, tres).value_or(QueueQuotas::kUnlimited);
    if (!quota.nominal) return quota;  // What it may borrow is counted from its nominal.
    if (const auto more = count_of(queue.borrow_max, tres)) {
        quota.limit = std::min(quota.limit, nominal + *more);
    }
    if (queue.borrow_ratio_max) {
        quota.limit = std::min(quota.limit, nominal + share_of(nominal, *queue.borrow_ratio_max));
    }
    return quota;
}

QueueQuotas::Quota unused(QueueQuotas::Quota quota) {
    quota.used = quota.by_right = quota.pooled = 0;
    return quota;
}

using Accounts = std::map<std::string_view, QueueQuotas::Index>;

Accounts by_name(const ClusterSpec& spec) {
    Accounts accounts;
    for (QueueQuotas::Index a = 0; a < spec.accounts.size(); ++a)
        accounts.try_emplace(spec.accounts[a].name, a);
    return accounts;
}

// Each account before the one that it is below.
std::vector<QueueQuotas::Index> from_below(const std::vector<QueueQuotas::Index>& parents) {
    std::vector<std::uint32_t> depths(parents.size());
    std::vector<QueueQuotas::Index> order(parents.size());
    for (QueueQuotas::Index a = 0; a < parents.size(); ++a) {
        order[a] = a;
        for (auto up = parents[a]; up != QueueQuotas::kNone; up = parents[up]) ++depths[a];
    }
    std::ranges::stable_sort(order, [&](auto a, auto b) { return depths[a] > depths[b]; });
    return order;
}

}  // namespace

void QueueQuotas::rebuild(const ClusterSpec& spec, const LicenseNumbers& licenses,
                          const std::vector<Index>& parents) {
    *this = QueueQuotas();
    name_tres(spec, licenses);
    flavors_ = FlavorNodes(spec);
    if (tres_.empty()) return;
    parents_ = parents;
    quotas_.resize((parents.size() + 1) * tres_.size());
    set_own(spec);
    sum_up(from_below(parents));
    set_lenders(spec);
}

void QueueQuotas::name_tres(const ClusterSpec& spec, const LicenseNumbers& licenses) {
    TresLimits named;
    for (const QueueSpec& queue : spec.queues) {
        for (const TresLimits* counts : {&queue.nominal, &queue.guarantee, &queue.limit}) {
            for (const auto& [tres, count] : *counts) {
                if (!count_of(named, tres)) named.emplace_back(tres, 0);
            }
        }
    }
    tres_ = tres_limits_of(spec, licenses, named);
    tells_apart_ = std::ranges::any_of(tres_, [](const TresLimit& tres) {
        return tres.of_type || tres.flavor != FlavorChoice::kNone;
    });
}

void QueueQuotas::set_own(const ClusterSpec& spec) {
    const Accounts accounts = by_name(spec);
    for (const QueueSpec& queue : spec.queues) {
        const auto account = accounts.find(queue.name);
        if (account == accounts.end()) continue;  // It was taken out by sacctmgr.
        for (std::size_t t = 0; t < tres_.size(); ++t) {
            quotas_[at(account->second, t)] = quota_of(queue, tres_[t].tres);
        }
    }
}

void QueueQuotas::sum_up(const std::vector<Index>& from_below) {
    struct Beneath {
        std::optional<std::int64_t> nominal;
        std::int64_t guarantee = 0;
    };
    std::vector<Beneath> beneath(quotas_.size());
    for (std::size_t t = 0; t < tres_.size(); ++t) {
        for (const Index account : from_below) {
            Quota& quota = quotas_[at(account, t)];
            const Beneath& below = beneath[at(account, t)];
            if (!quota.nominal) quota.nominal = below.nominal;
            quota.kept = std::max<std::int64_t>(0, quota.guarantee - below.guarantee);
            quota.guarantee = below.guarantee + quota.kept;
            if (!quota.nominal) continue;
            Beneath& above = beneath[at(parents_[account], t)];
            above.nominal = above.nominal.value_or(0) + *quota.nominal;
            above.guarantee += quota.guarantee;
        }
        Quota& root = quotas_[at(kNone, t)];
        root.nominal = beneath[at(kNone, t)].nominal;
        root.guarantee = beneath[at(kNone, t)].guarantee;
    }
}

// What was taken out or moved by sacctmgr lends nothing: without lenders, a queue that names some
// borrows nothing.
void QueueQuotas::set_lenders(const ClusterSpec& spec) {
    const Accounts accounts = by_name(spec);
    std::map<Index, std::vector<Index>> lists;
    for (const QueueSpec& queue : spec.queues) {
        const auto borrower = accounts.find(queue.name);
        if (queue.lenders.empty() || borrower == accounts.end()) continue;
        if (parents_[borrower->second] != kNone) continue;  // It was moved by sacctmgr.
        std::vector<Index>& list = lists[borrower->second];
        for (const std::string& name : queue.lenders) {
            const auto lender = accounts.find(name);
            if (lender != accounts.end() && parents_[lender->second] == kNone)
                list.push_back(lender->second);
        }
    }
    if (lists.empty()) return;
    lenders_ = LenderSets(lists);
    left_.assign(lenders_.size() * tres_.size(), 0);
    for (std::size_t t = 0; t < tres_.size(); ++t) {
        for (Index a = 0; a < parents_.size(); ++a) change_left(a, t, Quota{});
    }
}

// Returns whether any set of lenders leaves another amount than `before`.
bool QueueQuotas::change_left(Index account, std::size_t tres, const Quota& before) {
    const Quota& quota = of(account, tres);
    bool any = false;
    const auto add = [&](LenderSets::Set set, std::int64_t more) {
        left_[set * tres_.size() + tres] += more;
        any = any || more != 0;
    };
    for (const LenderSets::Set set : lenders_.of_lender(account))
        add(set, quota.spare() - before.spare());
    for (const LenderSets::Set set : lenders_.of_borrower(account))
        add(set, before.drawn() - quota.drawn());
    return any;
}

std::int64_t QueueQuotas::free_to(Index account, std::size_t tres) const {
    return free_given(
        account, [&](Index a) { return of(a, tres); },
        [&](LenderSets::Set set) { return left_by(set, tres); });
}

std::int64_t QueueQuotas::most_of(Index account, std::size_t tres) const {
    return free_given(
        account, [&](Index a) { return unused(of(a, tres)); },
        [&](LenderSets::Set set) { return all_left_by(set, tres); });
}

std::int64_t QueueQuotas::all_left_by(LenderSets::Set set, std::size_t tres) const {
    std::int64_t left = 0;
    for (const Index lender : lenders_.members(set)) left += unused(of(lender, tres)).spare();
    return left;
}

std::int64_t QueueQuotas::free_by_right(Index account, std::size_t tres) const {
    return right_given(account, [&](Index a) { return of(a, tres); });
}

QueueQuotas::Reach QueueQuotas::use(Index account, std::size_t tres, std::int64_t amount) {
    std::int64_t by_right = amount, pooled = amount;
    Reach reach{account, account};
    bool lends = false;
    for (;; account = parents_[account]) {
        Quota& quota = quotas_[at(account, tres)];
        const bool bounds = quota.limit != kUnlimited || (by_right != 0 && quota.nominal);
        if (bounds && account != kNone) reach.all = account;
        if (pooled != 0 && (quota.kept > 0 || account == kNone)) reach.beyond_right = account;
        const Quota before = quota;
        quota.used += amount;
        quota.by_right += by_right;
        quota.pooled += pooled;
        BERTH_ASSERT(quota.used >= 0 && quota.by_right >= 0 && quota.pooled >= 0);
        if (account == kNone) break;
        lends = change_left(account, tres, before) || lends;
        by_right = quota.right_above() - before.right_above();
        pooled = quota.pooled_above() - before.pooled_above();
    }
    if (lends) reach.beyond_right = kNone;
    return reach;
}

}  // namespace berth
