// hierarchical_drf: dominant resource fairness at every level of the account tree.
//
// H-DRF of Bhattacharya et al. (SoCC '13), much as in Volcano's drf plugin: from the root down, the
// account with the lowest dominant share, divided by its shares, comes next; within an account its
// jobs by submission. What an account has is the sum of what its children have, each child scaled
// down to the lowest dominant share among them, divided by its shares as well (Volcano's is not).
// Otherwise a child that alone uses some resource would count against its siblings, and they would
// starve. A child that cannot have more, for want of jobs or because what its next job asks for is
// used up, is not scaled, and comes last.
//
// The jobs of an account that has accounts beneath it compete with those as one more child, with
// one share. Ties go to the earlier submission.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "berth/policy/rule.h"

namespace berth {
namespace {

constexpr Wide kWholeShare = Wide{1} << 62;

// The largest part of any resource that is used, in units of 2^-62.
Wide dominant_share(const Resources& used, const Resources& all) {
    Wide share = 0;
    for (std::size_t i = 0; i < kDimensionsMax; ++i) {
        const DimensionId d = DimensionId::from_index(i);
        if (all[d] > 0) share = std::max(share, ratio62(used[d], all[d]));
    }
    return share;
}

// An account, or the jobs of one that has accounts beneath it.
struct TreeNode {
    std::size_t parent = 0;  // The root's is itself.
    std::int64_t weight = 1;
    std::vector<std::size_t> children;
    // What it has; of an account with children, scaled as above.
    Resources used;
    Wide share = 0;
    bool is_full = false;             // It cannot have more.
    std::vector<std::size_t> jobs;    // Of a leaf: those that wait.
    std::size_t next = 0;             // Of `jobs`.
    std::optional<std::size_t> head;  // The job beneath it that comes next.

    using Place = std::tuple<bool, Wide, std::size_t, std::size_t>;  // …, head, node.
    std::set<Place> waiting;                                         // Children with a head.
};

class Tree {
public:
    Tree(std::span<const Job* const> jobs, const View& view)
        : jobs_(jobs), view_(view), all_(view.totals().capacity) {
        nodes_.resize(1);
        by_name_.emplace("root", 0);
        for (const AccountSpec& account : view.spec().accounts) add(account.name);
        for (const AccountSpec& account : view.spec().accounts) {
            const std::size_t node = by_name_.at(account.name), parent = add(account.parent);
            nodes_[node].weight = std::max<std::int64_t>(1, account.shares);
            if (node != 0) nodes_[node].parent = parent;
        }
        for (std::size_t i = 1; i < nodes_.size(); ++i)
            nodes_[nodes_[i].parent].children.push_back(i);
        for (const Job* job : view.running()) give(leaf_of(*job), job->allocated);
        for (std::size_t i = 0; i < jobs.size(); ++i) nodes_[leaf_of(*jobs[i])].jobs.push_back(i);
        used_up_ = used_up();
        refresh_all(0);
    }

    // The job that comes next; it then has what it asks for.
    std::optional<std::size_t> take() {
        if (!nodes_[0].head) return std::nullopt;
        const std::size_t job = *nodes_[0].head, leaf = leaf_of(*jobs_[job]);
        ++nodes_[leaf].next;
        give(leaf, asked(job));
        if (const DimensionSet now = used_up(); now != used_up_) {
            used_up_ = now;
            refresh_all(0);
        } else {
            refresh_up(leaf);
        }
        return job;
    }

private:
    std::size_t add(const std::string& name) {
        const auto [at, is_new] = by_name_.try_emplace(name.empty() ? "root" : name, nodes_.size());
        if (is_new) nodes_.emplace_back();
        return at->second;
    }

    // Made as jobs come: accounts that are not described lie beneath the root.
    std::size_t leaf_of(const Job& job) {
        const auto [at, is_new] = leaves_.try_emplace(job.spec.account);
        if (!is_new) return at->second;
        const std::string& name = job.spec.account;
        const auto account = by_name_.find(name);
        std::size_t leaf = account == by_name_.end() ? 0 : account->second;
        if (leaf == 0 || !nodes_[leaf].children.empty()) {
            nodes_[leaf].children.push_back(nodes_.size());
            nodes_.push_back({.parent = leaf});
            leaf = nodes_.size() - 1;
        }
        return at->second = leaf;
    }

    Resources asked(std::size_t job) const { return view_.tres(*jobs_[job]).amount; }

    void give(std::size_t leaf, const Resources& amounts) {
        nodes_[leaf].used += amounts;
        given_ += amounts;
    }

    DimensionSet used_up() const {
        DimensionSet set = 0;
        for (std::size_t i = 0; i < kDimensionsMax; ++i) {
            const DimensionId d = DimensionId::from_index(i);
            if (all_[d] > 0 && given_[d] >= all_[d]) set |= DimensionSet{1} << i;
        }
        return set;
    }

    bool asks_for_what_is_used_up(std::size_t job) const {
        const Resources amounts = asked(job);
        for (std::size_t i = 0; i < kDimensionsMax; ++i) {
            if ((used_up_ >> i & 1) != 0 && amounts[DimensionId::from_index(i)] > 0) return true;
        }
        return false;
    }

    void refresh_leaf(TreeNode& leaf) const {
        leaf.head =
            leaf.next < leaf.jobs.size() ? std::optional(leaf.jobs[leaf.next]) : std::nullopt;
        leaf.is_full = !leaf.head || asks_for_what_is_used_up(*leaf.head);
        leaf.share = dominant_share(leaf.used, all_);
    }

    void refresh_account(TreeNode& account) const {
        account.head = account.waiting.empty()
                           ? std::nullopt
                           : std::optional(std::get<2>(*account.waiting.begin()));
        Wide lowest = kWholeShare;
        account.is_full = true;
        for (const std::size_t child : account.children) {
            const TreeNode& node = nodes_[child];
            account.is_full &= node.is_full;
            if (!node.is_full && node.share > 0)
                lowest = std::min(lowest, node.share / node.weight);
        }
        account.used = {};
        for (const std::size_t child : account.children) {
            const TreeNode& node = nodes_[child];
            const Wide most = std::min(lowest * node.weight, kWholeShare);
            account.used += node.is_full || node.share <= most
                                ? node.used
                                : scaled(node.used, most, node.share);
        }
        account.share = dominant_share(account.used, all_);
    }

    static Resources scaled(const Resources& used, Wide part, Wide whole) {
        Resources result;
        for (std::size_t i = 0; i < kDimensionsMax; ++i) {
            const DimensionId d = DimensionId::from_index(i);
            if (used[d] > 0) result[d] = static_cast<std::int64_t>(used[d] * part / whole);
        }
        return result;
    }

    TreeNode::Place place_of(std::size_t node) const {
        const TreeNode& one = nodes_[node];
        return {one.is_full, one.share / one.weight, *one.head, node};
    }

    void refresh_all(std::size_t at) {
        TreeNode& node = nodes_[at];
        node.waiting.clear();
        for (const std::size_t child : node.children) {
            refresh_all(child);
            if (nodes_[child].head) node.waiting.insert(place_of(child));
        }
        refresh(at);
    }
    // From a leaf to the root. REQUIRES: it had a head.
    void refresh_up(std::size_t at) {
        while (at != 0) {
            TreeNode& parent = nodes_[nodes_[at].parent];
            parent.waiting.erase(place_of(at));  // As it was before.
            refresh(at);
            if (nodes_[at].head) parent.waiting.insert(place_of(at));
            at = nodes_[at].parent;
        }
        refresh(0);
    }
    void refresh(std::size_t at) {
        TreeNode& node = nodes_[at];
        if (node.children.empty()) return refresh_leaf(node);
        if (at != 0) return refresh_account(node);
        node.head =
            node.waiting.empty() ? std::nullopt : std::optional(std::get<2>(*node.waiting.begin()));
    }

    std::span<const Job* const> jobs_;
    const View& view_;
    Resources all_, given_;
    DimensionSet used_up_ = 0;
    std::vector<TreeNode> nodes_;  // The first is the root.
    std::map<std::string, std::size_t> by_name_, leaves_;
};

class HierarchicalDrf : public OrderRule {
public:
    std::vector<std::int64_t> ranks(std::span<const Job* const> jobs,
                                    const View& view) const override {
        std::vector<std::int64_t> all(jobs.size());
        Tree tree(jobs, view);
        std::int64_t rank = 0;
        while (const auto job = tree.take()) all[*job] = rank++;
        return all;
    }
};

}  // namespace

RuleDef<OrderRule> order_hierarchical_drf() {
    return {
        .name = "hierarchical_drf",
        .summary = "Dominant resource fairness between accounts, at each level of their tree.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<OrderRule> {
            return std::make_unique<HierarchicalDrf>();
        },
    };
}

}  // namespace berth
