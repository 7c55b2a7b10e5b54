// Advice must hold: a job changed as `why` proposes gets the start that the advice named.
#include "berth/engine/explain/explain_advice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/engine/explain/explain.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

TEST(Explain, SaysThePhaseOfAJobThatWaitsOrRuns) {
    Engine engine = testing::make_engine(testing::make_cluster(1, {.gpus = 4}), kNow);
    const JobId first = testing::submit(engine, kNow, testing::make_job({.gpus = 4}));
    const JobId second = testing::submit(engine, kNow, testing::make_job({.gpus = 4}));
    engine.cycle(kNow, kBudget);
    EXPECT_EQ(explain(engine, kNow, second).phase, "Pending");
    EXPECT_TRUE(explain(engine, kNow, second).conditions.empty());
    const Explanation of_first = explain(engine, kNow, first);
    EXPECT_EQ(of_first.phase, "Running");
    ASSERT_EQ(of_first.conditions.size(), 1U);
    EXPECT_EQ(of_first.conditions[0].type, "Scheduled");
}

std::vector<Advice> advice_of(Engine& engine, Time now, JobId id) {
    return advice_for(engine, now, *engine.derived().pending.find(id));
}

// As `scontrol update` would record it.
JobUpdated update_to(const Advice& advice) {
    JobUpdated update{.job = advice.job.id, .request = advice.job.spec.request};
    update.time_limit = advice.job.time_limit;
    update.partition = advice.job.partition;
    return update;
}

// The actual or planned start.
std::optional<Time> start_in(const ClusterState& state, JobId id) {
    const Job& job = *state.find_job(id);
    if (job.started_at) return job.started_at;
    const PlannedStart* planned = state.schedule().planned(id);
    return planned == nullptr ? std::nullopt : std::optional(planned->start);
}

std::string minutes_of(Time at) {
    return std::to_string(at.time_since_epoch() / std::chrono::seconds(1)) + " s";
}

ClusterSpec random_two_types(Rng& rng) {
    ClusterSpec spec = testing::make_cluster(static_cast<std::uint32_t>(rng.between(2, 4)),
                                             {.sockets = 1, .cores_per_socket = 8, .gpus = 4});
    testing::add_node(spec, "other1",
                      {.sockets = 1, .cores_per_socket = 8, .gpu_type = "h100", .gpus = 4});
    spec.scheduling.kill_wait = std::chrono::seconds(rng.between(0, 30));
    spec.partitions.push_back(
        {.name = "other", .nodes = {NodeId::from_index(spec.nodes.size() - 1)}});
    return spec;
}

JobSpec random_gpu_job(Rng& rng) {
    testing::JobOptions options;
    options.nodes = rng.chance(30) ? static_cast<std::uint32_t>(rng.between(1, 2)) : 1;
    options.gpus = rng.between(1, 4);
    options.limit = std::chrono::minutes(rng.between(2, 120));
    JobSpec spec = testing::make_job(options);
    if (rng.chance(10)) {
        spec.partition = "other";
        spec.request.edit().nodes_min = 1;
        return spec;
    }
    if (rng.chance(20)) {
        spec.request.edit().gpus_per_node.clear();
        spec.request.edit().gres_per_node.clear();
        spec.request.edit().nodes_min = 1;
        spec.request.edit().gpus = {
            {.name = "gpu", .type = rng.chance(50) ? "a100" : "", .count = rng.between(1, 4)}};
    }
    return spec;
}

void fill(Rng& rng, Engine& engine, Time now) {
    for (int i = 0; i < 14; ++i) testing::submit(engine, now, random_gpu_job(rng));
    for (int i = 0; i < 10 && !engine.cycle(now, kBudget).complete; ++i) {
    }
}

// The named start holds exactly, unless a job ahead takes what the change frees.
void check(const Engine& engine, Time now, const Advice& advice) {
    const JobId id = advice.job.id;
    const PlannedStart* planned = engine.state().schedule().planned(id);
    if (planned != nullptr) {
        ASSERT_LT(advice.start, planned->start) << advice.change;
    }
    Engine changed = copy_of(engine);
    changed.cycle(now, kBudget);
    changed.apply(now, update_to(advice));
    for (int i = 0; i < 10 && !changed.cycle(now, kBudget).complete; ++i) {
    }
    const auto start = start_in(changed.state(), id);
    if (start && *start <= advice.start) return;
    const PendingJob& pending = *engine.derived().pending.find(id);
    const bool taken = std::ranges::any_of(
        engine.derived().pending.order().entries(), [&](const JobOrder::Entry& entry) {
            if (entry.job == nullptr || !(entry.key < pending.key)) return false;
            const auto before = start_in(engine.state(), entry.job->id);
            const auto after = start_in(changed.state(), entry.job->id);
            return after && (!before || *after < *before);
        });
    ASSERT_TRUE(taken) << "job " << to_string(id) << ": " << advice.change << " promised "
                       << minutes_of(advice.start) << ", and gave "
                       << (start ? minutes_of(*start) : "nothing");
}

TEST(Advice, IsKeptToTheLetter) {
    std::size_t given = 0;
    testing::for_each_seed(100, [&](Rng& rng) {
        Engine engine = testing::make_engine(random_two_types(rng));
        const Time now = Time(std::chrono::minutes(rng.between(0, 100)));
        fill(rng, engine, now);
        const auto& pending = engine.state().index().pending();
        const std::vector<JobId> waiting(pending.begin(), pending.end());
        for (const JobId id : waiting) {
            const auto all = advice_of(engine, now, id);
            ASSERT_LE(all.size(), 3U);
            ASSERT_TRUE(std::ranges::is_sorted(all, {}, &Advice::start));
            for (const Advice& one : all) check(engine, now, one);
            given += all.size();
            if (::testing::Test::HasFatalFailure()) return;
        }
    });
    EXPECT_GT(given, testing::scaled(300U));
}

// Half of the node is free in ten minutes. The job is planned on the whole node in an hour; its own
// planned start does not stand in the way of the smaller job that it could be.
TEST(Advice, MayUseWhatTheJobItselfIsPlannedOn) {
    Engine engine = testing::make_engine(testing::make_cluster(1, {.gpus = 4}));
    testing::submit(engine, Time{},
                    testing::make_job({.gpus = 2, .limit = std::chrono::minutes(10)}));
    testing::submit(engine, Time{}, testing::make_job({.gpus = 2}));
    const JobId waits = testing::submit(engine, Time{}, testing::make_job({.gpus = 4}));
    engine.cycle(Time{}, kBudget);
    ASSERT_NE(engine.state().schedule().planned(waits), nullptr);
    const auto advice = advice_of(engine, Time{}, waits);
    ASSERT_EQ(advice.size(), 1U);
    EXPECT_EQ(advice[0].change, "--gpus-per-node=2 instead of 4");
    EXPECT_EQ(advice[0].start, Time{std::chrono::minutes(10)});
    EXPECT_EQ(engine.derived().book.planned_start(waits)->start,
              engine.state().schedule().planned(waits)->start);
}

TEST(Advice, IsNotGivenToWhoStartsAnyway) {
    Engine engine = testing::make_engine(testing::make_cluster(1));
    const JobId first = testing::submit(engine, Time{}, testing::make_job({.gpus = 1}));
    EXPECT_TRUE(advice_of(engine, Time{}, first).empty());
}

TEST(Advice, NamesNoPartitionThatTheJobNamesItself) {
    ClusterSpec spec = testing::make_cluster(2);
    spec.partitions.front().nodes = {NodeId(0)};
    spec.partitions.push_back({.name = "other", .nodes = {NodeId(1)}});
    Engine engine = testing::make_engine(spec);
    JobSpec whole = testing::make_job({.gpus = 8});
    const JobId first = testing::submit(engine, Time{}, whole);
    whole.partition = "other";
    whole.request.edit().time_limit = std::chrono::minutes(30);
    testing::submit(engine, Time{}, whole);
    whole.partition = "main,other";
    const JobId waits = testing::submit(engine, Time{}, whole);
    engine.cycle(Time{}, kBudget);
    ASSERT_NE(engine.state().schedule().planned(waits), nullptr);
    const Time soon{std::chrono::minutes(1)};
    testing::finish(engine, soon, first);  // The next cycle starts the job there.
    for (const Advice& one : advice_of(engine, soon, waits))
        EXPECT_FALSE(one.change.starts_with("--partition=")) << one.change;
    engine.cycle(soon, kBudget);
    EXPECT_EQ(engine.state().find_job(waits)->state, JobState::running);
}

TEST(Advice, KeepsWithinLimitsAndWhoMayUseAPartition) {
    ClusterSpec spec = testing::make_cluster(2);
    spec.partitions.front().nodes = {NodeId(0)};
    spec.partitions.push_back({.name = "closed", .nodes = {NodeId(1)}});
    spec.partitions.back().allow_accounts = {"others"};
    Engine engine = testing::make_engine(spec);
    testing::submit(engine, Time{}, testing::make_job({.gpus = 8}));
    const JobId second = testing::submit(engine, Time{}, testing::make_job({.gpus = 8}));
    engine.cycle(Time{}, kBudget);
    EXPECT_TRUE(advice_of(engine, Time{}, second).empty());
    spec.partitions.back().allow_accounts.clear();
    engine.apply(Time{}, SpecInstalled{spec});
    engine.cycle(Time{}, kBudget);
    const auto advice = advice_of(engine, Time{}, second);
    ASSERT_EQ(advice.size(), 1U);
    EXPECT_EQ(advice[0].change, "--partition=closed");
    EXPECT_EQ(advice[0].start, Time{});
}

}  // namespace
}  // namespace berth
