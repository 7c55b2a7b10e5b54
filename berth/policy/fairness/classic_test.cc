#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

// Slurm's formulas in floating point, node by node.
struct Expected {
    double shares = 1, usage = 1, effective = 1, factor = 0;
};

std::vector<Expected> in_floating_point(const ShareTree& tree, double damping, bool oblivious) {
    const auto& nodes = tree.nodes();
    std::vector<Expected> all(nodes.size());
    const auto seconds = [&](std::size_t i) { return static_cast<double>(nodes[i].used.whole); };
    for (std::size_t i = 1; i < nodes.size(); ++i) {
        const ShareNode& node = nodes[i];
        const Expected& up = all[node.level];
        Expected& one = all[i];
        const double part = node.level_shares == 0 ? 0
                                                   : static_cast<double>(node.shares) /
                                                         static_cast<double>(node.level_shares);
        one.shares = part * up.shares;
        one.usage = seconds(0) == 0 ? 0 : seconds(i) / seconds(0);
        double level_usage = 0;
        for (std::size_t j = 1; j < nodes.size(); ++j) {
            if (nodes[j].level == node.level && seconds(0) > 0)
                level_usage += seconds(j) / seconds(0);
        }
        one.effective = one.usage;
        if (node.level != 0 && !oblivious) {
            one.effective = node.level_shares == 0 ? up.effective
                                                   : one.usage + (up.effective - one.usage) * part;
        } else if (node.level != 0 && one.shares > 0 && up.shares > 0 && up.effective > 0 &&
                   one.usage > 0) {
            const double p = up.effective / up.shares;
            const double l = one.usage / one.shares / (level_usage / up.shares);
            const double k =
                std::log(p) * std::log(l) >= 0 ? 1 : 1 / (1 + std::pow(5 * std::log(p), 2));
            one.effective = p * std::pow(l, k) * one.shares;
        }
        one.factor = one.shares > 0 ? std::exp2(-one.effective / one.shares / damping) : 0;
    }
    return all;
}

ShareTree random_tree(Rng& rng) {
    ClusterSpec spec;
    std::vector<std::string> accounts = {"root"};
    for (std::int64_t i = rng.between(0, 5); i > 0; --i) {
        spec.accounts.push_back({.name = "a" + std::to_string(i),
                                 .parent = rng.pick(accounts),
                                 .shares = rng.between(0, 9)});
        accounts.push_back(spec.accounts.back().name);
    }
    for (std::int64_t i = rng.between(1, 9); i > 0; --i) {
        spec.associations.push_back({.account = rng.pick(accounts),
                                     .user = "u" + std::to_string(i),
                                     .shares = rng.between(0, 9)});
    }
    ShareTree tree(spec, {});
    for (const AssociationSpec& one : spec.associations) {
        tree.add_usage(*tree.find(one.account, one.user),
                       {rng.chance(30) ? 0 : rng.between(1, 1'000'000), 0});
    }
    tree.sum_usage();
    return tree;
}

TEST(Classic, IsSlurmsFormulaToTenDigits) {
    testing::for_each_seed(600, [](Rng& rng) {
        const ShareTree tree = random_tree(rng);
        const std::int64_t damping = rng.between(1, 3);
        const bool oblivious = rng.chance(50);
        const auto rule =
            testing::make_rule(fairness_rules(), "classic",
                               {{"damping", damping}, {"depth_oblivious", oblivious ? 1 : 0}});
        const auto standings = rule->standings(tree);
        const auto expected = in_floating_point(tree, static_cast<double>(damping), oblivious);
        for (std::size_t i = 1; i < standings.size(); ++i) {
            const ShareStanding& one = standings[i];
            const double factor =
                static_cast<double>(one.factor.part) / static_cast<double>(one.factor.whole);
            EXPECT_NEAR(factor, expected[i].factor, 1e-10);
            EXPECT_NEAR(std::ldexp(static_cast<double>(one.effective_usage), -62),
                        std::min(expected[i].effective, 2.0), 1e-10);
            EXPECT_NEAR(std::ldexp(static_cast<double>(one.norm_shares), -62), expected[i].shares,
                        1e-12);
        }
    });
}

}  // namespace
}  // namespace berth
