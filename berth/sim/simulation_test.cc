#include "berth/sim/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/base/rng.h"
#include "berth/policy/policy.h"
#include "berth/sim/policies.h"
#include "berth/testing/builders.h"

namespace berth::sim {
namespace {

using namespace std::chrono_literals;
using workload::TraceJob;
using workload::Workload;

SimulationResult run(const Workload& workload, std::uint32_t nodes, const std::string& policy,
                     SubmissionRules rules = {.limit = LimitRule::exact}) {
    SimulationOptions options{.cluster = testing::make_cluster(nodes), .submission = rules};
    EXPECT_TRUE(choose_policy(options.cluster.scheduling, policy).ok());
    return simulate(workload, options);
}

// On one node of 8 GPUs: 6 for 100 min; then 8 for 50; then 2 for 60, and 2 for 200.
Workload four_jobs() {
    Workload workload;
    workload.jobs = {{.run_time = 100min, .gpus = 6, .user = "ann"},
                     {.submit = 10min, .run_time = 50min, .gpus = 8, .user = "bob"},
                     {.submit = 20min, .run_time = 60min, .gpus = 2, .user = "ann"},
                     {.submit = 30min, .run_time = 200min, .gpus = 2, .user = "ann"}};
    return workload;
}

std::vector<Duration> starts_of(const SimulationResult& result) {
    std::vector<Duration> starts;
    for (const JobRecord& job : result.jobs) starts.push_back(job.first_start);
    return starts;
}

TEST(Simulation, RunsJobsAsTheEnginePlansThem) {
    // The third fits in before the second, the fourth would be in its way.
    const SimulationResult result = run(four_jobs(), 1, "fifo:conservative");
    EXPECT_EQ(starts_of(result), (std::vector<Duration>{0min, 100min, 20min, 150min}));
    EXPECT_EQ(result.length, 350min);
    EXPECT_EQ(result.stuck, 0U);
    // 6 × 100 + 8 × 50 + 2 × 60 + 2 × 200 GPU minutes.
    EXPECT_TRUE(result.gpus_allocated.sum() == Wide{1520} * 60'000);
    // The second waits 90 min, the fourth 120.
    EXPECT_TRUE(result.jobs_waiting.sum() == Wide{210} * 60'000);
    EXPECT_EQ(result.jobs_waiting.highest(), 2);
    for (const JobRecord& job : result.jobs) {
        EXPECT_EQ(job.state, JobState::completed);
        EXPECT_EQ(job.starts, 1U);
    }
}

TEST(Simulation, WithoutPlanningNobodyPasses) {
    const std::vector<Duration> starts = starts_of(run(four_jobs(), 1, "fifo:none"));
    EXPECT_TRUE(std::ranges::is_sorted(starts));
    EXPECT_GE(starts[1], 100min);
    EXPECT_GE(starts[2], 150min);
}

TEST(Simulation, EndsWhatIsOverItsLimit) {
    Workload workload = four_jobs();
    workload.jobs[0].limit = 60min;
    const SimulationResult result = run(workload, 1, "fifo");
    EXPECT_EQ(result.jobs[0].state, JobState::timeout);
    EXPECT_EQ(result.jobs[0].ended, 60min);
    EXPECT_EQ(result.jobs[1].first_start, 60min);  // The third would have run until 80.
}

TEST(Simulation, SpreadsLargeJobsOverNodesAndSaysWhatCouldNotRun) {
    Workload workload;
    workload.jobs = {{.run_time = 10s, .gpus = 16},
                     {.run_time = 10s, .gpus = 20, .outcome = workload::Outcome::failed},
                     {.run_time = 10s, .gpus = 32},
                     {.run_time = 10s, .gpus = 1, .gpu_types = {"h100"}}};
    ClusterSpec cluster = testing::make_cluster(3);
    cluster.scheduling.enforce_part_limits = "ALL";
    const SimulationResult result = simulate(workload, {.cluster = std::move(cluster)});
    EXPECT_EQ(result.jobs[0].gpus, 16);
    EXPECT_EQ(result.jobs[1].gpus, 20);
    EXPECT_EQ(result.jobs[1].state, JobState::failed);
    EXPECT_EQ(result.length, 20s);
    EXPECT_EQ(result.stuck + static_cast<std::size_t>(result.jobs[2].refused), 1U);
    EXPECT_TRUE(result.jobs[3].refused);
    EXPECT_EQ(result.refusals.size(), result.jobs[2].refused ? 2U : 1U);
}

TEST(Simulation, AgentsMayBeSlow) {
    Workload workload = four_jobs();
    SimulationOptions options{.cluster = testing::make_cluster(1),
                              .submission = {.limit = LimitRule::times, .limit_percent = 200},
                              .agent_latency = 500ms};
    const SimulationResult result = simulate(workload, options);
    EXPECT_EQ(result.jobs[0].ended, 100min + 1s);
    EXPECT_EQ(result.jobs[1].first_start, 100min + 1s);
}

TEST(Simulation, IsTheSameEachTime) {
    Workload workload;
    Rng rng(7);
    for (int i = 0; i < 120; ++i) {
        workload.jobs.push_back({.submit = std::chrono::seconds(i * 20),
                                 .run_time = std::chrono::seconds(rng.between(1, 4000)),
                                 .gpus = std::int64_t{1} << rng.between(0, 4),
                                 .user = rng.chance(50) ? "ann" : "bob"});
    }
    const SimulationResult a = run(workload, 4, "multifactor", {}),
                           b = run(workload, 4, "multifactor", {}), c = run(workload, 4, "sjf", {});
    EXPECT_EQ(a.jobs, b.jobs);
    EXPECT_EQ(a.state_hash, b.state_hash);
    EXPECT_NE(a.jobs, c.jobs);
}

TEST(Policies, AreNamed) {
    for (const NamedPolicy& policy : named_policies()) {
        SchedulingSpec spec;
        EXPECT_TRUE(choose_policy(spec, std::string(policy.name) + ":easy").ok()) << policy.name;
        EXPECT_EQ(spec.plan_depth, 1U);
        ClusterSpec cluster = testing::make_cluster(1);
        cluster.scheduling = spec;
        EXPECT_TRUE(build_policy(cluster).ok()) << policy.name;
    }
    SchedulingSpec spec;
    EXPECT_EQ(choose_policy(spec, "best").error().message,
              "there is no policy 'best'; there are own, fifo, multifactor, sjf, qssf, las, "
              "gittins, round_robin, drf");
    EXPECT_FALSE(choose_policy(spec, "fifo:hard").ok());
}

}  // namespace
}  // namespace berth::sim
