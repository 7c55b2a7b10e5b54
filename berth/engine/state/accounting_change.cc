#include "berth/engine/state/accounting_change.h"

#include <algorithm>

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

bool changes_shares(const ClusterSpec& before, const AccountingEdits& edits) {
    const auto account = [&](const std::string& name) {
        return std::ranges::find(before.accounts, name, &AccountSpec::name);
    };
    const auto association = [&](const std::string& of, const std::string& user) {
        return std::ranges::find_if(before.associations, [&](const AssociationSpec& one) {
            return one.account == of && one.user == user;
        });
    };
    const auto end = before.accounts.end();
    const auto last = before.associations.end();
    return std::ranges::any_of(edits.accounts,
                               [&](const AccountSpec& one) {
                                   const auto known = account(one.name);
                                   return known == end || !has_share_of(*known, one);
                               }) ||
           std::ranges::any_of(edits.removed_accounts,
                               [&](const std::string& name) { return account(name) != end; }) ||
           std::ranges::any_of(edits.associations,
                               [&](const AssociationSpec& one) {
                                   const auto known = association(one.account, one.user);
                                   return known == last || !has_share_of(*known, one);
                               }) ||
           std::ranges::any_of(edits.removed_associations, [&](const auto& name) {
               return association(name.first, name.second) != last;
           });
}

bool changes_qos(const ClusterSpec& before, const AccountingEdits& edits) {
    return std::ranges::any_of(edits.qos, [&](const QosSpec& one) {
        const auto known = std::ranges::find(before.qos, one.name, &QosSpec::name);
        return known == before.qos.end() || !differs_in_limits_alone(*known, one);
    });
}

}  // namespace

AccountingChange change_of(const ClusterSpec& before, const AccountingEdits& edits) {
    return {.shares = changes_shares(before, edits), .qos = changes_qos(before, edits)};
}

}  // namespace berth
