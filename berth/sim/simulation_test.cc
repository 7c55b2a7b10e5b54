#include "berth/sim/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/base/rng.h"
#include "berth/control/core/decision_check.h"
#include "berth/policy/policy.h"
#include "berth/sim/policies.h"
#include "berth/testing/builders.h"
#include "berth/workload/generator.h"

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

// On a node of 8 GPUs: 6 GPUs for 100 min; then 8 for 50; then 2 for 60; then 2 for 200.
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
    starts.reserve(result.jobs.size());
    for (const JobRecord& job : result.jobs) starts.push_back(job.first_start);
    return starts;
}

TEST(Simulation, RunsJobsAsTheEnginePlansThem) {
    // The third job fits in before the second; the fourth would delay it.
    const SimulationResult result = run(four_jobs(), 1, "fifo:conservative");
    EXPECT_EQ(starts_of(result), (std::vector<Duration>{0min, 100min, 20min, 150min}));
    EXPECT_EQ(result.length, 350min);
    EXPECT_EQ(result.stuck, 0U);
    // 6 × 100 + 8 × 50 + 2 × 60 + 2 × 200 GPU minutes.
    EXPECT_TRUE(result.gpus_allocated.sum() == Wide{1520} * 60'000);
    // The second job waits 90 min, the fourth 120.
    EXPECT_TRUE(result.jobs_waiting.sum() == Wide{210} * 60'000);
    EXPECT_EQ(result.jobs_waiting.highest(), 2);
    for (const JobRecord& job : result.jobs) {
        EXPECT_EQ(job.state, JobState::completed);
        EXPECT_EQ(job.starts, 1U);
    }
}

// Frozen in virtual time: it ends as much later as it has stood still.
TEST(Simulation, ARunThatIsSuspendedGoesOnAfterwards) {
    Workload workload;
    workload.jobs = {{.run_time = 100min, .limit = 300min, .cpu_milli = 64'000, .user = "ann"},
                     {.submit = 10min,
                      .run_time = 50min,
                      .limit = 100min,
                      .cpu_milli = 64'000,
                      .user = "bob",
                      .partition = "high"}};
    SimulationOptions options{.cluster = testing::make_cluster(1)};
    PartitionSpec high = options.cluster.partitions.front();
    high.name = "high";
    high.is_default = false;
    high.priority_tier = 9;
    options.cluster.partitions.push_back(high);
    options.cluster.scheduling.preemption.by = PreemptBy::partition;
    options.cluster.scheduling.preemption.mode = PreemptMode::suspend;
    const SimulationResult result = simulate(workload, options);
    ASSERT_EQ(result.jobs.size(), 2U);
    for (const JobRecord& job : result.jobs) {
        EXPECT_EQ(job.state, JobState::completed);
        EXPECT_EQ(job.starts, 1U);
    }
    const auto minutes_of = [](Duration time) { return time / std::chrono::minutes(1); };
    EXPECT_EQ(minutes_of(result.jobs[1].first_start), 10);
    EXPECT_EQ(minutes_of(result.jobs[1].ended), 60);
    EXPECT_EQ(minutes_of(result.jobs[0].ended), 150);
}

TEST(Simulation, CountsTheFreeGpusThatUsualJobsCannotUse) {
    const SimulationResult result = run(four_jobs(), 1, "fifo:conservative");
    // Half of the jobs cannot use the two GPUs that the first leaves free: 1 GPU. From 20 min on
    // none is free.
    const Series& series = result.gpus_fragmented;
    const auto mean_at = [&](Duration at) {
        const auto bucket = static_cast<std::size_t>(at / series.width());
        return static_cast<std::int64_t>(series.buckets()[bucket]) / series.width().count();
    };
    EXPECT_EQ(mean_at(10min), 1000);
    EXPECT_EQ(mean_at(50min), 0);
    // From 200 min on six GPUs are free, which the job of 8 cannot use. From 80 to 100 min it was
    // two.
    EXPECT_EQ(mean_at(300min), 1500);
    EXPECT_EQ(mean_at(90min), 1000);
    // One, two, three, four and then three jobs are in the system while the first runs.
    EXPECT_EQ(result.jobs[0].company, (10 * 1 + 10 * 2 + 10 * 3 + 50 * 4 + 20 * 3) * 60'000);
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

// A trace with shares of GPUs, such as openb's.
TEST(Simulation, AsksForPartsOfGpusAsParts) {
    Workload workload;
    for (int i = 0; i < 3; ++i)
        workload.jobs.push_back({.run_time = 10s, .gpus = 1, .gpu_milli = 330});
    workload.jobs.push_back({.run_time = 10s, .gpus = 1, .gpu_milli = 330, .gpu_types = {"a100"}});
    const testing::NodeOptions node{.gpus = 2, .parts = {{"mps", 100}}};
    const SimulationResult result = simulate(workload, {.cluster = testing::make_cluster(1, node)});
    EXPECT_EQ(result.length, 10s);  // Three on one GPU; the one with a type has the other GPU.
    const SimulationResult whole = run(workload, 1, "fifo");
    EXPECT_EQ(whole.jobs[0].gpus, 1);
}

// A workload from a cluster's own history.
TEST(Simulation, AsksAsItsUserDidAndWaitsForItsBegin) {
    Workload workload = four_jobs();
    JobRequest asked;
    asked.gpus_per_node = {{"gpu", "", 2}};
    asked.exclude = {"node1"};
    workload.jobs[2].request = asked;
    workload.jobs[3].delay = 7h;
    const SimulationResult result = run(workload, 2, "fifo:conservative");
    EXPECT_EQ(result.jobs[2].first_start, 60min);  // After the second, on the other node.
    EXPECT_EQ(result.jobs[3].first_start, 7h + 30min);
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

// Each turn of the controller takes as long as the last one.
class SameCost : public CostMeter {
public:
    explicit SameCost(std::chrono::nanoseconds cost) : cost_(cost) {}
    void begin() override { ++begun; }
    std::chrono::nanoseconds end() override { return cost_; }
    std::uint64_t begun = 0;

private:
    std::chrono::nanoseconds cost_;
};

TEST(Simulation, DecidingTakesTheTimeThatItsMeterSays) {
    Workload workload;
    workload.jobs = {{.submit = 10ms, .run_time = 10s, .gpus = 4},
                     {.submit = 10ms, .run_time = 20s, .gpus = 4},
                     {.submit = 5s, .run_time = 10s, .gpus = 4}};
    SameCost cost(1ms);
    SimulationOptions options{.cluster = testing::make_cluster(1), .cost = &cost};
    const SimulationResult result = simulate(workload, options);
    // Both are started by one turn, and told their nodes when it has decided.
    EXPECT_EQ(result.jobs[0].first_start, 10ms);
    EXPECT_EQ(result.jobs[0].launched, 11ms);
    EXPECT_EQ(result.jobs[1].launched, 11ms);
    EXPECT_EQ(result.jobs[0].ended, 11ms + 10s);
    // Started by the turn that hears of the first one's end.
    EXPECT_EQ(result.jobs[2].first_start, 11ms + 10s);
    EXPECT_EQ(result.jobs[2].launched, 12ms + 10s);
    EXPECT_EQ(result.jobs[2].ended, 12ms + 20s);
    EXPECT_EQ(result.jobs[1].ended, 11ms + 20s);
    EXPECT_EQ(cost.begun, result.turns - 1) << "the nodes' registration costs nothing";

    options.cost = nullptr;
    const SimulationResult at_once = simulate(workload, options);
    EXPECT_EQ(at_once.jobs[0].launched, 10ms);
    EXPECT_EQ(at_once.length, 10ms + 20s);
}

// Less than the unit of time adds up; what happens while the controller decides waits.
TEST(Simulation, DecidingMayTakeAPartOfAMillisecondOrLong) {
    Workload workload;
    for (int i = 0; i < 40; ++i) {
        workload.jobs.push_back(
            {.submit = std::chrono::milliseconds(100 * i), .run_time = 10ms, .gpus = 8});
    }
    const auto length_at = [&](std::chrono::nanoseconds each) {
        SameCost cost(each);
        return simulate(workload, {.cluster = testing::make_cluster(1), .cost = &cost}).length;
    };
    const Duration without = length_at({});
    EXPECT_EQ(without, 39 * 100ms + 10ms);
    const Duration less = length_at(10us);
    EXPECT_GE(less, without);
    EXPECT_LE(less, without + 10ms);
    EXPECT_GT(length_at(300ms), without + 1s);
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

// A job of half a day on nodes that fail again and again.
SimulationResult run_with_losses(std::uint64_t seed, Duration checkpoint, Duration restart_cost) {
    Workload workload;
    workload.jobs = {{.run_time = 12h, .gpus = 8}, {.submit = 1h, .run_time = 1h, .gpus = 8}};
    SimulationOptions options{.cluster = testing::make_cluster(2),
                              .submission = {.limit = LimitRule::none}};
    options.wear = {.time_between_losses = 6h,
                    .repair = 2h,
                    .restart_cost = restart_cost,
                    .checkpoint = checkpoint,
                    .seed = seed};
    return simulate(workload, options);
}

TEST(Simulation, LosesNodesAndRunsTheirJobsAgain) {
    std::uint32_t restarts = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const SimulationResult kept = run_with_losses(seed, 10min, 0s);
        ASSERT_EQ(kept.jobs[0].state, JobState::completed);
        EXPECT_EQ(kept.jobs[0].lost, kept.jobs[0].starts - 1);
        EXPECT_EQ(kept.jobs[0].preemptions(), 0U);
        // Each start repeats less than ten minutes, and a failure is detected after five.
        EXPECT_GE(kept.jobs[0].ran, 12h);
        EXPECT_LE(kept.jobs[0].ran, 12h + 15min * kept.jobs[0].starts);
        const SimulationResult costly = run_with_losses(seed, 10min, 30min);
        EXPECT_GE(costly.jobs[0].ran, costly.jobs[0].starts > 1 ? 12h + 30min : 12h);
        if (kept.jobs[0].starts > 1) {
            EXPECT_GT(run_with_losses(seed, 0s, 0s).jobs[0].ran, kept.jobs[0].ran);
        }
        EXPECT_EQ(run_with_losses(seed, 10min, 0s).jobs, kept.jobs);
        restarts += kept.jobs[0].starts - 1;
    }
    EXPECT_GE(restarts, 8U);
}

TEST(Simulation, LetsJobsTakeTurnsByTheirService) {
    Workload workload;
    workload.jobs = {{.run_time = 40h, .gpus = 8}, {.submit = 1h, .run_time = 1h, .gpus = 8}};
    SimulationOptions options{.cluster = testing::make_cluster(1),
                              .submission = {.limit = LimitRule::none},
                              .time_slice = 6h};
    options.wear.checkpoint = 1s;
    options.restart_cost_of = [](const TraceJob&) { return Duration(1min); };
    EXPECT_TRUE(choose_policy(options.cluster.scheduling, "las").ok());
    const SimulationResult result = simulate(workload, options);
    EXPECT_EQ(result.jobs[1].first_start, 6h);
    EXPECT_EQ(result.jobs[1].ended, 7h);
    EXPECT_EQ(result.jobs[0].starts, 2U);
    EXPECT_EQ(result.jobs[0].preemptions(), 1U);
    EXPECT_EQ(result.jobs[0].ended, 41h + 1min);
    options.time_slice = 0s;
    EXPECT_EQ(simulate(workload, options).jobs[1].first_start, 40h);
}

// Slices and run times are both whole hours, so a job's last run ends with a slice.
TEST(Simulation, PutsNoJobBackThatEndsWithItsSlice) {
    Workload workload;
    workload.jobs = {{.run_time = 10h, .gpus = 8}, {.submit = 1h, .run_time = 10min, .gpus = 8}};
    SimulationOptions options{.cluster = testing::make_cluster(1),
                              .submission = {.limit = LimitRule::none},
                              .time_slice = 1h};
    options.wear.checkpoint = 10min;
    EXPECT_TRUE(choose_policy(options.cluster.scheduling, "fifo:none").ok());
    const SimulationResult result = simulate(workload, options);
    EXPECT_EQ(result.jobs[0].starts, 10U) << "The first in its queue goes on at once.";
    EXPECT_EQ(result.jobs[0].ended, 10h);
    EXPECT_EQ(result.jobs[1].ended, 10h + 10min);
}

// A job of 12 hours on a node that fails every few minutes would never end.
TEST(Simulation, EndsWhereAJobNeverCould) {
    Workload workload;
    workload.jobs = {{.run_time = 1min, .gpus = 8}, {.submit = 2min, .run_time = 12h, .gpus = 8}};
    SimulationOptions options{.cluster = testing::make_cluster(1),
                              .submission = {.limit = LimitRule::none},
                              .wear = {.time_between_losses = 20min, .repair = 10min}};
    SimulationResult result = simulate(workload, options);
    EXPECT_EQ(result.hopeless, 1U);
    EXPECT_EQ(result.jobs[1].lost, kRunsInVain);
    EXPECT_EQ(result.stuck, 1U);
    options.wear.checkpoint = 5h;  // Too long to be reached.
    EXPECT_EQ(simulate(workload, options).hopeless, 1U);
    options.wear.checkpoint = 1s;
    result = simulate(workload, options);
    EXPECT_EQ(result.hopeless, std::nullopt);
    EXPECT_EQ(result.stuck, 0U);
}

TEST(Simulation, KeepsEveryRunWithItsPlaceIfAsked) {
    SimulationOptions options{.cluster = testing::make_cluster(1), .keep_runs = true};
    const SimulationResult result = simulate(four_jobs(), options);
    ASSERT_EQ(result.runs.size(), 4U);
    EXPECT_EQ(result.runs[1].job, 0U);  // In the order of their ends.
    EXPECT_EQ(result.runs[1].ended, 100min);
    ASSERT_EQ(result.runs[1].places.size(), 1U);
    EXPECT_EQ(result.runs[1].places[0].devices.size(), 6U);
    EXPECT_TRUE(run(four_jobs(), 1, "fifo").runs.empty());
}

// As `berth replay --decide` does with a daemon's journal.
TEST(Simulation, IsDecidedAgainFromItsRecords) {
    Workload workload = *workload::generate("venus", {.jobs = 300, .seed = 5, .gpus_max = 16});
    workload::scale_load(workload, 24, 1.3);
    for (const char* const policy : {"multifactor:conservative", "sjf:easy", "las", "fifo:none"}) {
        SimulationOptions options{.cluster = testing::make_cluster(3)};
        options.wear = {.time_between_losses = 200h, .checkpoint = 1h};
        ASSERT_TRUE(choose_policy(options.cluster.scheduling, policy).ok());
        DecisionCheck check{ClusterState()};
        std::optional<DecisionCheck::Difference> first;
        options.recorded = [&](const Record& record) {
            if (!first) first = check.take(record);
        };
        const SimulationResult result = simulate(workload, options);
        ASSERT_FALSE(first) << policy << ", record " << first->sequence << " has "
                            << first->recorded << "; now " << first->ours;
        EXPECT_EQ(check.state().hash(), result.state_hash);
        EXPECT_EQ(check.put_off(), 0U);
        EXPECT_GT(check.decisions(), 300U);
        // Strict order once caused a turn every millisecond.
        EXPECT_LT(result.turns, 10'000U) << policy;
    }
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
              "las12, gittins, round_robin, drf, hdrf, weighted_fair");
    EXPECT_FALSE(choose_policy(spec, "fifo:hard").ok());
}

}  // namespace
}  // namespace berth::sim
