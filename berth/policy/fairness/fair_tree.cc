// fair_tree: users below their share come first, level by level: accounts are compared only with
// their siblings, and so are users.
//
// After Slurm's default (`fair_tree.c`; Cox and Morrison, 2014). LevelFS = S/U, where S is the
// node's part of its level's shares and U its part of the level's usage. Siblings are sorted by
// LevelFS, users before accounts if equal. Users are ranked in the order in which a walk down the
// tree, account by account, meets them; equal siblings share a rank. As in Slurm's code, though not
// its documentation, equal accounts are still walked one after the other.
#include <algorithm>

#include "berth/policy/rule.h"

namespace berth {
namespace {

// Compares S/U of two siblings, whose shares and usages have the same totals.
struct Level {
    enum class Bound : std::uint8_t { zero, finite, infinite } bound = Bound::finite;
    std::int64_t shares = 0;
    Wide used = 0;

    // Higher first.
    friend std::strong_ordering operator<=>(const Level& a, const Level& b) {
        if (a.bound != b.bound || a.bound != Bound::finite) return b.bound <=> a.bound;
        const Wide left = Wide{b.shares} * a.used, right = Wide{a.shares} * b.used;
        return left < right   ? std::strong_ordering::less
               : left > right ? std::strong_ordering::greater
                              : std::strong_ordering::equal;
    }
    friend bool operator==(const Level& a, const Level& b) { return (a <=> b) == 0; }
};

Level level_of(const ShareNode& node) {
    Level level{.shares = node.shares, .used = std::max<Wide>(node.used.units(), 0)};
    const bool unused = node.shares > 0 && level.used == 0;
    if (node.of_parent || unused) {
        level.bound = Level::Bound::infinite;
    } else if (node.shares == 0) {
        level.bound = Level::Bound::zero;
    }
    return level;
}

constexpr std::int64_t kBillion = 1'000'000'000;
// The largest value that fits a number of billionths.
constexpr std::int64_t kMostShown = 4'000'000'000;

// (shares / all shares) / (used / all used), in billionths.
LevelFairShare level_fair_share(const ShareNode& node, UsageAmount all_used) {
    const Level level = level_of(node);
    if (level.bound == Level::Bound::zero) return {};
    if (level.bound == Level::Bound::infinite) return {.infinite = true};
    Wide part = all_used.units(), whole = level.used;
    while (part >= Wide{1} << 92) part >>= 1, whole >>= 1;
    part *= node.shares;
    if (whole == 0) return {.infinite = true};
    // The divisor must leave room for one more digit.
    while (whole >= (Wide{1} << 122) / std::max<std::int64_t>(node.level_shares, 1)) {
        part >>= 1, whole >>= 1;
    }
    whole *= node.level_shares;
    Wide result = part / whole, rest = part % whole;
    if (result >= kMostShown) return {.billionths = kMostShown * kBillion};
    for (int digit = 0; digit < 9; ++digit) {
        result = result * 10 + rest * 10 / whole;
        rest = rest * 10 % whole;
    }
    return {.billionths = static_cast<std::int64_t>(result)};
}

class Walk {
public:
    explicit Walk(const ShareTree& tree, std::vector<ShareStanding>& standings)
        : nodes_(tree.nodes()),
          standings_(standings),
          levels_(nodes_.size()),
          children_(nodes_.size()),
          users_(static_cast<std::int64_t>(tree.users())),
          rank_(users_),
          next_(users_) {
        for (std::size_t i = 1; i < nodes_.size(); ++i) {
            levels_[i] = level_of(nodes_[i]);
            const bool only_passes_on = nodes_[i].of_parent && !nodes_[i].is_user();
            if (!only_passes_on) children_[nodes_[i].level].push_back(i);
        }
    }

    void down(std::size_t account, bool tied_above) {
        std::vector<std::size_t>& siblings = children_[account];
        std::ranges::stable_sort(siblings, [&](std::size_t a, std::size_t b) {
            const auto order = levels_[a] <=> levels_[b];
            return order != 0 ? order < 0 : nodes_[a].is_user() && !nodes_[b].is_user();
        });
        const Level* before = nullptr;
        for (const std::size_t i : siblings) {
            const bool tied = before == nullptr ? tied_above : *before == levels_[i];
            if (nodes_[i].is_user()) {
                if (!tied) rank_ = next_;
                standings_[i].factor = {rank_, users_};
                --next_;
            } else {
                down(i, tied);
            }
            before = &levels_[i];
        }
    }

private:
    const std::vector<ShareNode>& nodes_;
    std::vector<ShareStanding>& standings_;
    std::vector<Level> levels_;
    std::vector<std::vector<std::size_t>> children_;
    std::int64_t users_, rank_, next_;
};

class FairTree : public FairnessRule {
public:
    bool has_levels() const override { return true; }

    std::vector<ShareStanding> standings(const ShareTree& tree) const override {
        const std::vector<ShareNode>& nodes = tree.nodes();
        std::vector<ShareStanding> all(nodes.size());
        all.front().effective_usage = kOne62;
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            const ShareNode& node = nodes[i];
            ShareStanding& one = all[i];
            const ShareNode& shown = node.of_parent ? nodes[node.level] : node;
            if (shown.level_shares > 0) {
                one.norm_shares =
                    static_cast<std::int64_t>(ratio62(shown.shares, shown.level_shares));
            }
            one.norm_usage = fraction62(node.used, nodes.front().used);
            one.effective_usage = fraction62(node.used, nodes[node.level].used);
            one.level = level_fair_share(node, nodes[node.level].used);
        }
        Walk(tree, all).down(0, false);
        return all;
    }
};

}  // namespace

RuleDef<FairnessRule> fairness_fair_tree() {
    return {
        .name = "fair_tree",
        .summary = "Ranks users by how far each account, then each user, is below its share.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<FairnessRule> {
            return std::make_unique<FairTree>();
        },
    };
}

}  // namespace berth
