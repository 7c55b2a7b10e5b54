#include "berth/report/simulation_metrics.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "berth/report/simulation_json.h"

namespace berth::report {
namespace {

using namespace std::chrono_literals;

TEST(Distribution, TakesTheValueAtTheFloorOfItsRank) {
    std::vector<double> values;
    for (int i = 200; i > 0; --i) values.push_back(i);
    const Distribution of = distribution_of(std::move(values));
    EXPECT_EQ(of.mean, 100.5);
    EXPECT_EQ(of.median, 101);
    EXPECT_EQ(of.p90, 181);
    EXPECT_EQ(of.p99, 199);
    EXPECT_EQ(of.highest, 200);
    EXPECT_EQ(distribution_of({}).count, 0U);
    EXPECT_EQ(distribution_of({3}).p99, 3);
}

// Two jobs, one after the other, on a cluster of 8 GPUs; a third was refused.
struct Example {
    workload::Workload workload;
    sim::SimulationResult result{sim::kSimulationBegin};

    Example() {
        workload.jobs = {{.number = 1, .gpus = 8, .user = "ann", .account = "a,b"},
                         {.number = 2, .gpus = 4, .user = "bob", .account = "c"},
                         {.number = 3, .submit = 200s, .gpus = 99, .user = "bob", .account = "c"}};
        result.gpus = 8;
        result.length = 200s;
        result.jobs = {{.gpus = 8,
                        .ended = 100s,
                        .ran = 100s,
                        .state = JobState::completed,
                        .starts = 1,
                        .company = 200'000},
                       {.gpus = 4,
                        .first_start = 100s,
                        .ended = 200s,
                        .ran = 100s,
                        .state = JobState::timeout,
                        .starts = 4,
                        .lost = 1,
                        .company = 300'000},
                       {.refused = true}};
        const Time begin = sim::kSimulationBegin;
        result.gpus_allocated.add(begin, begin + 100s, 8);
        result.gpus_allocated.add(begin + 100s, begin + 200s, 4);
        result.jobs_waiting.add(begin, begin + 100s, 1);
        result.gpus_fragmented.add(begin, begin + 100s, 500);
        result.gpus_fragmented.add(begin + 100s, begin + 200s, 1000);
    }
};

TEST(Metrics, AreThoseOfTheExample) {
    const Example example;
    const Metrics metrics = metrics_of(example.workload, example.result);
    EXPECT_EQ(metrics.submitted, 3U);
    EXPECT_EQ(metrics.ended, 2U);
    EXPECT_EQ(metrics.refused, 1U);
    EXPECT_EQ(metrics.timeouts, 1U);
    EXPECT_EQ(metrics.restarts, 3U);
    EXPECT_EQ(metrics.preemptions, 2U);
    EXPECT_EQ(metrics.lost_runs, 1U);
    // Two jobs at a time: 100 s against 100 × 8 / 4. 1.5 at a time: 200 s against 100, as 4 GPUs
    // are less than two thirds of 8.
    EXPECT_DOUBLE_EQ(finish_time_fairness(example.result.jobs[0], example.workload.jobs[0], 8),
                     0.5);
    EXPECT_DOUBLE_EQ(metrics.all.fairness.highest, 2);
    EXPECT_DOUBLE_EQ(metrics.unfair, 0.5);
    EXPECT_EQ(metrics.all.starved, 0U);
    EXPECT_DOUBLE_EQ(metrics.fragmented, 0.75);
    EXPECT_DOUBLE_EQ(metrics.fragmented_of_free, 0.375);
    EXPECT_EQ(metrics.all.completion.mean, 150);
    EXPECT_EQ(metrics.all.waiting.mean, 50);
    EXPECT_EQ(metrics.all.slowdown.mean, 1.5);
    EXPECT_DOUBLE_EQ(metrics.gpu_allocation, 0.75);
    EXPECT_DOUBLE_EQ(metrics.queue_mean, 0.5);
    EXPECT_DOUBLE_EQ(metrics.jain_users, 0.9);  // (1 + 2)^2 / (2 × (1 + 4))
    ASSERT_EQ(metrics.by_size.size(), 2U);
    EXPECT_EQ(metrics.by_size[0].name, "2-4 GPUs");
    EXPECT_EQ(metrics.by_user[0].name, "ann");  // More GPU time.
}

TEST(Results, AreTheSameInJsonAndCsv) {
    Example example;
    std::vector<PolicyRun> runs;
    Metrics metrics = metrics_of(example.workload, example.result);
    runs.push_back({"fifo", std::move(example.result), std::move(metrics), 1.5, 1.25});
    const auto json = nlohmann::json::parse(to_json({.trace = "t"}, runs, true));
    EXPECT_EQ(json["runs"][0]["all"]["jct_s"]["mean"], 150);
    EXPECT_EQ(json["runs"][0]["wall_s"], 1.5);
    EXPECT_EQ(json["runs"][0]["cpu_s"], 1.25);
    EXPECT_FALSE(nlohmann::json::parse(to_json({}, runs, false))["runs"][0].contains("wall_s"));
    EXPECT_EQ(to_csv(example.workload, runs),
              "policy,job,user,account,gpus,submit_s,first_start_s,end_s,ran_s,starts,"
              "preemptions,lost_runs,finish_time_fairness,state\n"
              "fifo,1,ann,\"a,b\",8,0,0,100,100,1,0,0,0.5000,completed\n"
              "fifo,2,bob,c,4,0,100,200,100,4,2,1,2.0000,timeout\n"
              "fifo,3,bob,c,99,0,0,0,0,0,0,0,,refused\n");
    example.workload.jobs[2].user = "=cmd|' /C calc'!A0";  // No formula for a spreadsheet.
    EXPECT_NE(to_csv(example.workload, runs).find("\nfifo,3,'=cmd|' /C calc'!A0,c,"),
              std::string::npos);
}

}  // namespace
}  // namespace berth::report
