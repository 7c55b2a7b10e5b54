// classic: 2^(-usage / share): half for an association that has used exactly its share.
//
// After Slurm with PriorityFlags=NO_FAIR_TREE. Shares are multiplied down the tree. Effective usage
// blends an association's usage with its parent account's: UE = UA + (UE_parent - UA) × s / S,
// where s are its shares and S all shares of its level. With DEPTH_OBLIVIOUS (Blomqvist, 2012) the
// depth of an account does not matter: R = p × l^k, where p is the ratio of the parent account, l
// is usage per share relative to all siblings, and k falls from 1 to 0 where l would mask p.
#include <algorithm>

#include "berth/policy/rule.h"

namespace berth {
namespace {

constexpr Wide kLn2 = 49946518145322874;  // ln 2 in units of 2^-56.
constexpr Wide kOne56 = Wide{1} << 56;

// 2^x for x in units of 2^-56. The result is in units of 2^-62 and capped at 2^40.
Wide exp2_of(Wide x) {
    if (x <= 0) return exp2_of_minus(-x << 6);
    const Wide whole = (x >> 56) + 1;
    if (whole > 40) return Wide{kOne62} << 40;
    return Wide{exp2_of_minus(((whole << 56) - x) << 6)} << static_cast<int>(whole);
}

struct Parts {
    Wide shares = 0, usage = 0;  // Of the whole cluster, in units of 2^-62.
    Wide effective = 0;          // UE
};

// k = 1 / (1 + (5 ln p)²), or 1 if p and l are both above or both below 1; in units of 2^-56.
Wide pull(Wide log_p, Wide log_l) {
    if (log_p * log_l >= 0) return kOne56;
    const Wide ln = std::clamp((log_p * kLn2) >> 56, -64 * kOne56, 64 * kOne56);
    const Wide five = (5 * ln) >> 8;
    const Wide square = (five * five) >> 32;  // In units of 2^-64.
    return (kOne56 << 64) / ((Wide{1} << 64) + square);
}

class Classic : public FairnessRule {
public:
    Classic(std::int64_t damping, bool depth_oblivious)
        : damping_(damping), depth_oblivious_(depth_oblivious) {}

    bool has_levels() const override { return false; }

    std::vector<ShareStanding> standings(const ShareTree& tree) const override {
        const std::vector<ShareNode>& nodes = tree.nodes();
        std::vector<Parts> parts(nodes.size());
        std::vector<Wide> usage_of_level(nodes.size());
        parts.front() = {kOne62, kOne62, kOne62};
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            const ShareNode& node = nodes[i];
            parts[i].shares = shares_of(node, parts[node.parent].shares);
            parts[i].usage = fraction62(node.used, nodes.front().used);
            if (!node.of_parent) usage_of_level[node.level] += parts[i].usage;
        }
        std::vector<ShareStanding> all(nodes.size());
        all.front() = standing(parts.front());
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            parts[i].effective = effective(nodes[i], parts, i, usage_of_level);
            all[i] = standing(parts[i]);
        }
        return all;
    }

private:
    static Wide shares_of(const ShareNode& node, Wide above) {
        if (node.of_parent) return above;
        if (node.level_shares == 0) return 0;
        return above * node.shares / node.level_shares;
    }

    Wide effective(const ShareNode& node, const std::vector<Parts>& parts, std::size_t index,
                   const std::vector<Wide>& usage_of_level) const {
        const Parts& own = parts[index];
        const Parts& above = parts[node.level];
        if (node.of_parent) return above.effective;
        if (node.level == 0) return own.usage;
        if (depth_oblivious_) return without_depth(own, above, usage_of_level[node.level]);
        if (node.level_shares == 0) return above.effective;
        return own.usage + (above.effective - own.usage) * node.shares / node.level_shares;
    }

    static Wide without_depth(const Parts& own, const Parts& above, Wide level_usage) {
        if (own.shares == 0 || above.shares == 0 || above.effective == 0 || own.usage == 0) {
            return own.usage;
        }
        const Wide log_p = log2_of(above.effective) - log2_of(above.shares);
        const Wide log_l =
            log2_of(own.usage) - log2_of(own.shares) - log2_of(level_usage) + log2_of(above.shares);
        const Wide log_r = log_p + ((pull(log_p, log_l) * (log_l >> 8)) >> 48);
        const Wide r = exp2_of(log_r);  // Times the shares, it has at most 164 bits.
        return r < Wide{1} << 82 ? (r >> 20) * own.shares >> 42 : (r >> 40) * own.shares >> 22;
    }

    ShareStanding standing(const Parts& one) const {
        ShareStanding standing;
        constexpr Wide kShown = Wide{kOne62} * 2 - 1;
        standing.norm_shares = static_cast<std::int64_t>(one.shares);
        standing.norm_usage = static_cast<std::int64_t>(one.usage);
        standing.effective_usage = static_cast<std::int64_t>(std::min(one.effective, kShown));
        standing.factor = {0, kOne62};
        if (one.shares <= 0) return standing;
        // Beyond 2^-62 the factor is zero.
        if (one.effective / one.shares >= Wide{62} * damping_) return standing;
        const Wide ratio = (one.effective << 40) / one.shares;
        standing.factor.part = exp2_of_minus((ratio << 22) / damping_);
        return standing;
    }

    std::int64_t damping_;
    bool depth_oblivious_;
};

}  // namespace

RuleDef<FairnessRule> fairness_classic() {
    return {
        .name = "classic",
        .summary = "Halves for each share that was used: 2^(-usage / share).",
        .settings = {{.name = "damping",
                      .summary = "how many shares of use halve it",
                      .otherwise = 1,
                      .low = 1,
                      .high = 65533},
                     {.name = "depth_oblivious",
                      .summary = "1: deep accounts are not held back for their depth",
                      .otherwise = 0,
                      .low = 0,
                      .high = 1}},
        .make = [](const Params& params) -> std::unique_ptr<FairnessRule> {
            return std::make_unique<Classic>(params.number("damping"),
                                             params.flag("depth_oblivious"));
        },
    };
}

}  // namespace berth
