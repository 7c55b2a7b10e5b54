#include "berth/engine/derived/fair_shares.h"

#include "berth/base/fixed_point.h"

namespace berth {
namespace {

ShareTree tree_without_usage(const ClusterSpec& spec, const std::vector<UsageRecord>& usage) {
    std::vector<std::pair<std::string, std::string>> others;
    // If accounts are enforced, a user without an association has no share.
    if (!spec.scheduling.enforce_accounts) {
        for (const UsageRecord& record : usage) others.emplace_back(record.account, record.user);
    }
    return {spec, others};
}

// The tree node of each usage record. Usage of an association that no longer exists stays with its
// account.
std::vector<std::size_t> nodes_of(const ShareTree& tree, const std::vector<UsageRecord>& usage) {
    std::vector<std::size_t> nodes;
    nodes.reserve(usage.size());
    for (const UsageRecord& record : usage) {
        const std::size_t* node = tree.find(record.account, record.user);
        nodes.push_back(node == nullptr ? tree.account_or_root(record.account) : *node);
    }
    return nodes;
}

void put_usage(ShareTree& tree, const std::vector<std::size_t>& nodes,
               const std::vector<UsageRecord>& usage, Time at, const UsageDecay& decay) {
    tree.clear_usage();
    for (std::size_t i = 0; i < usage.size(); ++i) {
        tree.add_usage(nodes[i], usage[i].used_by(at, kBillingUsage, decay));
    }
    tree.sum_usage();
}

}  // namespace

ShareTree share_tree_of(const ClusterSpec& spec, const std::vector<UsageRecord>& usage, Time at) {
    ShareTree tree = tree_without_usage(spec, usage);
    put_usage(tree, nodes_of(tree, usage), usage, at, spec.scheduling.usage_decay);
    return tree;
}

void FairShares::refresh(const ClusterState& state, const Policy& policy, Time at) {
    const bool orders_by_it = policy.order() != nullptr && policy.order()->reads_usage();
    if (!orders_by_it && policy.priority_weight("fair_share") == 0 &&
        policy.priority_weight("association") == 0) {
        return;
    }
    const std::vector<UsageRecord>& usage = state.usage().records();
    if (at_ == at && by_usage_.size() == usage.size()) return;
    // The configuration changed, or there is a new user.
    if (!at_ || nodes_.size() != usage.size()) {
        tree_ = tree_without_usage(state.spec(), usage);
        nodes_ = nodes_of(tree_, usage);
    }
    at_ = at;
    put_usage(tree_, nodes_, usage, at, state.spec().scheduling.usage_decay);
    const std::vector<ShareStanding> standings = policy.fairness().standings(tree_);
    by_usage_.assign(usage.size(), {});
    for (std::size_t i = 0; i < usage.size(); ++i) {
        const ShareNode& node = tree_.nodes()[nodes_[i]];
        if (!node.is_user()) continue;
        by_usage_[i] = {standings[nodes_[i]].factor, node.priority, tree_.priority_max()};
    }
}

Factor FairShares::usage_of(const std::string& account) const {
    const std::size_t node = tree_.account_or_root(account);
    if (node == 0) return {};
    return {fraction62(tree_.nodes()[node].used, tree_.nodes()[0].used), kOne62};
}

AssociationStanding FairShares::of(std::optional<std::size_t> usage) const {
    return usage && *usage < by_usage_.size() ? by_usage_[*usage] : AssociationStanding{};
}

}  // namespace berth
