#include "berth/engine/limits/limit_change.h"

#include <algorithm>
#include <string_view>

#include "berth/base/name_index.h"
#include "berth/engine/limits/limit_terms.h"

namespace berth {
namespace {

using Index = QuotaTree::Index;

// The accounts that the edits name, and all below them.
BitSet accounts_of(const ClusterState& state, const AccountingEdits& edits) {
    const SharedList<AccountSpec>& accounts = state.spec().accounts;
    BitSet named(accounts.size()), found(accounts.size());
    const NameIndex edited(edits.accounts,
                           [](const AccountSpec& one) { return std::string_view(one.name); });
    for (std::size_t a = 0; a < accounts.size(); ++a) {
        if (edited.contains(accounts[a].name)) named.set(a);
    }
    for (std::size_t a = 0; a < accounts.size(); ++a) {
        auto above = static_cast<Index>(a);
        while (above != QuotaTree::kNone && !named.test(above))
            above = state.quota().account(above).parent;
        if (above != QuotaTree::kNone) found.set(a);
    }
    return found;
}

// Those of the associations that ever had a job.
std::vector<Index> leaves_of(const ClusterState& state, const AccountingEdits& edits) {
    std::vector<Index> leaves;
    const auto add = [&](const std::string& account, const std::string& user) {
        if (const auto known = state.usage().find(account, user))
            leaves.push_back(static_cast<Index>(*known));
    };
    for (const AssociationSpec& one : edits.associations) add(one.account, one.user);
    for (const auto& [account, user] : edits.removed_associations) add(account, user);
    std::ranges::sort(leaves);
    return leaves;
}

}  // namespace

LimitChange limit_change_of(const ClusterState& after, const AccountingEdits& edits) {
    LimitChange change;
    change.all = after.quota().concerned_by_news() == QuotaTree::Concerned::all;
    if (change.all || !after.quota().enforced()) return change;
    if (!edits.accounts.empty()) change.accounts = accounts_of(after, edits);
    change.leaves = leaves_of(after, edits);
    return change;
}

bool LimitChange::none() const {
    return !all && accounts.empty() && leaves.empty() && partitions.empty();
}

bool LimitChange::concerns(const ClusterState& state, const Job& job) const {
    if (all || std::ranges::binary_search(partitions, job.partition)) return true;
    if (accounts.empty() && leaves.empty()) return false;
    const QuotaTree::Place place = place_in_quota(state, job);
    return std::ranges::binary_search(leaves, place.leaf) ||
           (!accounts.empty() && place.account != QuotaTree::kNone && accounts.test(place.account));
}

}  // namespace berth
