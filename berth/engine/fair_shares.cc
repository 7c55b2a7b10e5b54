#include "berth/engine/fair_shares.h"

namespace berth {

ShareTree share_tree_of(const ClusterSpec& spec, const std::vector<UsageRecord>& usage, Time at) {
    std::vector<std::pair<std::string, std::string>> others;
    if (!spec.scheduling.enforce_accounts) {  // Else whoever has no association has no share.
        for (const UsageRecord& record : usage) others.emplace_back(record.account, record.user);
    }
    ShareTree tree(spec, others);
    for (const UsageRecord& record : usage) {
        // What is left of an association that is gone stays its account's.
        const std::size_t* node = tree.find(record.account, record.user);
        tree.add_usage(node == nullptr ? tree.account_or_root(record.account) : *node,
                       record.used_by(at, kBillingUsage, spec.scheduling.usage_decay));
    }
    tree.sum_usage();
    return tree;
}

void FairShares::refresh(const ClusterState& state, const Policy& policy, Time at) {
    if (policy.priority_weight("fair_share") == 0 && policy.priority_weight("association") == 0) {
        return;
    }
    if (at_ == at && by_usage_.size() == state.usage().size()) return;
    at_ = at;
    const ShareTree tree = share_tree_of(state.spec(), state.usage(), at);
    const std::vector<ShareStanding> standings = policy.fairness().standings(tree);
    by_usage_.assign(state.usage().size(), {});
    for (std::size_t i = 0; i < by_usage_.size(); ++i) {
        const UsageRecord& record = state.usage()[i];
        const std::size_t* node = tree.find(record.account, record.user);
        if (node == nullptr) continue;
        by_usage_[i] = {standings[*node].factor, tree.nodes()[*node].priority, tree.priority_max()};
    }
}

AssociationStanding FairShares::of(std::optional<std::size_t> usage) const {
    return usage && *usage < by_usage_.size() ? by_usage_[*usage] : AssociationStanding{};
}

}  // namespace berth
