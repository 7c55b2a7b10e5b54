#include <gtest/gtest.h>

#include "berth/testing/order_case.h"

namespace berth {
namespace {

using testing::Waiting;

// So many of each job.
struct Jobs {
    Waiting one;
    std::size_t count = 0;
};

class HierarchicalDrf : public ::testing::Test {
protected:
    // One node with this many CPUs, and as many GPUs.
    void cluster(std::int64_t each, std::vector<AccountSpec> accounts) {
        Resources& all = view_.cluster.nodes.edit(0).capacity;
        all = {};
        all.set_cpu(cores(each));
        all[DimensionId(2)] = each;
        each_ = each;
        for (AccountSpec& account : accounts)
            if (account.parent.empty()) account.parent = "root";
        view_.cluster.accounts = std::move(accounts);
    }
    std::string order_of(const std::vector<Jobs>& jobs) {
        std::vector<Waiting> waiting;
        for (const Jobs& some : jobs) waiting.insert(waiting.end(), some.count, some.one);
        return testing::order_of(*testing::make_rule(order_rules(), "hierarchical_drf"), view_,
                                 waiting);
    }
    // What each name has once no more fits: the jobs that do not are passed over.
    std::map<char, int> filled(const std::vector<Jobs>& jobs) {
        std::map<char, Waiting> by_name;
        for (const Jobs& some : jobs) by_name[some.one.name.front()] = some.one;
        std::map<char, int> got;
        std::int64_t cpus = each_, gpus = each_;
        for (const char name : order_of(jobs)) {
            const Waiting& one = by_name[name];
            if (one.cpus > cpus || one.gpus > gpus) continue;
            cpus -= one.cpus;
            gpus -= one.gpus;
            ++got[name];
        }
        return got;
    }

    testing::OrderView view_ = testing::order_view();
    std::int64_t each_ = 0;
};

using Got = std::map<char, int>;

// With the sum of what its children have, eng would have all of the GPUs, and its other child no
// CPU (Volcano's tests have it).
TEST_F(HierarchicalDrf, AChildIsNotStarvedByWhatItsSiblingAloneUses) {
    cluster(10, {{.name = "sci"},
                 {.name = "eng"},
                 {.name = "dev", .parent = "eng"},
                 {.name = "prod", .parent = "eng"}});
    EXPECT_EQ(filled({{{.name = "s", .account = "sci", .gpus = 1, .cpus = 1}, 10},
                      {{.name = "d", .account = "dev", .gpus = 0, .cpus = 1}, 10},
                      {{.name = "p", .account = "prod", .gpus = 1, .cpus = 0}, 10}}),
              (Got{{'s', 5}, {'d', 5}, {'p', 5}}));
}

// Three want CPUs, two want GPUs, one of each beneath one account. Once the CPUs are gone, the one
// that had CPUs no longer holds its sibling's GPUs down (likewise).
TEST_F(HierarchicalDrf, AChildThatCannotHaveMoreIsNotScaled) {
    cluster(30, {{.name = "a"},
                 {.name = "b"},
                 {.name = "c"},
                 {.name = "c1", .parent = "c"},
                 {.name = "c2", .parent = "c"},
                 {.name = "d"}});
    EXPECT_EQ(filled({{{.name = "a", .account = "a", .cpus = 1}, 30},
                      {{.name = "b", .account = "b", .cpus = 1}, 30},
                      {{.name = "1", .account = "c1", .cpus = 1}, 30},
                      {{.name = "2", .account = "c2", .gpus = 1, .cpus = 0}, 30},
                      {{.name = "d", .account = "d", .gpus = 1, .cpus = 0}, 30}}),
              (Got{{'a', 10}, {'b', 10}, {'1', 10}, {'2', 15}, {'d', 15}}));
}

TEST_F(HierarchicalDrf, SharesCountAtEachLevel) {
    cluster(12, {{.name = "x", .shares = 2},
                 {.name = "x1", .parent = "x", .shares = 3},
                 {.name = "x2", .parent = "x", .shares = 1},
                 {.name = "y", .shares = 1}});
    EXPECT_EQ(filled({{{.name = "1", .account = "x1"}, 12},
                      {{.name = "2", .account = "x2"}, 12},
                      {{.name = "y", .account = "y"}, 12}}),
              (Got{{'1', 6}, {'2', 2}, {'y', 4}}));
}

// Of an account that is a parent, the own jobs are one child more; accounts that are not described
// lie beneath the root.
TEST_F(HierarchicalDrf, OwnJobsOfAParentAndUnknownAccountsTakePart) {
    cluster(12, {{.name = "x"}, {.name = "x1", .parent = "x"}});
    EXPECT_EQ(filled({{{.name = "o", .account = "x"}, 12},
                      {{.name = "1", .account = "x1"}, 12},
                      {{.name = "u", .account = "unknown"}, 12}}),
              (Got{{'o', 3}, {'1', 3}, {'u', 6}}));
}

TEST_F(HierarchicalDrf, WhatRunsCounts) {
    cluster(12, {{.name = "x"}, {.name = "y"}});
    Job run;
    run.spec.account = "x";
    run.allocated.edit().set_cpu(cores(2));
    view_.jobs_running = {run};
    EXPECT_EQ(order_of({{{.name = "x", .account = "x"}, 3}, {{.name = "y", .account = "y"}, 3}}),
              "yyxyxx");
}

// In a flat tree it is drf by account.
TEST_F(HierarchicalDrf, Seed002IsDrfInAFlatTree) {
    view_.cluster.accounts = {{.name = "train", .parent = "root", .shares = 2},
                              {.name = "prep", .parent = "root", .shares = 1}};
    EXPECT_EQ(
        order_of(
            {{{.name = "t", .account = "train", .gpus = 8, .cpus = 32, .memory = gib(256)}, 14},
             {{.name = "p", .account = "prep", .cpus = 64, .memory = gib(128)}, 12}})
            .substr(0, 20),
        "tptpttptpttptpttptpt");
}

}  // namespace
}  // namespace berth
