#include "berth/policy/share_tree.h"

#include <algorithm>
#include <string_view>

#include "berth/base/assert.h"

namespace berth {
namespace {

bool describes_root(const SharedList<AccountSpec>& accounts) {
    return std::ranges::find(accounts, "root", &AccountSpec::name) != accounts.end();
}

// In the given order, but that an account comes after the one above it, which sacctmgr may have
// added later. The root is left out.
std::vector<const AccountSpec*> parents_first(const SharedList<AccountSpec>& accounts) {
    std::map<std::string_view, const AccountSpec*> waiting;
    for (const AccountSpec& one : accounts) {
        if (one.name != "root") waiting.try_emplace(one.name, &one);
    }
    std::vector<const AccountSpec*> all, chain;
    for (const AccountSpec& one : accounts) {
        chain.clear();
        for (auto at = waiting.find(one.name); at != waiting.end();
             at = waiting.find(chain.back()->parent)) {
            chain.push_back(at->second);
            waiting.erase(at);
        }
        all.insert(all.end(), chain.rbegin(), chain.rend());
    }
    return all;
}

}  // namespace

ShareTree::ShareTree() : ShareTree(ClusterSpec{}, {}) {}

ShareTree::ShareTree(const ClusterSpec& spec,
                     std::span<const std::pair<std::string, std::string>> others) {
    add({.account = "root", .user = {}, .used = {}}, std::nullopt);
    for (const AccountSpec* const account : parents_first(spec.accounts)) {
        add({.account = account->name,
             .user = {},
             .parent = account_or_root(account->parent),
             .shares = account->shares,
             .of_parent = account->shares_of_parent,
             .used = {}},
            account->priority);
    }
    for (const AssociationSpec& one : spec.associations) {
        add({.account = one.account,
             .user = one.user,
             .parent = account_or_root(one.account),
             .shares = one.shares,
             .of_parent = one.shares_of_parent,
             .used = {}},
            one.priority);
    }
    if (!describes_root(spec.accounts) && find("root", "root") == nullptr) {
        add({.account = "root", .user = "root", .used = {}}, std::nullopt);
    }
    for (const auto& [account, user] : others) {
        if (user.empty() || find(account, user) != nullptr) continue;
        add({.account = account, .user = user, .parent = account_or_root(account), .used = {}},
            std::nullopt);
    }
    find_levels();
}

std::size_t ShareTree::add(ShareNode node, std::optional<std::int64_t> priority) {
    const std::size_t index = nodes_.size();
    node.priority = priority.value_or(index == 0 ? 0 : nodes_[node.parent].priority);
    priority_max_ = std::max(priority_max_, node.priority);
    if (node.is_user()) ++users_;
    by_name_.try_emplace({node.account, node.user}, index);
    nodes_.push_back(std::move(node));
    return index;
}

void ShareTree::find_levels() {
    std::vector<std::int64_t> sums(nodes_.size());
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
        ShareNode& node = nodes_[i];
        const ShareNode& above = nodes_[node.parent];
        node.level = above.of_parent ? above.level : node.parent;
        if (!node.of_parent) sums[node.level] += node.shares;
    }
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
        nodes_[i].level_shares = sums[nodes_[i].level];
    }
}

const std::size_t* ShareTree::find(const std::string& account, const std::string& user) const {
    const auto found = by_name_.find({account, user});
    return found == by_name_.end() ? nullptr : &found->second;
}

std::size_t ShareTree::account_or_root(const std::string& account) const {
    const std::size_t* known = find(account, {});
    return known == nullptr ? 0 : *known;
}

void ShareTree::clear_usage() {
    for (ShareNode& node : nodes_) node.used = {};
}

void ShareTree::add_usage(std::size_t node, UsageAmount used) {
    nodes_[node].used = nodes_[node].used + used;
}

void ShareTree::sum_usage() {
    for (std::size_t i = nodes_.size(); i-- > 1;) {
        ShareNode& above = nodes_[nodes_[i].parent];
        above.used = above.used + nodes_[i].used;
    }
}

std::int64_t fraction62(UsageAmount part, UsageAmount whole) {
    Wide a = part.units(), b = whole.units();
    if (a <= 0 || b <= 0) return 0;
    if (a >= b) return kOne62;
    while (b >= Wide{1} << 64) a >>= 1, b >>= 1;
    return static_cast<std::int64_t>(ratio62(a, b));
}

}  // namespace berth
