#include "berth/report/kueue_table.h"

#include <gtest/gtest.h>

#include <chrono>

namespace berth::report {
namespace {

using namespace std::chrono_literals;

// One queue of 20 CPUs: a small job, and a large one that takes its place.
KueueWorkload two_jobs() {
    KueueWorkload one;
    one.name = "two";
    one.cohorts = one.queues = 1;
    one.nominal = 20;
    one.borrowing = 100;
    one.classes[0] = {.name = "small",
                      .jobs = 1,
                      .cpus = 1,
                      .run_time = 200ms,
                      .interval = 100ms,
                      .priority = 50};
    one.classes[1] = {.name = "medium", .priority = 100};
    one.classes[2] = {.name = "large",
                      .jobs = 1,
                      .cpus = 20,
                      .run_time = 1000ms,
                      .interval = 150ms,
                      .priority = 200};
    return one;
}

class OneMillisecond : public sim::CostMeter {
public:
    void begin() override {}
    std::chrono::nanoseconds end() override { return 1ms; }
};

TEST(KueueTable, HasKueuesWorkloads) {
    const KueueWorkload& baseline = kueue_workloads()[0];
    const workload::Workload jobs = kueue_jobs(baseline);
    ASSERT_EQ(jobs.jobs.size(), 15'000U);
    // The first one comes after one interval.
    EXPECT_EQ(jobs.jobs.front().submit, 100ms);
    EXPECT_EQ(jobs.jobs.front().name, "small");
    EXPECT_EQ(jobs.jobs.front().qos, "cq-0-cohort-0");
    EXPECT_EQ(jobs.jobs.front().account, jobs.jobs.front().qos);
    EXPECT_EQ(jobs.jobs.back().submit, 60s);
    EXPECT_EQ(jobs.jobs.back().name, "large");
    EXPECT_EQ(jobs.jobs.back().partition, "cohort-4");
    const ClusterSpec cluster = kueue_cluster(baseline);
    EXPECT_EQ(cluster.nodes.size(), 5U);
    EXPECT_EQ(cluster.nodes[0].capacity.cpu(), cores(120));
    EXPECT_EQ(cluster.queues.size(), 31U) << "and one that lends to all";
    EXPECT_EQ(cluster.queues[0].nominal, (TresLimits{{"cpu", 20}}));
    EXPECT_EQ(cluster.queues[0].borrow_max, (TresLimits{{"cpu", 100}}));
    EXPECT_EQ(kueue_jobs(kueue_workloads()[1]).jobs.size(), 50'000U);
}

TEST(KueueTable, KnowsWhatNoSchedulerCanBeat) {
    // 350 × 0.2 + 100 × 5 × 0.5 + 50 × 20 × 1 = 1320 CPU seconds on 20 CPUs, from 0.1 s on.
    EXPECT_EQ(least_makespan(kueue_workloads()[0]), 66s + 100ms);
    // 80.5 CPU seconds.
    EXPECT_EQ(least_makespan(kueue_workloads()[1]), 4025ms + 60ms);
    // The last job comes too late for the work to count.
    EXPECT_EQ(least_makespan(two_jobs()), 1150ms);
}

TEST(KueueTable, AJobOfMorePriorityTakesThePlaceOfOneOfItsQueue) {
    const auto figures = run_kueue(two_jobs(), nullptr);
    ASSERT_TRUE(figures.ok()) << figures.error().message;
    // The large one runs from 0.15 to 1.15 s, and the small one then has all of its time before it.
    EXPECT_DOUBLE_EQ(figures->makespan, 1.35);
    EXPECT_EQ(figures->classes[0].jobs, 1U);
    EXPECT_EQ(figures->classes[0].evictions, 1U);
    EXPECT_DOUBLE_EQ(figures->classes[0].admission, 1.05) << "its last one";
    EXPECT_EQ(figures->classes[1].jobs, 0U);
    EXPECT_DOUBLE_EQ(figures->classes[2].admission, 0);
    EXPECT_EQ(figures->classes[2].evictions, 0U);
}

TEST(KueueTable, DecidingCounts) {
    OneMillisecond cost;
    const auto figures = run_kueue(two_jobs(), &cost);
    ASSERT_TRUE(figures.ok()) << figures.error().message;
    // One turn ends the small run, the next one starts the large one.
    EXPECT_DOUBLE_EQ(figures->classes[2].admission, 0.002);
    EXPECT_DOUBLE_EQ(figures->classes[0].admission, 1.053);
    EXPECT_DOUBLE_EQ(figures->makespan, 1.353);
}

TEST(KueueTable, IsTheSameEachTimeAndNeverBelowItsBound) {
    KueueWorkload some = two_jobs();
    some.queues = 3;
    some.classes[0].jobs = 40;
    some.classes[1] = {.name = "medium",
                       .jobs = 12,
                       .cpus = 5,
                       .run_time = 500ms,
                       .interval = 120ms,
                       .priority = 100};
    some.classes[2].jobs = 4;
    OneMillisecond cost;
    const auto once = run_kueue(some, &cost), again = run_kueue(some, &cost);
    ASSERT_TRUE(once.ok()) << once.error().message;
    EXPECT_EQ(once->makespan, again->makespan);
    EXPECT_EQ(once->turns, again->turns);
    EXPECT_EQ(once->classes[0].jobs, 120U);
    EXPECT_GE(once->makespan, static_cast<double>(least_makespan(some).count()) / 1000);
    // More priority, less waiting.
    EXPECT_LT(once->classes[2].admission, once->classes[0].admission);
}

}  // namespace
}  // namespace berth::report
