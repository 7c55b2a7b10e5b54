// ShareTree: accounts and users with their shares and what they have used, and where that leaves
// each of them. What rules of fairness work on.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/policy/factor.h"

namespace berth {

struct ShareNode {
    std::string account, user;  // An account has no user.
    std::size_t parent = 0;     // The root's is itself.
    // Where it competes: the nearest account above that has shares of its own.
    std::size_t level = 0;
    std::int64_t shares = 1;
    bool of_parent = false;         // Fairshare=parent.
    std::int64_t priority = 0;      // In force: its own, or that of an account above.
    std::int64_t level_shares = 0;  // All shares where it competes.
    UsageAmount used;               // An account's holds that of all beneath it.

    bool is_user() const { return !user.empty(); }
};

class ShareTree {
public:
    // The accounts and associations of a configuration; user root, with one share at the top, is
    // among them, as in Slurm, unless the configuration describes account root itself. `others`:
    // users that it does not name, each with one share of their account, or of the root's where
    // that is not known either.
    ShareTree(const ClusterSpec& spec, std::span<const std::pair<std::string, std::string>> others);
    ShareTree();

    const std::vector<ShareNode>& nodes() const { return nodes_; }  // Parents first; the root is 0.
    std::size_t users() const { return users_; }
    std::int64_t priority_max() const { return priority_max_; }

    const std::size_t* find(const std::string& account, const std::string& user) const;
    std::size_t account_or_root(const std::string& account) const;

    // Sets all usage anew: add() each, then sum() once.
    void clear_usage();
    void add_usage(std::size_t node, UsageAmount used);
    void sum_usage();

private:
    std::size_t add(ShareNode node, std::optional<std::int64_t> priority);
    void find_levels();

    std::vector<ShareNode> nodes_;
    std::map<std::pair<std::string, std::string>, std::size_t> by_name_;
    std::size_t users_ = 0;
    std::int64_t priority_max_ = 0;
};

// A number that may be without bound: LevelFS of someone who has used nothing.
struct LevelFairShare {
    bool infinite = false;
    std::int64_t billionths = 0;
    friend bool operator==(const LevelFairShare&, const LevelFairShare&) = default;
};

// Shares and usages in units of 2^-62.
struct ShareStanding {
    std::int64_t norm_shares = 0, norm_usage = 0, effective_usage = 0;
    LevelFairShare level;
    Factor factor;
};

// part / whole within [0, 1], in units of 2^-62. A whole of nothing gives 0.
std::int64_t fraction62(UsageAmount part, UsageAmount whole);

}  // namespace berth
