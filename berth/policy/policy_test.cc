#include "berth/policy/policy.h"

#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

RuleSpec term(std::string name, std::int64_t weight) {
    return {.kind = "priority", .name = std::move(name), .weight = weight, .settings = {}};
}

testing::FixedView one_node(std::vector<RuleSpec> rules) {
    testing::FixedView view;
    NodeSpec node;
    node.cores_per_socket = 4;
    view.cluster.nodes = {node};
    view.cluster.partitions = {{.name = "a", .priority_job_factor = 1},
                               {.name = "b", .priority_job_factor = 3}};
    view.cluster.qos = {{.name = "normal"}, {.name = "high", .priority = 10}};
    view.cluster.scheduling.rules = std::move(rules);
    return view;
}

std::int64_t priority(const testing::FixedView& view, const Job& job) {
    return build_policy(view.cluster).value().priority(job, view);
}

TEST(Policy, WithoutRulesJobsComeInTheOrderOfTheirIds) {
    const auto view = one_node({});
    Job first, second, nice;
    first.id = JobId(1);
    second.id = JobId(2);
    nice.id = JobId(1);
    nice.spec.nice = 5;
    EXPECT_EQ(priority(view, first), 4294901759);
    EXPECT_EQ(priority(view, second), 4294901758);
    EXPECT_EQ(priority(view, nice), 4294901754);
}

TEST(Policy, AddsUpWeightedTermsAndDropsTheFraction) {
    auto view = one_node({term("partition", 5000), term("qos", 2000), term("size", 1000)});
    view.job_size = {.nodes = 1, .cpus = 1};
    Job job;
    job.qos = QosId(1);
    EXPECT_EQ(priority(view, job), 1666 + 2000 + 625);  // 1666.67 + 2000 + 625
    job.spec.nice = 100;                                // Counts although no rule names it.
    EXPECT_EQ(priority(view, job), 4191);
}

TEST(Policy, LosesNothingToRounding) {
    auto view = one_node({term("partition", 3000)});
    EXPECT_EQ(priority(view, Job{}), 1000);  // A third of 3000, exactly.
}

TEST(Policy, HoldsAPriorityWithinSlurmsBounds) {
    auto view = one_node({term("partition", 1000)});
    Job job;
    job.spec.nice = 5000;
    EXPECT_EQ(priority(view, job), 1);
    job.spec.nice = -2'000'000'000;
    job.qos = QosId(1);
    EXPECT_EQ(priority(one_node({term("qos", 4'000'000'000)}), job), kPriorityMax);
    job.spec.priority = 77U;  // By hand.
    EXPECT_EQ(priority(view, job), 77);
    job.hold = Hold::user;
    EXPECT_EQ(priority(view, job), 0);
}

TEST(Policy, ANegativeWeightPutsATermLast) {
    auto view = one_node({term("partition", -1000), term("qos", 5000)});
    Job low, high;
    low.qos = high.qos = QosId(1);
    high.partition = PartitionId(1);
    EXPECT_EQ(priority(view, high), 4000);
    EXPECT_EQ(priority(view, low), 4666);  // 5000 - 333.3
}

template <class Rules>
std::string listed(const Rules& rules) {
    std::string names;
    for (const auto& rule : rules) names += (names.empty() ? "" : ", ") + std::string(rule.name);
    return names;
}

TEST(Policy, NamesTheRuleThatItDoesNotKnow) {
    struct Case {
        RuleSpec rule;
        std::string message;
    };
    const Case cases[] = {
        {term("ages", 1), "no priority rule 'ages'; there are " + listed(priority_terms())},
        {{.kind = "placement", .name = "packing"},
         "no placement rule 'packing'; there are " + listed(placement_scores())},
        {{.kind = "magic", .name = "x"},
         "no kind of rule is called 'magic'; there are priority, order, fairness and placement"},
        {term("age", kPriorityMax + 1),
         "priority rule age: its weight is 4294967296; it must be within ±4294967295"},
    };
    for (const Case& c : cases) {
        const auto built = build_policy(one_node({c.rule}).cluster);
        ASSERT_FALSE(built.ok());
        EXPECT_EQ(built.error().message, c.message);
    }
    EXPECT_EQ(build_policy(one_node({term("age", 1), term("age", 2)}).cluster).error().message,
              "priority rule age is given twice");
}

TEST(Policy, PutsNodeWeightBeforePacking) {
    testing::FixedView view;
    Resources whole, half;
    whole.set_cpu(cores(8));
    half.set_cpu(cores(4));
    view.cluster.nodes = {NodeSpec{.weight = 2, .capacity = whole},
                          NodeSpec{.weight = 1, .capacity = whole}};
    const Policy policy;
    const auto score = [&](std::uint32_t node, const Resources& left) {
        return policy.placement().score({NodeId(node), half, left}, view);
    };
    EXPECT_GT(score(1, half), score(0, Resources{}));
    EXPECT_GT(score(1, Resources{}), score(1, half));
}

}  // namespace
}  // namespace berth
