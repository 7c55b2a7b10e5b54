// ShareTree: accounts and users with their shares and usage, and their standing. The input of
// fairness rules.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/policy/factor.h"

namespace berth {

struct ShareNode {
    std::string account, user;  // `user` is empty for an account.
    std::size_t parent = 0;     // The root is its own parent.
    // The level at which it competes: the nearest account above that has shares of its own.
    std::size_t level = 0;
    std::int64_t shares = 1;
    bool of_parent = false;         // Fairshare=parent.
    std::int64_t priority = 0;      // The effective priority: its own, or that of an account above.
    std::int64_t level_shares = 0;  // Sum of all shares at that level.
    UsageAmount used;               // For an account, including everything below it.

    bool is_user() const { return !user.empty(); }
};

class ShareTree {
public:
    // Builds the tree from the accounts and associations of a configuration. As in Slurm, it
    // includes user root with one share at the top, unless the configuration describes account root
    // itself. `others`: users that the configuration does not name. Each gets one share of its
    // account, or of the root if the account is unknown, too.
    ShareTree(const ClusterSpec& spec, std::span<const std::pair<std::string, std::string>> others);
    ShareTree();

    const std::vector<ShareNode>& nodes() const { return nodes_; }  // Parents first; the root is 0.
    std::size_t users() const { return users_; }
    std::int64_t priority_max() const { return priority_max_; }

    const std::size_t* find(const std::string& account, const std::string& user) const;
    std::size_t account_or_root(const std::string& account) const;

    // To replace all usage, call clear_usage(), add_usage() for each node, then sum_usage() once.
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

// A number that may be infinite: LevelFS of a user without usage.
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

// part / whole within [0, 1], in units of 2^-62; 0 if whole is 0.
std::int64_t fraction62(UsageAmount part, UsageAmount whole);

}  // namespace berth
