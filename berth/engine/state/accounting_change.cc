#include "berth/engine/state/accounting_change.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/name_index.h"

namespace berth {
namespace {

bool has_share_of(const AccountSpec& one, const AccountSpec& other) {
    return one.parent == other.parent && one.shares == other.shares &&
           one.shares_of_parent == other.shares_of_parent && one.priority == other.priority;
}

bool has_share_of(const AssociationSpec& one, const AssociationSpec& other) {
    return one.shares == other.shares && one.shares_of_parent == other.shares_of_parent &&
           one.priority == other.priority;
}

// Whom a QOS preempts decides where its jobs stand in the order.
bool differs_in_limits_alone(const QosSpec& one, const QosSpec& other) {
    return one.priority == other.priority && one.max_wall == other.max_wall &&
           one.gone == other.gone && one.usage_factor == other.usage_factor &&
           one.preempt == other.preempt;
}

// Of each edit, what it is of; nullptr: that is new.
template <class Edits, class Items, class NameOf, class ItemNameOf>
auto known_of(const Edits& edits, NameOf name_of, const Items& items, ItemNameOf item_name_of) {
    using Item = typename Items::value_type;
    std::vector<const Item*> known(edits.size());
    if (edits.empty()) return known;
    const NameIndex named(edits, name_of);
    std::vector<const Item*> by_name(named.size());
    for (const Item& item : items) {
        const auto* const entry = named.find(item_name_of(item));
        if (entry == nullptr) continue;
        const Item*& first = by_name[named.number_of(*entry)];
        if (first == nullptr) first = &item;
    }
    for (std::size_t e = 0; e < edits.size(); ++e)
        known[e] = by_name[named.number_of(*named.find(name_of(edits[e])))];
    return known;
}

const auto kNameOf = [](const auto& one) { return std::string_view(one.name); };
const auto kPlainNameOf = [](const std::string& one) { return std::string_view(one); };
using AccountUser = std::pair<std::string_view, std::string_view>;
const auto kAccountUserOf = [](const AssociationSpec& one) {
    return AccountUser(one.account, one.user);
};
const auto kAccountUserOfPair = [](const std::pair<std::string, std::string>& one) {
    return AccountUser(one);
};

// What the edits are of, as it was.
struct KnownBefore {
    std::vector<const AccountSpec*> accounts, removed_accounts;
    std::vector<const AssociationSpec*> associations, removed_associations;
    std::vector<const QosSpec*> qos;

    KnownBefore(const ClusterSpec& before, const AccountingEdits& edits)
        : accounts(known_of(edits.accounts, kNameOf, before.accounts, kNameOf)),
          removed_accounts(
              known_of(edits.removed_accounts, kPlainNameOf, before.accounts, kNameOf)),
          associations(
              known_of(edits.associations, kAccountUserOf, before.associations, kAccountUserOf)),
          removed_associations(known_of(edits.removed_associations, kAccountUserOfPair,
                                        before.associations, kAccountUserOf)),
          qos(known_of(edits.qos, kNameOf, before.qos, kNameOf)) {}
};

// Whether each edit is of something known, with which it has in common what `keeps` asks for.
template <class Item, class Edits, class Keeps>
bool all_keep(const std::vector<const Item*>& known, const Edits& edits, Keeps keeps) {
    for (std::size_t e = 0; e < known.size(); ++e) {
        if (known[e] == nullptr || !keeps(*known[e], edits[e])) return false;
    }
    return true;
}

template <class Item>
bool any_known(const std::vector<const Item*>& known) {
    return std::ranges::any_of(known, [](const Item* one) { return one != nullptr; });
}

bool changes_shares(const KnownBefore& known, const AccountingEdits& edits) {
    const auto has_share = [](const auto& one, const auto& other) {
        return has_share_of(one, other);
    };
    return any_known(known.removed_accounts) || any_known(known.removed_associations) ||
           !all_keep(known.accounts, edits.accounts, has_share) ||
           !all_keep(known.associations, edits.associations, has_share);
}

// Who is new or goes may be bound by the limits of those above.
bool changes_limits(const KnownBefore& known, const AccountingEdits& edits) {
    const auto keeps_account = [](const AccountSpec& one, const AccountSpec& edit) {
        return one.limits == edit.limits && one.parent == edit.parent;
    };
    const auto keeps_association = [](const AssociationSpec& one, const AssociationSpec& edit) {
        return one.limits == edit.limits;
    };
    const auto keeps_qos = [](const QosSpec& one, const QosSpec& edit) {
        return one.limits == edit.limits && one.gone == edit.gone;
    };
    return !edits.queues.empty() || !edits.removed_queues.empty() ||
           !edits.removed_accounts.empty() || !edits.removed_associations.empty() ||
           !all_keep(known.accounts, edits.accounts, keeps_account) ||
           !all_keep(known.associations, edits.associations, keeps_association) ||
           !all_keep(known.qos, edits.qos, keeps_qos);
}

}  // namespace

AccountingChange change_of(const ClusterSpec& before, const AccountingEdits& edits) {
    const KnownBefore known(before, edits);
    return {.shares = changes_shares(known, edits),
            .limits = changes_limits(known, edits),
            .qos = !all_keep(known.qos, edits.qos, differs_in_limits_alone)};
}

}  // namespace berth
