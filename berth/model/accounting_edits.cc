#include "berth/model/accounting_edits.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace berth {
namespace {

template <class Items, class Item, class Key>
void upsert(Items& items, const Item& item, Key key) {
    const auto& wanted = key(item);
    const auto at =
        std::ranges::find_if(items, [&](const Item& one) { return key(one) == wanted; });
    if (at == items.end()) {
        items.push_back(item);
    } else {
        edit_at(items, static_cast<std::size_t>(at - items.begin())) = item;
    }
}

template <class Items, class Name, class Key>
void remove(Items& items, const Name& name, Key key) {
    erase_if(items, [&](const auto& one) { return key(one) == name; });
}

// Keys by reference: thousands of associations are searched for one.
using AccountAndUser = std::pair<std::string_view, std::string_view>;
const auto kAccountKey = [](const AccountSpec& one) -> const std::string& { return one.name; };
const auto kAssociationKey = [](const AssociationSpec& one) {
    return AccountAndUser(one.account, one.user);
};
const auto kPairKey = [](const std::pair<std::string, std::string>& one) {
    return AccountAndUser(one);
};
const auto kQosKey = [](const QosSpec& one) -> const std::string& { return one.name; };
const auto kQueueKey = [](const QueueSpec& one) -> const std::string& { return one.name; };
const auto kLevelKey = [](const AdminLevel& one) -> const std::string& { return one.user; };
constexpr std::identity kSelf;

}  // namespace

void merge(AccountingEdits& into, const AccountingEdits& later) {
    for (const std::string& name : later.removed_accounts) {
        remove(into.accounts, name, kAccountKey);
        upsert(into.removed_accounts, name, kSelf);
    }
    for (const auto& name : later.removed_associations) {
        remove(into.associations, kPairKey(name), kAssociationKey);
        upsert(into.removed_associations, name, kPairKey);
    }
    for (const AccountSpec& one : later.accounts) {
        remove(into.removed_accounts, one.name, kSelf);
        upsert(into.accounts, one, kAccountKey);
    }
    for (const AssociationSpec& one : later.associations) {
        remove(into.removed_associations, kAssociationKey(one), kPairKey);
        upsert(into.associations, one, kAssociationKey);
    }
    for (const QosSpec& one : later.qos) upsert(into.qos, one, kQosKey);
    for (const AdminLevel& one : later.levels) upsert(into.levels, one, kLevelKey);
    for (const std::string& name : later.removed_queues) {
        remove(into.queues, name, kQueueKey);
        upsert(into.removed_queues, name, kSelf);
    }
    for (const QueueSpec& one : later.queues) {
        remove(into.removed_queues, one.name, kSelf);
        upsert(into.queues, one, kQueueKey);
    }
}

void apply_edits(ClusterSpec& spec, const AccountingEdits& edits) {
    for (const std::string& name : edits.removed_accounts) remove(spec.accounts, name, kAccountKey);
    for (const auto& name : edits.removed_associations) {
        remove(spec.associations, kPairKey(name), kAssociationKey);
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
    for (const std::string& name : edits.removed_queues) remove(spec.queues, name, kQueueKey);
    for (const QueueSpec& one : edits.queues) upsert(spec.queues, one, kQueueKey);
}

}  // namespace berth
