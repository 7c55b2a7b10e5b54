#include "berth/engine/state/quota_tree.h"

#include <algorithm>
#include <bit>

#include "berth/base/assert.h"
#include "berth/model/limit_inheritance.h"

namespace berth {
namespace {

const QuotaUse& no_use() {
    static const QuotaUse none;
    return none;
}

}  // namespace

std::int64_t jobs_in(const Job& job) {
    const bool waits = job.state == JobState::pending && job.spec.array;
    return waits ? static_cast<std::int64_t>(job.spec.array->tasks.size()) : 1;
}

std::int64_t amount_of(const TresLimit& tres, const QuotaUse::Held& held) {
    BERTH_ASSERT(tres.kind != TresKind::billing);
    std::int64_t sum = 0;
    switch (tres.kind) {
        case TresKind::cpu: return held.amount.cpu().count() / 1000;
        case TresKind::mem: return held.amount.memory().count() >> 20;
        case TresKind::node: return held.nodes;
        case TresKind::license: return count_of(held.licenses, tres.license);
        case TresKind::gres:
            for (DimensionSet left = tres.dimensions; left != 0; left &= left - 1) {
                const auto lowest = static_cast<std::uint32_t>(std::countr_zero(left));
                sum += held.amount[DimensionId(lowest)];
            }
            return sum;
        case TresKind::billing: break;
    }
    return sum;
}

std::int64_t amount_of_run(const TresLimit& tres, const FlavorNodes& flavors, const Job& run,
                           const LicenseCounts& licenses) {
    const auto nodes = static_cast<std::int64_t>(run.nodes.size());
    if (tres.flavor == FlavorChoice::kNone)
        return amount_of(tres, {nodes, run.allocated, licenses});
    QuotaUse::Held there;
    bool is_all = true;
    for (const NodeShare& share : run.allocation->shares) {
        const bool is_there = flavors.of(share.node) == tres.flavor;
        is_all = is_all && is_there;
        if (!is_there) continue;
        ++there.nodes;
        there.amount += share.amount;
    }
    // What it has given back of its nodes it holds as the other TRES have it.
    return is_all ? amount_of(tres, {nodes, run.allocated, licenses}) : amount_of(tres, there);
}

// ---- Structure.

bool QuotaTree::is_enforced_by(const ClusterSpec& spec) {
    const auto limited = [](const auto& one) { return !one.limits.none(); };
    return spec.scheduling.enforce_limits &&
           (!spec.queues.empty() || std::ranges::any_of(spec.qos, limited) ||
            std::ranges::any_of(spec.accounts, limited) ||
            std::ranges::any_of(spec.associations, limited));
}

void QuotaTree::set_limits(Index& slot, QuotaLimits limits) {
    if (slot == kNone && !unused_limits_.empty()) {
        slot = unused_limits_.back();
        unused_limits_.pop_back();
    } else if (slot == kNone) {
        slot = static_cast<Index>(limits_.size());
        limits_.emplace_back();
    }
    limits_[slot] = std::move(limits);
}

void QuotaTree::drop_limits(Index& slot) {
    if (slot != kNone) unused_limits_.push_back(std::exchange(slot, kNone));
}

void QuotaTree::rebuild(const ClusterSpec& spec) {
    *this = QuotaTree();
    enforced_ = is_enforced_by(spec);
    if (!enforced_) return;
    licenses_ = LicenseNumbers(spec);
    rebuild_accounts(spec);
    std::vector<Index> parents;
    parents.reserve(accounts_.size());
    for (const Account& account : accounts_) parents.push_back(account.parent);
    queues_.rebuild(spec, *licenses_, parents);
    requoted_ = repooled_ = BitSet(accounts_.size() + 1);
    for (const AssociationSpec& one : spec.associations) {
        if (!associations_.contains({one.account, one.user})) limit_association(spec, one);
    }
    limit_qos(spec);
}

void QuotaTree::rebuild_accounts(const ClusterSpec& spec) {
    accounts_.resize(spec.accounts.size());
    last_of_account_.resize(spec.accounts.size(), kNone);
    for (Index a = 0; a < accounts_.size(); ++a)
        account_names_.try_emplace(spec.accounts[a].name, a);
    std::vector<Index> tops;
    for (Index a = 0; a < accounts_.size(); ++a) {
        const AccountSpec& account = spec.accounts[a];
        const auto above = account_names_.find(account.parent);
        if (above == account_names_.end() || above->second == a) {
            tops.push_back(a);
            continue;
        }
        accounts_[a].parent = above->second;
        accounts_[above->second].children.push_back(a);
    }
    for (Index q = 0; q < spec.queues.size(); ++q) {
        const auto account = account_names_.find(spec.queues[q].name);
        if (account != account_names_.end()) accounts_[account->second].queue = q;
    }
    for (const Index top : tops) limit_account(spec, top, kNone);
    // Admission refuses accounts in a circle. Should one be there, its accounts stand alone.
    for (Account& account : accounts_) {
        if (!account.has_top) account.parent = kNone;
    }
}

void QuotaTree::limit_account(const ClusterSpec& spec, Index index, Index above) {
    Account& account = accounts_[index];
    account.has_top = true;
    account.nearest = above;
    const Limits& limits = spec.accounts[index].limits;
    if (limits.none()) {
        drop_limits(account.own);
    } else {
        Limits own = limits;
        for (Index a = account.parent; a != kNone; a = accounts_[a].parent) {
            inherit_limits(own, spec.accounts[a].limits);
        }
        set_limits(account.own, quota_limits_of(spec.dimensions, licenses_, own));
        account.nearest = account.own;
    }
    for (const Index child : account.children) limit_account(spec, child, account.nearest);
}

QuotaTree::Index QuotaTree::number_of_user(const std::string& user) {
    const auto next = static_cast<Index>(last_of_user_.size());
    const auto [at, is_new] = users_.try_emplace(user, next);
    if (is_new) last_of_user_.push_back(kNone);
    return at->second;
}

QuotaTree::Index QuotaTree::number_of_account(const std::string& account) {
    const auto next = static_cast<Index>(last_of_account_.size());
    const auto [at, is_new] = account_names_.try_emplace(account, next);
    if (is_new) last_of_account_.push_back(kNone);
    return at->second;
}

void QuotaTree::add_leaf(const std::string& account, const std::string& user) {
    const auto leaf = static_cast<Index>(leaves_.size());
    Place place = place_of(account, user);
    place.leaf = leaf;
    place.user = number_of_user(user);
    place.account_name = number_of_account(account);
    leaves_.push_back({place,
                       std::exchange(last_of_user_[place.user], leaf),
                       std::exchange(last_of_account_[place.account_name], leaf),
                       {}});
}

void QuotaTree::drop_last_leaf() {
    const Leaf& last = leaves_.back();
    last_of_user_[last.place.user] = last.next_of_user;
    last_of_account_[last.place.account_name] = last.next_of_account;
    changed_.erase(last.place.leaf);
    leaves_.pop_back();
}

QuotaTree::Place QuotaTree::place_of(const std::string& account, const std::string& user) const {
    Place place;
    if (const auto at = users_.find(user); at != users_.end()) place.user = at->second;
    if (const auto at = account_names_.find(account); at != account_names_.end()) {
        place.account_name = at->second;
        if (at->second < accounts_.size()) place.account = at->second;
    }
    const auto at = associations_.find({account, user});
    if (at != associations_.end()) place.association = at->second;
    return place;
}

// ---- Use.

QuotaUse& QuotaTree::row(std::vector<Index>& rows, Index of) {
    if (rows.size() <= of) rows.resize(of + 1, kNone);
    if (rows[of] == kNone) {
        rows[of] = static_cast<Index>(rows_.size());
        rows_.emplace_back();
    }
    return rows_[rows[of]];
}

const QuotaUse& QuotaTree::row_if_any(const std::vector<Index>& rows, Index of) const {
    return of >= rows.size() || rows[of] == kNone ? no_use() : rows_[rows[of]];
}

template <class Visit>
void QuotaTree::each_use(const Place& place, const Job& job, Visit visit) {
    visit(leaves_[place.leaf].use);
    for (Index a = place.account; a != kNone; a = accounts_[a].parent) visit(accounts_[a].use);
    each_use_of_qos(place, job.qos, visit);
    const std::optional<QosId> other = partition_qos(job.partition);
    if (other && *other != job.qos) each_use_of_qos(place, *other, visit);
}

template <class Visit>
void QuotaTree::each_use_of_qos(const Place& place, QosId qos, Visit visit) {
    if (qos.index() >= qos_.size()) return;
    Qos& own = qos_[qos.index()];
    const QuotaLimits* const limits = at(own.limits);
    if (limits == nullptr) return;
    visit(own.use);
    if (limits->counts_users()) visit(row(own.of_user, place.user));
    if (limits->counts_accounts()) visit(row(own.of_account, place.account_name));
}

void QuotaTree::count(const Job& job, Index leaf, std::int64_t times) {
    const std::int64_t jobs = times * jobs_in(job);
    const Place& place = leaves_[leaf].place;
    if (!job.allocation) {  // Only a run holds something.
        return each_use(place, job, [&](QuotaUse& sum) { sum.submitted += jobs; });
    }
    const std::int64_t nodes = times * static_cast<std::int64_t>(job.nodes.size());
    const Resources amount = job.allocated * times;
    const LicenseCounts& licenses = licenses_of(job);
    each_use(place, job, [&](QuotaUse& sum) {
        sum.submitted += jobs;
        sum.running += times;
        if (sum.running == 0) {
            sum.held = {};
            return;
        }
        QuotaUse::Held& held = sum.held.edit();
        held.nodes += nodes;
        held.amount += amount;
        add_counts(held.licenses, licenses, times);
    });
}

const LicenseCounts& QuotaTree::licenses_of(const Job& run) const {
    static const LicenseCounts kNothing;
    const auto known = held_licenses_.find(run.id);
    return known == held_licenses_.end() ? kNothing : known->second;
}

void QuotaTree::note_run(const Job& job, Index leaf) {
    if (!job.allocation) return;
    std::vector<QosId>& changed = changed_[leaf];
    const auto add = [&](QosId qos) {
        if (std::ranges::find(changed, qos) == changed.end()) changed.push_back(qos);
    };
    add(job.qos);
    if (const auto other = partition_qos(job.partition)) add(*other);
}

std::int64_t QuotaTree::used_by(const Job& run, std::size_t tres) const {
    if (!run.allocation) return 0;
    return amount_of_run(queues_.tres()[tres], queues_.flavors(), run, licenses_of(run));
}

std::vector<QueueQuotas::Reach> QuotaTree::count_in_queues(const Job& run, Index leaf,
                                                           std::int64_t times) {
    std::vector<QueueQuotas::Reach> changes;
    for (std::size_t tres = 0; tres < queues_.tres().size(); ++tres) {
        const std::int64_t amount = used_by(run, tres);
        if (amount == 0) continue;
        changes.push_back(queues_.use(leaves_[leaf].place.account, tres, times * amount));
    }
    return changes;
}

void QuotaTree::note_quotas(const std::vector<QueueQuotas::Reach>& changes) {
    for (const auto& [all, beyond_right] : changes) {
        if (all != kNone) requoted_.set(all);
        repooled_.set(beyond_right == kNone ? accounts_.size() : beyond_right);
    }
}

void QuotaTree::set_aside(const Job& job, Index leaf) {
    count(job, leaf, -1);
    count_in_queues(job, leaf, -1);
}

void QuotaTree::put_back(const Job& job, Index leaf) {
    count(job, leaf, 1);
    count_in_queues(job, leaf, 1);
}

void QuotaTree::add(const Job& job, Index leaf) {
    BERTH_ASSERT(!is_final(job.state) && leaf < leaves_.size());
    if (!job.allocation || job.allocation->licenses.empty()) {
        held_licenses_.erase(job.id);
    } else if (!held_licenses_.contains(job.id)) {  // Found by name once in each run.
        held_licenses_[job.id] = licenses_->counts_of(job.allocation->licenses);
    }
    count(job, leaf, 1);
    note_quotas(count_in_queues(job, leaf, 1));
    note_run(job, leaf);
}

void QuotaTree::remove(const Job& job, Index leaf) {
    count(job, leaf, -1);
    note_quotas(count_in_queues(job, leaf, -1));
    note_run(job, leaf);
}

void QuotaTree::forget(JobId job) { held_licenses_.erase(job); }

const QuotaLimits* QuotaTree::nearest_limits(const Place& place) const {
    if (place.association != kNone) return at(place.association);
    return place.account == kNone ? nullptr : at(accounts_[place.account].nearest);
}

const QuotaLimits* QuotaTree::limits_of_qos(QosId qos) const {
    return qos.index() < qos_.size() ? at(qos_[qos.index()].limits) : nullptr;
}

std::optional<QosId> QuotaTree::partition_qos(PartitionId partition) const {
    if (partition.index() >= partition_qos_.size()) return std::nullopt;
    return partition_qos_[partition.index()];
}

QuotaTree::QosLimits QuotaTree::qos_limits(QosId own, PartitionId partition) const {
    const QosLimits::One mine{own, limits_of_qos(own)};
    const std::optional<QosId> other = partition_qos(partition);
    if (!other || *other == own || limits_of_qos(*other) == nullptr)
        return {.each = {mine}, .over = mine.limits};
    const QosLimits::One of_partition{*other, limits_of_qos(*other)};
    if (mine.limits == nullptr) return {.each = {of_partition}, .over = of_partition.limits};
    const TwoQos& two = two_qos_.at({*other, own});
    const QosLimits::One second{two.own_first ? *other : own, &two.second};
    return {.each = {two.own_first ? mine : of_partition, second}, .over = &two.both};
}

const QuotaUse& QuotaTree::use_of_leaf(Index leaf) const {
    return leaf == kNone ? no_use() : leaves_[leaf].use;
}
QuotaTree::QosUse QuotaTree::use_of_qos(QosId qos, const Place& place) const {
    const Qos& row = qos_[qos.index()];
    return {row.use, row_if_any(row.of_user, place.user),
            row_if_any(row.of_account, place.account_name)};
}

// ---- News.

void QuotaTree::want_all_below(Index account, BitSet& wanted) const {
    Index leaf = last_of_account_[account];
    for (; leaf != kNone; leaf = leaves_[leaf].next_of_account) wanted.set(leaf);
    for (const Index child : accounts_[account].children) want_all_below(child, wanted);
}

void QuotaTree::want_all_below(const BitSet& accounts, BitSet& wanted) const {
    if (queues_.tres().empty()) return;
    if (accounts.test(accounts_.size())) {
        for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) wanted.set(leaf);
        return;
    }
    for (std::size_t a = accounts.find_first(); a != BitSet::kNone; a = accounts.find_next(a)) {
        want_all_below(static_cast<Index>(a), wanted);
    }
}

QuotaTree::News QuotaTree::take_news() {
    News news;
    if (concerned_by_news() == Concerned::nobody) return news;
    news.all = std::exchange(all_, false);
    BitSet wanted(leaves_.size()), seen(accounts_.size()), qos(qos_.size());
    const auto want = [&](Index leaf, Index Leaf::* next) {
        for (; leaf != kNone; leaf = leaves_[leaf].*next) wanted.set(leaf);
    };
    for (const auto& [leaf, ran_in] : std::exchange(changed_, {})) {
        const Place& place = leaves_[leaf].place;
        wanted.set(leaf);
        Index highest = kNone;  // With limits for all of its jobs.
        for (Index a = place.account; a != kNone; a = accounts_[a].parent) {
            const QuotaLimits* const limits = account(a).limits;
            if (limits != nullptr && limits->limits_all()) highest = a;
        }
        if (highest != kNone && !seen.test(highest)) {
            seen.set(highest);
            want_all_below(highest, wanted);
        }
        for (const QosId one : ran_in) {
            const QuotaLimits* const limits = limits_of_qos(one);
            if (limits == nullptr) continue;
            if (limits->limits_all()) qos.set(one.index());
            if (limits->limits_users()) want(last_of_user_[place.user], &Leaf::next_of_user);
            if (limits->limits_accounts())
                want(last_of_account_[place.account_name], &Leaf::next_of_account);
        }
    }
    for (const Index account : std::exchange(relimited_, {})) want_all_below(account, wanted);
    BitSet beyond_right(leaves_.size());
    want_all_below(std::exchange(requoted_, BitSet(accounts_.size() + 1)), wanted);
    want_all_below(std::exchange(repooled_, BitSet(accounts_.size() + 1)), beyond_right);
    for (std::size_t i = wanted.find_first(); i != BitSet::kNone; i = wanted.find_next(i)) {
        news.leaves.push_back(static_cast<Index>(i));
        beyond_right.reset(i);
    }
    for (std::size_t i = beyond_right.find_first(); i != BitSet::kNone;
         i = beyond_right.find_next(i)) {
        news.leaves_beyond_right.push_back(static_cast<Index>(i));
    }
    for (std::size_t i = qos.find_first(); i != BitSet::kNone; i = qos.find_next(i)) {
        news.qos.push_back(QosId::from_index(i));
    }
    return news;
}

bool QuotaTree::same_as(const QuotaTree& other) const {
    return counts_as(other) && limits_as(other);
}

// REQUIRES: both have the same leaves, accounts and QOS.
bool QuotaTree::limits_as(const QuotaTree& other) const {
    const auto equal = [](const QuotaLimits* one, const QuotaLimits* two) {
        return one == nullptr || two == nullptr ? one == two : *one == *two;
    };
    for (Index a = 0; a < accounts_.size(); ++a) {
        if (!equal(account(a).limits, other.account(a).limits) ||
            account(a).queue != other.account(a).queue) {
            return false;
        }
    }
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
        const Place &place = leaves_[i].place, &there = other.leaves_[i].place;
        if (!equal(at(place.association), other.at(there.association)) ||
            !equal(nearest_limits(place), other.nearest_limits(there))) {
            return false;
        }
    }
    for (std::size_t q = 0; q < qos_.size(); ++q) {
        const QosId qos = QosId::from_index(q);
        if (!equal(limits_of_qos(qos), other.limits_of_qos(qos))) return false;
    }
    return true;
}

bool QuotaTree::counts_as(const QuotaTree& other) const {
    if (enforced_ != other.enforced_ || leaves_.size() != other.leaves_.size() ||
        accounts_.size() != other.accounts_.size() || qos_.size() != other.qos_.size() ||
        licenses_ != other.licenses_ || held_licenses_ != other.held_licenses_ ||
        queues_ != other.queues_) {
        return false;
    }
    const auto same = [](const auto& a, const auto& b) { return a.use == b.use; };
    if (!std::ranges::equal(leaves_, other.leaves_, same) ||
        !std::ranges::equal(accounts_, other.accounts_, same) ||
        !std::ranges::equal(qos_, other.qos_, same)) {
        return false;
    }
    for (std::size_t q = 0; q < qos_.size(); ++q) {
        const QosId qos = QosId::from_index(q);
        for (const auto& [user, number] : users_) {
            const auto known = other.users_.find(user);
            const Index there = known == other.users_.end() ? kNone : known->second;
            if (use_of_qos(qos, {.user = number}).of_user !=
                other.use_of_qos(qos, {.user = there}).of_user) {
                return false;
            }
        }
        for (const auto& [account, number] : account_names_) {
            const auto known = other.account_names_.find(account);
            const Index there = known == other.account_names_.end() ? kNone : known->second;
            if (use_of_qos(qos, {.account_name = number}).of_account !=
                other.use_of_qos(qos, {.account_name = there}).of_account) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace berth
