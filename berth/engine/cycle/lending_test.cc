// Suspension by preemption: what stands still lends its cores, to whom, and until when.
#include <gtest/gtest.h>

#include "berth/engine/derived/derived_state.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/engine/state/lent_cores.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

// One node with 8 cores and 2 GPUs; partitions "main" and, above it, "high" and "top".
class LentCores : public ::testing::Test {
protected:
    LentCores() : engine(testing::make_engine(cluster(), at(0))) {}
    ~LentCores() override { check(); }

    static ClusterSpec cluster() {
        ClusterSpec spec =
            testing::make_cluster(1, {.sockets = 1, .cores_per_socket = 8, .gpus = 2});
        spec.scheduling.preemption.by = PreemptBy::partition;
        spec.scheduling.preemption.mode = PreemptMode::suspend;
        for (const auto& [name, tier] : {std::pair("high", 5), std::pair("top", 9)}) {
            PartitionSpec one = spec.partitions.front();
            one.name = name;
            one.is_default = false;
            one.priority_tier = tier;
            spec.partitions.push_back(one);
        }
        return spec;
    }

    void check() {
        engine.state().check_invariants();
        EXPECT_EQ(check_plan(engine.state(), now), std::nullopt);
        // A plan made anew from the state books the same.
        const Engine again = copy_of(engine);
        again.state().check_invariants();
        EXPECT_EQ(again.state().hash(), engine.state().hash());
        EXPECT_EQ(again.state().nodes().free(kNode), engine.state().nodes().free(kNode));
    }
    // Time passes, and then the scheduler has its cycles.
    void pass(Duration time) {
        now += time;
        for (int i = 0; i < 20; ++i) {
            const Cycle cycle = engine.cycle(now, kBudget);
            for (const Fact& fact : cycle.decisions) {
                if (std::holds_alternative<JobsPreempted>(fact)) ++preemptions;
            }
            check();
            if (cycle.complete) return;
        }
        FAIL() << "the cycles do not come to an end";
    }
    JobId submit(const std::string& partition, const testing::JobOptions& options) {
        JobSpec spec = testing::make_job(options);
        if (partition != "main") spec.partition = partition;
        return testing::submit(engine, now, spec);
    }
    JobId run(const std::string& partition, const testing::JobOptions& options) {
        const JobId id = submit(partition, options);
        pass(1s);
        EXPECT_EQ(job(id).state, JobState::running);
        return id;
    }
    // All nodes of it have proved that it stands still.
    void freeze(JobId id) {
        engine.apply(now, JobFrozen{id, job(id).attempt, job(id).suspension->changes});
    }
    void cancel_pending(JobId id) { engine.apply(now, JobCancelled{.job = id}); }
    const Job& job(JobId id) const { return *engine.state().find_job(id); }
    bool runs(JobId id) const {
        return job(id).state == JobState::running && !job(id).is_suspended();
    }
    bool stands(JobId id) const { return stands_still(job(id)); }
    const NodeShare& share(JobId id) const { return job(id).allocation->shares.front(); }

    static constexpr NodeId kNode{0};
    Time now = at(1000);
    Engine engine;
    int preemptions = 0;
};

TEST_F(LentCores, TheCoresAreUsedOnceItIsProvedThatTheRunStandsStill) {
    const JobId low = run("main", {.gpus = 1, .cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 8, .limit = 1h});
    pass(1s);
    EXPECT_TRUE(job(low).is_suspended());
    EXPECT_EQ(job(low).allocation->preempted->by, high);
    EXPECT_EQ(job(high).state, JobState::pending) << "Nothing is proved.";
    pass(30s);
    EXPECT_EQ(job(high).state, JobState::pending);
    EXPECT_NE(engine.state().schedule().planned(high), nullptr);
    freeze(low);
    pass(1s);
    ASSERT_TRUE(runs(high));
    EXPECT_TRUE(stands(low));
    EXPECT_EQ(share(high).cores, share(low).cores);
    EXPECT_EQ(engine.state().nodes().free(kNode).amount.cpu(), Millicpu(0));
    EXPECT_EQ(ran_for(job(low), now), 1s);
    testing::finish(engine, now, high);
    EXPECT_TRUE(stands(low)) << "The next cycle lets it go on.";
    pass(1s);
    EXPECT_TRUE(runs(low));
    EXPECT_FALSE(job(low).allocation->preempted);
    EXPECT_EQ(preemptions, 1);
}

TEST_F(LentCores, AProofOfAnEarlierSuspensionIsNone) {
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 8});
    pass(1s);
    engine.apply(now, JobFrozen{low, job(low).attempt, job(low).suspension->changes - 1});
    engine.apply(now, JobFrozen{low, Attempt(7), job(low).suspension->changes});
    pass(1s);
    EXPECT_FALSE(stands(low));
    EXPECT_EQ(job(high).state, JobState::pending);
}

TEST_F(LentCores, GpusAndMemoryAreNotLent) {
    JobSpec spec = testing::make_job({.gpus = 2, .cpus = 8, .limit = 10h});
    spec.request.edit().memory_per_node = gib(300);
    const JobId low = testing::submit(engine, now, spec);
    pass(1s);
    ASSERT_TRUE(runs(low));
    const JobId wants_gpu = submit("high", {.gpus = 1, .cpus = 1});
    JobSpec large = testing::make_job({.cpus = 1});
    large.partition = "high";
    large.request.edit().memory_per_node = gib(300);
    const JobId wants_memory = testing::submit(engine, now, large);
    pass(1min);
    EXPECT_TRUE(runs(low));
    EXPECT_EQ(job(wants_gpu).state, JobState::pending);
    EXPECT_EQ(job(wants_memory).state, JobState::pending);
    EXPECT_EQ(preemptions, 0);
}

// What is left of the cores is lent to others of the same rank, and to nobody below.
TEST_F(LentCores, SeveralJobsBorrowFromOneRun) {
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    const JobId first = submit("high", {.cpus = 3, .limit = 1h});
    const JobId second = submit("high", {.cpus = 3, .limit = 2h});
    const JobId other = submit("main", {.cpus = 1, .limit = 1h});
    pass(1s);
    freeze(low);
    pass(1s);
    pass(1s);
    ASSERT_TRUE(runs(first));
    ASSERT_TRUE(runs(second));
    EXPECT_FALSE(share(first).cores.intersects(share(second).cores));
    EXPECT_EQ(job(other).state, JobState::pending);
    testing::finish(engine, now, first);
    pass(1s);
    EXPECT_TRUE(stands(low)) << "The second one still has cores of it.";
    testing::finish(engine, now, second);
    pass(1s);
    EXPECT_TRUE(runs(low));
    EXPECT_EQ(job(other).state, JobState::pending);
}

TEST_F(LentCores, AcrossThreeTiersTheLastToStandStillGoesOnFirst) {
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 8, .limit = 1h});
    pass(1s);
    freeze(low);
    pass(1s);
    ASSERT_TRUE(runs(high));
    const JobId top = submit("top", {.cpus = 4, .limit = 1h});
    pass(1s);
    ASSERT_TRUE(job(high).is_suspended());
    freeze(high);
    pass(1s);
    ASSERT_TRUE(runs(top));
    EXPECT_TRUE(stands(low));
    testing::finish(engine, now, top);
    pass(1s);
    EXPECT_TRUE(runs(high));
    EXPECT_TRUE(stands(low));
    testing::finish(engine, now, high);
    pass(1s);
    EXPECT_TRUE(runs(low));
}

TEST_F(LentCores, ThePreemptorIsCancelled) {
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 8});
    pass(1s);
    freeze(low);
    cancel_pending(high);
    pass(1s);
    EXPECT_TRUE(runs(low));
}

TEST_F(LentCores, WithoutProofTheHoldExpiresAndTheJobRests) {
    const Duration hold = engine.state().spec().scheduling.preemption.hold_timeout;
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 8});
    pass(1s);
    EXPECT_TRUE(job(low).is_suspended());
    pass(hold);
    EXPECT_TRUE(runs(low));
    EXPECT_EQ(preemptions, 1);
    pass(hold / 2);
    EXPECT_TRUE(runs(low)) << "The job waits before it preempts again.";
    pass(hold);
    EXPECT_TRUE(job(low).is_suspended());
    EXPECT_EQ(preemptions, 2);
    freeze(low);
    pass(1s);
    EXPECT_TRUE(runs(high));
}

TEST_F(LentCores, ARunThatStandsStillIsCancelled) {
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 4, .limit = 1h});
    pass(1s);
    freeze(low);
    pass(1s);
    ASSERT_TRUE(runs(high));
    engine.apply(now, EndJob{.job = low, .outcome = JobState::cancelled});
    check();
    EXPECT_TRUE(stands(low)) << "It is killed, and runs nothing meanwhile.";
    testing::finish(engine, now, low);
    check();
    EXPECT_EQ(engine.state().nodes().free(kNode).amount.cpu(), cores(4));
    EXPECT_TRUE(engine.derived().book.find(high)->lent->empty()) << "The cores are its own now.";
    testing::finish(engine, now, high);
    EXPECT_EQ(engine.state().nodes().free(kNode).amount.cpu(), cores(8));
}

// Before its preemptor has started: what it gives back is that one's.
TEST_F(LentCores, ARunIsCancelledBeforeItsPreemptorHasStarted) {
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    const JobId other = submit("main", {.cpus = 8, .limit = 1h});
    const JobId high = submit("high", {.cpus = 8, .limit = 1h});
    pass(1s);
    engine.apply(now, EndJob{.job = low, .outcome = JobState::cancelled});
    testing::finish(engine, now, low);
    pass(1s);
    EXPECT_TRUE(runs(high));
    EXPECT_EQ(job(other).state, JobState::pending);
}

TEST_F(LentCores, ThePlanKnowsWhenItGoesOn) {
    const JobId low = run("main", {.cpus = 8, .limit = 2h});
    const JobId waits = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    const Time before = engine.state().schedule().planned(waits)->start;
    const JobId high = submit("high", {.cpus = 8, .limit = 1h});
    pass(1s);
    freeze(low);
    pass(1s);
    ASSERT_TRUE(runs(high));
    pass(1s);
    const PlannedStart* const planned = engine.state().schedule().planned(waits);
    ASSERT_NE(planned, nullptr);
    EXPECT_GE(planned->start, before + 1h) << "It waits for both.";
    const PlannedReservation* const run = engine.derived().book.find(low);
    EXPECT_GE(run->end, *job(high).started_at + 1h + 1h + 50min);
    EXPECT_LE(run->end, *job(high).started_at + 1h + 2h);
}

TEST_F(LentCores, TimeStoodStillIsNoReasonToEndIt) {
    const JobId low = run("main", {.cpus = 8, .limit = 10min});
    const JobId high = submit("high", {.cpus = 8, .limit = 2h});
    pass(1s);
    freeze(low);
    pass(1s);
    ASSERT_TRUE(runs(high));
    pass(1h);
    EXPECT_TRUE(stands(low));
    pass(50min);
    testing::finish(engine, now, high);
    pass(1s);
    EXPECT_TRUE(runs(low));
    pass(9min);
    EXPECT_TRUE(runs(low));
    pass(2min);
    EXPECT_EQ(job(low).outcome, JobState::timeout);
}

TEST_F(LentCores, WhatAnOperatorHasSuspendedLendsNothing) {
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    engine.apply(now, JobSuspended{.job = low, .attempt = job(low).attempt});
    const JobId high = submit("high", {.cpus = 8});
    pass(1min);
    EXPECT_EQ(job(high).state, JobState::pending);
    EXPECT_EQ(preemptions, 0);
    engine.apply(now, JobSuspended{.job = low, .attempt = job(low).attempt, .in_force = false});
    pass(1s);
    EXPECT_EQ(preemptions, 1);
}

TEST_F(LentCores, AStartCanBeTriedAndUndone) {
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 5});
    pass(1s);
    const std::uint64_t before = engine.state().hash();
    const NodeFree free = engine.state().nodes().free(kNode);
    ClusterState& state = engine.mutable_state();
    const auto mark = state.checkpoint();
    state.apply(now, JobFrozen{low, job(low).attempt, job(low).suspension->changes});
    StartJob start{.job = high, .attempt = Attempt(1)};
    NodeShare taken = share(low);
    for (const std::size_t core : {0U, 1U, 2U}) taken.cores.reset(core);
    taken.amount.set_cpu(cores(5));
    taken.cpus = 5;
    start.allocation.shares.push_back(taken);
    state.apply(now, start);
    state.check_invariants();
    state.apply(now, AttemptEnded{.job = low, .attempt = Attempt(1), .node = kNode});
    state.check_invariants();
    state.rollback(mark);
    EXPECT_EQ(state.hash(), before);
    EXPECT_EQ(state.nodes().free(kNode), free);
}

}  // namespace
}  // namespace berth
