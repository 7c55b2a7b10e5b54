// Usage as jobs run, and its effect on the order.
#include <gtest/gtest.h>

#include "berth/engine/derived/derived_state.h"
#include "berth/engine/state/job_queries.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;
using testing::finish;
using testing::make_engine;
using testing::make_job;
using testing::submit;

ClusterSpec gpu_cluster(std::vector<TresWeight> weights = {{"gres/gpu", 1'000'000}}) {
    ClusterSpec spec = testing::make_cluster(1);
    spec.partitions[0].billing_weights = std::move(weights);
    spec.scheduling.usage_decay.half_life = Duration{};
    spec.scheduling.rules = {{.kind = "priority", .name = "fair_share", .weight = 1000}};
    return spec;
}

std::int64_t billed(const Engine& engine, std::size_t index, Time now) {
    const ClusterState& state = engine.state();
    return state.usage()
        .records()[index]
        .used_by(now, kBillingUsage, state.spec().scheduling.usage_decay)
        .whole;
}

TEST(Usage, CountsGpuHoursWhileAJobRunsAndNoLonger) {
    Engine engine = make_engine(gpu_cluster());
    const JobId job = submit(engine, Time(0s), make_job({.gpus = 4}));
    EXPECT_EQ(billed(engine, 0, Time(1h)), 0);  // It waits.
    engine.cycle(Time(1h), kBudget);
    EXPECT_EQ(billed(engine, 0, Time(1h + 10s)), 40);
    finish(engine, Time(2h), job);
    EXPECT_EQ(billed(engine, 0, Time(2h)), 4 * 3600);
    EXPECT_EQ(billed(engine, 0, Time(20h)), 4 * 3600);
    EXPECT_EQ(engine.state().usage().records()[0].used[usage_kind_of(DimensionId(2))].whole,
              4 * 3600);
    engine.state().check_invariants();
}

TEST(Usage, StopsWhereTheRunIsToldToEnd) {
    Engine engine = make_engine(gpu_cluster());
    const JobId job = submit(engine, Time(0s), make_job({.gpus = 1}));
    engine.cycle(Time(0s), kBudget);
    engine.apply(Time(10min), EndJob{.job = job, .outcome = JobState::cancelled});
    finish(engine, Time(20min), job);  // Cleaning up does not count as the user's time.
    EXPECT_EQ(billed(engine, 0, Time(1h)), 600);
}

TEST(Usage, OfAnotherConfigurationCountsFromThenOn) {
    Engine engine = make_engine(gpu_cluster());
    submit(engine, Time(0s), make_job({.gpus = 2, .limit = 10h}));
    engine.cycle(Time(0s), kBudget);
    engine.apply(Time(1h), SpecInstalled{gpu_cluster({{"gres/gpu", 5'000'000}})});
    EXPECT_EQ(billed(engine, 0, Time(1h)), 2 * 3600);
    EXPECT_EQ(billed(engine, 0, Time(2h)), 2 * 3600 + 10 * 3600);
    engine.state().check_invariants();
}

JobId submit_as(Engine& engine, Time now, const std::string& user, std::int64_t gpus) {
    Job job;
    job.id = engine.state().next_job_id();
    job.owner = Owner{.uid = 1000, .user = user};
    job.spec = make_job({.gpus = gpus});
    job.time_limit = 1h;
    job.submitted_at = now;
    engine.apply(now, JobSubmitted{job});
    return job.id;
}

TEST(Usage, LetsWhoUsedLessPass) {
    Engine engine = make_engine(gpu_cluster());
    const JobId first = submit_as(engine, Time(0s), "ann", 8);
    engine.cycle(Time(0s), kBudget);
    const JobId anns = submit_as(engine, Time(10min), "ann", 8);
    const JobId bens = submit_as(engine, Time(20min), "ben", 8);
    finish(engine, Time(30min), first);
    engine.cycle(Time(30min), kBudget);
    EXPECT_EQ(engine.state().find_job(bens)->state, JobState::running);
    EXPECT_EQ(engine.state().find_job(anns)->state, JobState::pending);
    // Three users, root among them. Users without usage share the first rank.
    EXPECT_EQ(current_priority(engine.state(), bens), 1000);
    EXPECT_EQ(current_priority(engine.state(), anns), 333);
}

TEST(Usage, BroughtAlongCountsLikeOurOwn) {
    Engine engine = make_engine(gpu_cluster());
    engine.apply(Time(0s), UsageSet{.entries = {{.account = "", .user = "ben", .billing = 5000}}});
    const JobId blocker = submit_as(engine, Time(0s), "cleo", 8);
    engine.cycle(Time(0s), kBudget);
    const JobId bens = submit_as(engine, Time(1min), "ben", 8);
    const JobId anns = submit_as(engine, Time(2min), "ann", 8);
    finish(engine, Time(10s + 2min), blocker);
    engine.cycle(Time(10s + 2min), kBudget);
    EXPECT_EQ(engine.state().find_job(anns)->state, JobState::running);
    EXPECT_EQ(engine.state().find_job(bens)->state, JobState::pending);
}

TEST(Order, PutsWhatALostNodeGaveBackFirst) {
    ClusterSpec spec = testing::make_cluster(1);
    Engine engine = make_engine(spec);
    Job lost;
    lost.id = engine.state().next_job_id();
    lost.owner = Owner{.uid = 1000, .user = "ann"};
    lost.spec = make_job({.gpus = 8});
    lost.spec.expedite = true;
    lost.spec.nice = 1'000'000;  // Last by priority.
    lost.time_limit = 1h;
    engine.apply(Time(0s), JobSubmitted{lost});
    engine.cycle(Time(0s), kBudget);
    const JobId other = submit_as(engine, Time(1min), "ben", 8);
    const Job& run = *engine.state().find_job(lost.id);
    engine.apply(
        Time(2min),
        AttemptEnded{.job = lost.id, .attempt = run.attempt, .node = NodeId(0), .lost = true});
    EXPECT_TRUE(engine.state().find_job(lost.id)->expedited);
    engine.cycle(Time(3min), kBudget);
    EXPECT_EQ(engine.state().find_job(lost.id)->state, JobState::running);
    EXPECT_EQ(engine.state().find_job(other)->state, JobState::pending);
    EXPECT_FALSE(engine.state().find_job(lost.id)->expedited);
}

TEST(Order, MayGoOnForThoseThatRun) {
    for (const bool running_too : {false, true}) {
        ClusterSpec spec = gpu_cluster();
        spec.scheduling.prioritize_running = running_too;
        Engine engine = make_engine(spec);
        const JobId runs = submit_as(engine, Time(0s), "ann", 4);
        engine.cycle(Time(0s), kBudget);
        submit_as(engine, Time(10min), "ben", 4);
        engine.cycle(Time(10min), kBudget);
        // First of two when it started; now last of three, the only one with usage.
        EXPECT_EQ(current_priority(engine.state(), runs), running_too ? 333 : 1000);
    }
}

TEST(Order, MayBeTheSites) {
    for (const bool shortest : {false, true}) {
        ClusterSpec spec = testing::make_cluster(1);
        if (shortest) {
            spec.scheduling.rules = {{.kind = "order", .name = "shortest_first", .weight = 1}};
        }
        Engine engine = make_engine(spec);
        const JobId blocker = submit_as(engine, Time(0s), "ann", 8);
        engine.cycle(Time(0s), kBudget);
        const JobId longer = submit(engine, Time(1s), make_job({.gpus = 8, .limit = 9h}));
        const JobId shorter = submit(engine, Time(2s), make_job({.gpus = 8, .limit = 2h}));
        finish(engine, Time(3s), blocker);
        engine.cycle(Time(3s), kBudget);
        const JobId first = shortest ? shorter : longer;
        EXPECT_EQ(engine.state().find_job(first)->state, JobState::running);
    }
}

TEST(Order, MayLetPrioritiesOnlyRise) {
    for (const bool only_rise : {false, true}) {
        ClusterSpec spec = gpu_cluster();
        spec.scheduling.priorities_only_rise = only_rise;
        Engine engine = make_engine(spec);
        const JobId blocker = submit_as(engine, Time(0s), "ann", 8);
        engine.cycle(Time(0s), kBudget);
        const JobId waiting = submit_as(engine, Time(1s), "ann", 8);
        engine.cycle(Time(1s), kBudget);
        EXPECT_EQ(current_priority(engine.state(), waiting), 1000);
        engine.cycle(Time(10min), kBudget);
        engine.apply(Time(10min), JobUpdated{.job = waiting, .comment = "look again"});
        engine.cycle(Time(10min), kBudget);
        EXPECT_EQ(current_priority(engine.state(), waiting), only_rise ? 1000 : 500);
        finish(engine, Time(11min), blocker);
    }
}

}  // namespace
}  // namespace berth
