#include "berth/model/accounting_edits.h"

#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/name_index.h"

namespace berth {
namespace {

// Names by reference: thousands of them are compared.
using AccountAndUser = std::pair<std::string_view, std::string_view>;
const auto kName = [](const auto& one) { return std::string_view(one.name); };
const auto kUserName = [](const AdminLevel& one) { return std::string_view(one.user); };
const auto kSelfName = [](const std::string& one) { return std::string_view(one); };
const auto kAssociationName = [](const AssociationSpec& one) {
    return AccountAndUser(one.account, one.user);
};
const auto kPairName = [](const std::pair<std::string, std::string>& one) {
    return AccountAndUser(one);
};

// As if one edit after the other were laid over the list: of each thing the last one counts, and
// what is new comes last, in the order in which it was first named.
template <class Items, class Edits, class NameOf>
void upsert(Items& items, const Edits& edits, NameOf name_of) {
    if (edits.empty()) return;
    const NameIndex named(edits, name_of);
    std::vector<bool> is_done(named.size());
    std::size_t left = named.size();
    // The entry of what is not done yet, which then is.
    const auto take = [&](const auto& one) {
        const auto* const entry = named.find(name_of(one));
        if (entry == nullptr || is_done[named.number_of(*entry)]) return decltype(entry)(nullptr);
        is_done[named.number_of(*entry)] = true;
        --left;
        return entry;
    };
    for (std::size_t i = 0; i < items.size() && left > 0; ++i) {
        if (const auto* const entry = take(items[i])) edit_at(items, i) = edits[entry->last];
    }
    for (std::size_t e = 0; e < edits.size() && left > 0; ++e) {
        if (const auto* const entry = take(edits[e])) items.push_back(edits[entry->last]);
    }
}

template <class Items, class ItemNameOf, class Edits, class NameOf>
void remove(Items& items, ItemNameOf item_name_of, const Edits& edits, NameOf name_of) {
    if (edits.empty() || items.empty()) return;
    const NameIndex named(edits, name_of);
    erase_if(items, [&](const auto& one) { return named.contains(item_name_of(one)); });
}

// Who is named comes last, where his last edit is.
void set_operators(std::vector<std::string>& operators, const std::vector<AdminLevel>& levels) {
    remove(operators, kSelfName, levels, kUserName);
    const NameIndex named(levels, kUserName);
    for (std::size_t e = 0; e < levels.size(); ++e) {
        const AdminLevel& one = levels[e];
        if (one.is_operator && named.find(one.user)->last == e) operators.push_back(one.user);
    }
}

}  // namespace

// Of each list, what is removed goes before what is added: who is in both is there.
void merge(AccountingEdits& into, const AccountingEdits& later) {
    remove(into.accounts, kName, later.removed_accounts, kSelfName);
    upsert(into.removed_accounts, later.removed_accounts, kSelfName);
    remove(into.associations, kAssociationName, later.removed_associations, kPairName);
    upsert(into.removed_associations, later.removed_associations, kPairName);
    remove(into.removed_accounts, kSelfName, later.accounts, kName);
    upsert(into.accounts, later.accounts, kName);
    remove(into.removed_associations, kPairName, later.associations, kAssociationName);
    upsert(into.associations, later.associations, kAssociationName);
    upsert(into.qos, later.qos, kName);
    upsert(into.levels, later.levels, kUserName);
    remove(into.queues, kName, later.removed_queues, kSelfName);
    upsert(into.removed_queues, later.removed_queues, kSelfName);
    remove(into.removed_queues, kSelfName, later.queues, kName);
    upsert(into.queues, later.queues, kName);
}

void apply_edits(ClusterSpec& spec, const AccountingEdits& edits) {
    remove(spec.accounts, kName, edits.removed_accounts, kSelfName);
    remove(spec.associations, kAssociationName, edits.removed_associations, kPairName);
    upsert(spec.accounts, edits.accounts, kName);
    upsert(spec.associations, edits.associations, kAssociationName);
    upsert(spec.qos, edits.qos, kName);
    set_operators(spec.operators, edits.levels);
    remove(spec.queues, kName, edits.removed_queues, kSelfName);
    upsert(spec.queues, edits.queues, kName);
}

}  // namespace berth
