#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

struct User {
    std::string account, name;
    std::int64_t shares = 1, used = 0;
    bool of_parent = false;
};
struct Account {
    std::string name, parent = "root";
    std::int64_t shares = 1;
    bool of_parent = false;
};

ShareTree tree_of(const std::vector<Account>& accounts, const std::vector<User>& users) {
    ClusterSpec spec;
    spec.accounts = {{.name = "root"}};
    for (const Account& one : accounts) {
        spec.accounts.push_back({.name = one.name,
                                 .parent = one.parent,
                                 .shares = one.shares,
                                 .shares_of_parent = one.of_parent});
    }
    for (const User& one : users) {
        spec.associations.push_back({.account = one.account,
                                     .user = one.name,
                                     .shares = one.shares,
                                     .shares_of_parent = one.of_parent});
    }
    ShareTree tree(spec, {});
    for (const User& one : users) {
        tree.add_usage(*tree.find(one.account, one.name), {one.used, 0});
    }
    tree.sum_usage();
    return tree;
}

// "bob=4 ann=3", the highest rank first; equal ranks in the order of the users.
std::string ranks(const ShareTree& tree) {
    const auto standings = testing::make_rule(fairness_rules(), "fair_tree")->standings(tree);
    std::vector<std::pair<std::int64_t, std::string>> all;
    for (std::size_t i = 1; i < standings.size(); ++i) {
        if (!tree.nodes()[i].is_user()) continue;
        EXPECT_EQ(standings[i].factor.whole, static_cast<std::int64_t>(tree.users()));
        all.emplace_back(standings[i].factor.part, tree.nodes()[i].user);
    }
    std::ranges::stable_sort(all, std::greater<>(), &std::pair<std::int64_t, std::string>::first);
    std::string text;
    for (const auto& [rank, user] : all) text += user + "=" + std::to_string(rank) + " ";
    return text;
}

struct TreeCase {
    const char* what;
    std::vector<Account> accounts;
    std::vector<User> users;
    const char* ranks;
};
const TreeCase kTreeCases[] = {
    {"the recorded run of Slurm 22.05",
     {{"bio", "root", 40}, {"physics", "root", 60}},
     {{"root", "root"},
      {"bio", "news", 1, 2175},
      {"bio", "root2"},
      {"physics", "backup", 1, 67},
      {"physics", "games", 1, 1323}},
     "root=5 backup=4 games=3 root2=2 news=1 "},
    {"who used nothing is first, in an account that used most",
     {{"a"}, {"b"}},
     {{"a", "a1", 1, 900}, {"a", "a2"}, {"b", "b1", 1, 10}, {"b", "b2", 1, 20}},
     "b1=4 b2=3 a2=2 a1=1 "},
    {"equal siblings share a rank, and the next ranks are left out",
     {},
     {{"root", "x", 1, 50}, {"root", "y", 2, 100}, {"root", "z", 1, 100}},
     "x=3 y=3 z=1 "},
    {"a user equal to an account has the rank of its best user",
     {{"a", "root", 2}},
     {{"root", "u", 1, 10}, {"a", "a1", 1, 5}, {"a", "a2", 1, 15}},
     "u=3 a1=3 a2=1 "},
    {"accounts that are equal are walked one after the other",
     {{"a"}, {"b"}},
     {{"a", "a1", 1, 10}, {"a", "a2", 1, 30}, {"b", "b1", 1, 20}, {"b", "b2", 1, 20}},
     "a1=4 a2=3 b1=3 b2=3 "},
    {"nobody has used anything",
     {{"a"}, {"b"}},
     {{"a", "a1"}, {"b", "b1"}, {"b", "b2", 7}},
     "a1=3 b1=3 b2=3 "},
    {"without shares one is last, used or not",
     {},
     {{"root", "x", 0, 0}, {"root", "y", 1, 1'000'000}, {"root", "z", 0, 5}},
     "y=3 x=2 z=2 "},
    {"a user of Fairshare=parent is first in the account",
     {{"a"}},
     {{"a", "a1", 1, 1}, {"a", "a2", 1, 500, true}},
     "a2=2 a1=1 "},
    {"an account of Fairshare=parent lets its users compete above it",
     {{"a", "root", 1, true}, {"b"}},
     {{"a", "a1", 1, 10}, {"a", "a2", 1, 40}, {"b", "b1", 1, 20}},
     "a1=3 b1=2 a2=1 "},
};

TEST(FairTree, RanksUsersLevelByLevel) {
    for (const TreeCase& c : kTreeCases) {
        SCOPED_TRACE(c.what);
        EXPECT_EQ(ranks(tree_of(c.accounts, c.users)), c.ranks);
    }
}

TEST(FairTree, ShowsWhatSshareOfSlurm2205Showed) {
    const ShareTree tree = tree_of(kTreeCases[0].accounts, kTreeCases[0].users);
    const auto standings = testing::make_rule(fairness_rules(), "fair_tree")->standings(tree);
    struct Row {
        const char *account, *user;
        double norm_shares, norm_usage, effective, level;
    };
    // sshare truncates usage to seconds, so the last digits may differ.
    const Row rows[] = {
        {"bio", "", 0.396040, 0.609866, 0.609866, 0.649388},
        {"bio", "news", 0.5, 0.609866, 1.0, 0.5},
        {"physics", "", 0.594059, 0.390134, 0.390134, 1.522707},
        {"physics", "backup", 0.5, 0.019057, 0.048848, 10.235880},
        {"physics", "games", 0.5, 0.371077, 0.951152, 0.525678},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(std::string(row.account) + "/" + row.user);
        const ShareStanding& one = standings[*tree.find(row.account, row.user)];
        EXPECT_NEAR(std::ldexp(static_cast<double>(one.norm_shares), -62), row.norm_shares, 1e-6);
        EXPECT_NEAR(std::ldexp(static_cast<double>(one.norm_usage), -62), row.norm_usage, 5e-4);
        EXPECT_NEAR(std::ldexp(static_cast<double>(one.effective_usage), -62), row.effective, 1e-3);
        EXPECT_NEAR(static_cast<double>(one.level.billionths) / 1e9, row.level, row.level * 2e-2);
    }
    EXPECT_TRUE(standings[*tree.find("root", "root")].level.infinite);
}

// LevelFS, computed in another way.
TEST(FairTree, HasTheLevelOfTheFormula) {
    testing::for_each_seed(500, [](Rng& rng) {
        std::vector<User> users;
        const std::int64_t count = rng.between(1, 8);
        long double all_used = 0, all_shares = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t most = std::int64_t{1} << rng.between(1, 50);
            users.push_back(
                {"root", "u" + std::to_string(i), rng.between(1, 1'000'000), rng.between(1, most)});
            all_used += static_cast<long double>(users.back().used);
            all_shares += static_cast<long double>(users.back().shares);
        }
        const ShareTree tree = tree_of({}, users);
        const auto standings = testing::make_rule(fairness_rules(), "fair_tree")->standings(tree);
        for (std::size_t i = 0; i < users.size(); ++i) {
            const long double expected =
                std::min((static_cast<long double>(users[i].shares) / all_shares) /
                             (static_cast<long double>(users[i].used) / all_used),
                         4.0e9L);
            EXPECT_NEAR(static_cast<double>(standings[i + 1].level.billionths) / 1e9,
                        static_cast<double>(expected), static_cast<double>(expected) * 1e-9 + 2e-9);
        }
    });
}

// Among siblings: the higher one has more shares per second used.
TEST(FairTree, PutsSiblingsInTheOrderOfTheirRatios) {
    testing::for_each_seed(300, [](Rng& rng) {
        std::vector<User> users;
        users.reserve(8);
        for (std::int64_t i = 0; i < 8; ++i) {
            users.push_back(
                {"root", "u" + std::to_string(i), rng.between(1, 4), rng.between(0, 9)});
        }
        const ShareTree tree = tree_of({}, users);
        const auto standings = testing::make_rule(fairness_rules(), "fair_tree")->standings(tree);
        for (std::size_t i = 0; i < users.size(); ++i) {
            for (std::size_t j = 0; j < users.size(); ++j) {
                const std::int64_t left = users[i].shares * users[j].used,
                                   right = users[j].shares * users[i].used;
                const bool before = users[i].used == 0 ? users[j].used > 0 : left > right;
                EXPECT_EQ(standings[i + 1].factor.part > standings[j + 1].factor.part, before);
            }
        }
    });
}

}  // namespace
}  // namespace berth
