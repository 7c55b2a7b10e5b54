// How the quota tree follows edits of limits: in what they concern, without counting jobs anew.
#include <algorithm>
#include <string_view>
#include <utility>

#include "berth/base/name_index.h"
#include "berth/engine/state/quota_tree.h"
#include "berth/model/limit_inheritance.h"

namespace berth {
namespace {

// Which uses of a QOS are counted.
struct Counted {
    bool at_all = false, of_users = false, of_accounts = false;
    friend bool operator==(const Counted&, const Counted&) = default;
};

Counted counted_by(const QuotaLimits* limits) {
    if (limits == nullptr) return {};
    return {true, limits->counts_users(), limits->counts_accounts()};
}

}  // namespace

bool QuotaTree::take_edits(const ClusterSpec& spec, const AccountingEdits& edits) {
    if (is_enforced_by(spec) != enforced_) return false;
    if (!enforced_) return true;
    if (!edits.queues.empty() || !edits.removed_queues.empty()) return false;
    if (!keeps_accounts(spec, edits) || !keeps_rows(spec)) return false;
    if (qos_of_partitions(spec) != partition_qos_) return false;
    if (*licenses_ != LicenseNumbers(spec)) return false;
    BitSet relimited(accounts_.size());
    for (const AccountSpec& one : edits.accounts) {
        const Index account = account_names_.find(one.name)->second;
        const Index parent = accounts_[account].parent;
        limit_account(spec, account, parent == kNone ? kNone : accounts_[parent].nearest);
        mark_all_below(account, relimited);
        relimited_.push_back(account);
    }
    for (const auto& [account, user] : edits.removed_associations) {
        limit_association(spec, {.account = account, .user = user});
    }
    const auto name_of = [](const AssociationSpec& one) {
        return std::pair<std::string_view, std::string_view>(one.account, one.user);
    };
    const NameIndex edited(edits.associations, name_of);
    for (const AssociationSpec& one : spec.associations) {
        const bool inherits = !one.limits.none() && inherits_from(one.account, relimited);
        if (inherits || edited.contains(name_of(one))) limit_association(spec, one);
    }
    if (!edits.qos.empty()) {
        limit_qos(spec);
        all_ = true;
    }
    return true;
}

// Whether the accounts are those that were there, each below the same one.
bool QuotaTree::keeps_accounts(const ClusterSpec& spec, const AccountingEdits& edits) const {
    if (spec.accounts.size() != accounts_.size()) return false;
    const auto number = [&](const std::string& name) {
        const auto at = account_names_.find(name);
        return at == account_names_.end() || at->second >= accounts_.size() ? kNone : at->second;
    };
    if (std::ranges::any_of(edits.removed_accounts, [&](const std::string& name) {
            return number(name) != kNone;  // And made anew in its place.
        })) {
        return false;
    }
    return std::ranges::all_of(edits.accounts, [&](const AccountSpec& one) {
        const Index account = number(one.name);
        if (account == kNone) return false;
        const Index parent = number(one.parent);
        return accounts_[account].parent == (parent == account ? kNone : parent);
    });
}

// Whether the uses that each QOS counts are those that it counted.
bool QuotaTree::keeps_rows(const ClusterSpec& spec) const {
    for (std::size_t q = 0; q < qos_.size(); ++q) {
        const Limits& limits = spec.qos[q].limits;
        const QuotaLimits now = quota_limits_of(spec.dimensions, licenses_, limits);
        if (counted_by(limits.none() ? nullptr : &now) != counted_by(at(qos_[q].limits))) {
            return false;
        }
    }
    return true;
}

void QuotaTree::mark_all_below(Index account, BitSet& marked) const {
    marked.set(account);
    for (const Index child : accounts_[account].children) mark_all_below(child, marked);
}

bool QuotaTree::inherits_from(const std::string& account, const BitSet& accounts) const {
    const auto at = account_names_.find(account);
    return at != account_names_.end() && at->second < accounts_.size() && accounts.test(at->second);
}

// Of an association that is gone, or sets no limits any more, nothing stays.
void QuotaTree::limit_association(const ClusterSpec& spec, const AssociationSpec& one) {
    const auto known = associations_.find({one.account, one.user});
    Index slot = known == associations_.end() ? kNone : known->second;
    if (one.limits.none()) {
        if (slot == kNone) return;
        associations_.erase(known);
        drop_limits(slot);
    } else {
        Limits own = one.limits;
        const auto account = account_names_.find(one.account);
        Index above = account == account_names_.end() || account->second >= accounts_.size()
                          ? kNone
                          : account->second;
        for (; above != kNone; above = accounts_[above].parent) {
            inherit_limits(own, spec.accounts[above].limits);
        }
        set_limits(slot, quota_limits_of(spec.dimensions, licenses_, own));
        associations_[{one.account, one.user}] = slot;
    }
    const auto user = users_.find(one.user);
    const auto account = account_names_.find(one.account);
    if (user == users_.end() || account == account_names_.end()) return;
    Index leaf = last_of_account_[account->second];
    while (leaf != kNone && leaves_[leaf].place.user != user->second) {
        leaf = leaves_[leaf].next_of_account;
    }
    if (leaf == kNone) return;
    leaves_[leaf].place.association = slot;
    changed_.try_emplace(leaf);
}

void QuotaTree::limit_qos(const ClusterSpec& spec) {
    qos_.resize(spec.qos.size());
    for (std::size_t q = 0; q < qos_.size(); ++q) {
        if (spec.qos[q].limits.none()) {
            drop_limits(qos_[q].limits);
        } else {
            set_limits(qos_[q].limits,
                       quota_limits_of(spec.dimensions, licenses_, spec.qos[q].limits));
        }
    }
    partition_qos_ = qos_of_partitions(spec);
    limit_two_qos(spec);
}

std::vector<std::optional<QosId>> QuotaTree::qos_of_partitions(const ClusterSpec& spec) const {
    std::vector<std::optional<QosId>> found;
    for (const PartitionSpec& one : spec.partitions) {
        const bool has_qos = !one.qos.empty() && !one.gone;
        found.push_back(has_qos ? spec.find_qos(one.qos) : std::nullopt);
    }
    return found;
}

void QuotaTree::limit_two_qos(const ClusterSpec& spec) {
    two_qos_.clear();
    for (const std::optional<QosId>& of_partition : partition_qos_) {
        const QuotaLimits* const theirs = of_partition ? limits_of_qos(*of_partition) : nullptr;
        if (theirs == nullptr) continue;
        for (std::size_t q = 0; q < qos_.size(); ++q) {
            const QosId own = QosId::from_index(q);
            const QuotaLimits* const mine = limits_of_qos(own);
            if (mine == nullptr || own == *of_partition) continue;
            const bool own_first = spec.qos[q].over_partition_qos;
            const QuotaLimits& first = own_first ? *mine : *theirs;
            const QuotaLimits second = without(own_first ? *theirs : *mine, first);
            two_qos_[{*of_partition, own}] = {own_first, second, joined(first, second)};
        }
    }
}

}  // namespace berth
