#include "berth/model/accounting_edits.h"

#include <algorithm>

namespace berth {
namespace {

template <class Item, class Key>
void upsert(std::vector<Item>& items, const Item& item, Key key) {
    const auto at =
        std::ranges::find_if(items, [&](const Item& one) { return key(one) == key(item); });
    if (at == items.end()) {
        items.push_back(item);
    } else {
        *at = item;
    }
}

template <class Item, class Name, class Key>
void remove(std::vector<Item>& items, const Name& name, Key key) {
    std::erase_if(items, [&](const Item& one) { return key(one) == name; });
}

const auto kAccountKey = [](const AccountSpec& one) { return one.name; };
const auto kAssociationKey = [](const AssociationSpec& one) {
    return std::pair(one.account, one.user);
};
const auto kQosKey = [](const QosSpec& one) { return one.name; };
const auto kLevelKey = [](const AdminLevel& one) { return one.user; };
const auto kSelf = [](const auto& one) { return one; };

}  // namespace

void merge(AccountingEdits& into, const AccountingEdits& later) {
    for (const std::string& name : later.removed_accounts) {
        remove(into.accounts, name, kAccountKey);
        upsert(into.removed_accounts, name, kSelf);
    }
    for (const auto& name : later.removed_associations) {
        remove(into.associations, name, kAssociationKey);
        upsert(into.removed_associations, name, kSelf);
    }
    for (const AccountSpec& one : later.accounts) {
        remove(into.removed_accounts, one.name, kSelf);
        upsert(into.accounts, one, kAccountKey);
    }
    for (const AssociationSpec& one : later.associations) {
        remove(into.removed_associations, kAssociationKey(one), kSelf);
        upsert(into.associations, one, kAssociationKey);
    }
    for (const QosSpec& one : later.qos) upsert(into.qos, one, kQosKey);
    for (const AdminLevel& one : later.levels) upsert(into.levels, one, kLevelKey);
}

void apply_edits(ClusterSpec& spec, const AccountingEdits& edits) {
    for (const std::string& name : edits.removed_accounts) remove(spec.accounts, name, kAccountKey);
    for (const auto& name : edits.removed_associations) {
        remove(spec.associations, name, kAssociationKey);
    }
    for (const AccountSpec& one : edits.accounts) upsert(spec.accounts, one, kAccountKey);
    for (const AssociationSpec& one : edits.associations) {
        upsert(spec.associations, one, kAssociationKey);
    }
    for (const QosSpec& one : edits.qos) upsert(spec.qos, one, kQosKey);
    for (const AdminLevel& one : edits.levels) {
        remove(spec.operators, one.user, kSelf);
        if (one.is_operator) spec.operators.push_back(one.user);
    }
}

}  // namespace berth
