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

// Who is new or goes may be bound by the limits of those above.
bool changes_limits(const ClusterSpec& before, const AccountingEdits& edits) {
    const auto has_limits = [](const auto& known, const auto& end, const auto& one) {
        return known != end && known->limits == one.limits;
    };
    const auto keeps_account = [&](const AccountSpec& one) {
        const auto known = std::ranges::find(before.accounts, one.name, &AccountSpec::name);
        return has_limits(known, before.accounts.end(), one) && known->parent == one.parent;
    };
    const auto keeps_association = [&](const AssociationSpec& one) {
        const auto known =
            std::ranges::find_if(before.associations, [&](const AssociationSpec& other) {
                return other.account == one.account && other.user == one.user;
            });
        return has_limits(known, before.associations.end(), one);
    };
    const auto keeps_qos = [&](const QosSpec& one) {
        const auto known = std::ranges::find(before.qos, one.name, &QosSpec::name);
        return has_limits(known, before.qos.end(), one) && known->gone == one.gone;
    };
    return !edits.queues.empty() || !edits.removed_queues.empty() ||
           !edits.removed_accounts.empty() || !edits.removed_associations.empty() ||
           !std::ranges::all_of(edits.accounts, keeps_account) ||
           !std::ranges::all_of(edits.associations, keeps_association) ||
           !std::ranges::all_of(edits.qos, keeps_qos);
}

}  // namespace

AccountingChange change_of(const ClusterSpec& before, const AccountingEdits& edits) {
    return {.shares = changes_shares(before, edits),
            .limits = changes_limits(before, edits),
            .qos = changes_qos(before, edits)};
}

}  // namespace berth
