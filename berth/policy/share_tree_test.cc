#include "berth/policy/share_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace berth {
namespace {

std::string parent_of(const ShareTree& tree, const std::string& account) {
    const std::size_t* const node = tree.find(account, {});
    return node == nullptr ? "(none)" : tree.nodes()[tree.nodes()[*node].parent].account;
}

// sacctmgr may put an account beneath one that was added later.
TEST(ShareTree, DoesNotDependOnTheOrderOfTheAccounts) {
    std::vector<AccountSpec> accounts = {{.name = "a", .parent = "b"},
                                         {.name = "b", .parent = "c"},
                                         {.name = "c", .parent = "root"},
                                         {.name = "d", .parent = "b", .shares_of_parent = true}};
    do {
        ClusterSpec spec;
        for (const AccountSpec& one : accounts) spec.accounts.push_back(one);
        spec.associations.push_back({.account = "a", .user = "ann"});
        spec.associations.push_back({.account = "d", .user = "bob"});
        ShareTree tree(spec, {});
        EXPECT_EQ(parent_of(tree, "a"), "b");
        EXPECT_EQ(parent_of(tree, "b"), "c");
        EXPECT_EQ(parent_of(tree, "c"), "root");
        EXPECT_EQ(parent_of(tree, "d"), "b");
        for (std::size_t i = 1; i < tree.nodes().size(); ++i) EXPECT_LT(tree.nodes()[i].parent, i);
        EXPECT_EQ(tree.nodes()[*tree.find("d", "bob")].level, *tree.find("b", {}));
    } while (std::ranges::next_permutation(accounts, {}, &AccountSpec::name).found);
}

// A configuration is refused for it; an edit, too. Should it come all the same, nothing hangs.
TEST(ShareTree, EndsWithAccountsInACircle) {
    ClusterSpec spec;
    spec.accounts.push_back({.name = "a", .parent = "b"});
    spec.accounts.push_back({.name = "b", .parent = "a"});
    spec.accounts.push_back({.name = "c", .parent = "c"});
    const ShareTree tree(spec, {});
    EXPECT_EQ(tree.nodes().size(), 5U) << "root, its user, and these";
    EXPECT_EQ(parent_of(tree, "c"), "root");
}

}  // namespace
}  // namespace berth
