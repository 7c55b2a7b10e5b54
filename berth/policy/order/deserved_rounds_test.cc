#include <gtest/gtest.h>

#include "berth/testing/order_case.h"

namespace berth {
namespace {

using testing::Waiting;

// A node of so many GPUs, and of more CPUs than are asked for; each job asks for one GPU.
class DeservedRounds : public ::testing::Test {
protected:
    void cluster(std::int64_t gpus, std::vector<AccountSpec> accounts,
                 std::vector<QueueSpec> queues = {}) {
        gpus_ = gpus;
        Resources& all = view_.cluster.nodes.edit(0).capacity;
        all.set_cpu(cores(4096));
        all[DimensionId(2)] = gpus;
        for (AccountSpec& account : accounts) {
            if (account.parent.empty()) account.parent = "root";
        }
        view_.cluster.accounts = std::move(accounts);
        view_.cluster.queues = std::move(queues);
    }
    // So many jobs of each account, called by its first letter.
    std::string order_of(const std::vector<std::pair<std::string, std::size_t>>& jobs,
                         std::vector<std::pair<std::string, std::int64_t>> settings = {}) {
        std::vector<Waiting> waiting;
        for (const auto& [account, count] : jobs) {
            const Waiting job{.name = account.substr(0, 1), .account = account, .gpus = 1};
            waiting.insert(waiting.end(), count, job);
        }
        const auto rule = testing::make_rule(order_rules(), "deserved_rounds", std::move(settings));
        return testing::order_of(*rule, view_, waiting);
    }
    // What each has once all GPUs are in use.
    std::map<char, int> got(const std::vector<std::pair<std::string, std::size_t>>& jobs,
                            std::vector<std::pair<std::string, std::int64_t>> settings = {}) {
        std::map<char, int> counts;
        for (const char one : order_of(jobs, std::move(settings)).substr(0, std::size_t(gpus_)))
            ++counts[one];
        return counts;
    }

    testing::OrderView view_ = testing::order_view();
    std::int64_t gpus_ = 0;
};

using Got = std::map<char, int>;

QueueSpec quota(const std::string& name, std::int64_t gpus, std::int64_t limit = -1) {
    QueueSpec queue{.name = name, .nominal = {{"gres/gpu", gpus}}};
    if (limit >= 0) queue.limit = {{"gres/gpu", limit}};
    return queue;
}

TEST_F(DeservedRounds, WithoutQuotasAllIsDividedByShares) {
    cluster(8, {{.name = "a", .shares = 1}, {.name = "b", .shares = 3}});
    EXPECT_EQ(order_of({{"a", 8}, {"b", 8}}).substr(0, 8), "bbabbbab");
    EXPECT_EQ(got({{"a", 8}, {"b", 8}}), (Got{{'a', 2}, {'b', 6}}));
}

// What is beyond the quotas goes by shares: 2 GPUs, of which the first account's part is 2/101.
TEST_F(DeservedRounds, QuotasComeFirst) {
    cluster(8, {{.name = "a", .shares = 1}, {.name = "b", .shares = 100}}, {quota("a", 6)});
    EXPECT_EQ(got({{"a", 8}, {"b", 8}}), (Got{{'a', 6}, {'b', 2}}));
}

// Three accounts want all: a round gives 3 of 10 to each, and the last one goes to the first.
TEST_F(DeservedRounds, WholeUnitsGoFirstToTheLargestRemainders) {
    cluster(10, {{.name = "a"}, {.name = "b"}, {.name = "c"}});
    EXPECT_EQ(got({{"a", 9}, {"b", 9}, {"c", 9}}), (Got{{'a', 4}, {'b', 3}, {'c', 3}}));
    cluster(10,
            {{.name = "a", .shares = 1}, {.name = "b", .shares = 1}, {.name = "c", .shares = 2}});
    // 2.5, 2.5 and 5.
    EXPECT_EQ(got({{"a", 9}, {"b", 9}, {"c", 9}}), (Got{{'a', 3}, {'b', 2}, {'c', 5}}));
}

TEST_F(DeservedRounds, WhatSomeLeaveGoesIntoTheNextRound) {
    cluster(12, {{.name = "a"}, {.name = "b"}, {.name = "c"}});
    EXPECT_EQ(got({{"a", 1}, {"b", 12}, {"c", 12}}), (Got{{'a', 1}, {'b', 6}, {'c', 5}}));
    cluster(12, {{.name = "a"}, {.name = "b"}, {.name = "c"}}, {quota("b", 0, 2)});
    EXPECT_EQ(got({{"a", 1}, {"b", 12}, {"c", 9}}), (Got{{'a', 1}, {'b', 2}, {'c', 9}}))
        << "its limit bounds it";
}

TEST_F(DeservedRounds, AHigherPriorityTakesAllThatIsBeyondQuotas) {
    cluster(8, {{.name = "a", .shares = 9}, {.name = "b", .priority = 5}}, {quota("a", 3)});
    EXPECT_EQ(got({{"a", 8}, {"b", 4}}), (Got{{'a', 4}, {'b', 4}}));
    EXPECT_EQ(got({{"a", 8}, {"b", 8}}), (Got{{'a', 3}, {'b', 5}}));
}

TEST_F(DeservedRounds, PastUseIsSubtracted) {
    cluster(12, {{.name = "a"}, {.name = "b"}});
    view_.account_usages = {{"a", {3, 4}}, {"b", {1, 4}}};
    // 1/2 + (1/2 − 3/4) = 1/4, and 1/2 + (1/2 − 1/4) = 3/4.
    EXPECT_EQ(got({{"a", 12}, {"b", 12}}), (Got{{'a', 3}, {'b', 9}}));
    EXPECT_EQ(got({{"a", 12}, {"b", 12}}, {{"history", 0}}), (Got{{'a', 6}, {'b', 6}}));
    view_.account_usages = {{"a", {1, 1}}};
    EXPECT_EQ(got({{"a", 12}, {"b", 12}}), (Got{{'b', 12}}));
    EXPECT_EQ(got({{"a", 12}, {"b", 3}}), (Got{{'a', 9}, {'b', 3}})) << "nobody else wants it";
}

TEST_F(DeservedRounds, WhatAnAccountHasIsDividedBeneathIt) {
    cluster(12,
            {{.name = "lab"},
             {.name = "x", .parent = "lab", .shares = 2},
             {.name = "y", .parent = "lab", .shares = 1},
             {.name = "guests"}},
            {quota("x", 2), quota("y", 1)});
    // The lab deserves what its two do, 3, and half of the other 9, which is 4 or 5.
    EXPECT_EQ(got({{"x", 12}, {"y", 12}, {"guests", 12}}), (Got{{'x', 5}, {'y', 3}, {'g', 4}}));
}

TEST_F(DeservedRounds, WhatRunsCounts) {
    cluster(8, {{.name = "a"}, {.name = "b"}});
    Job run;
    run.spec.account = "a";
    run.allocated.edit()[DimensionId(2)] = 3;
    view_.jobs_running = {run};
    EXPECT_EQ(order_of({{"a", 2}, {"b", 4}}).substr(0, 5), "bbbab");
}

}  // namespace
}  // namespace berth
