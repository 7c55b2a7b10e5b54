// Suspension by preemption: what stands still lends its cores, to whom, and until when.
#include "berth/engine/cycle/lending_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

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

// Nobody else could use them meanwhile.
TEST_F(LentCores, CoresThatStandStillAreTakenBeforeFreeOnes) {
    const JobId first = run("main", {.cpus = 4});
    const JobId low = run("main", {.cpus = 4, .limit = 10h});
    testing::finish(engine, now, first);
    pass(1s);
    const JobId high = submit("high", {.cpus = 6, .limit = 1h});
    pass(1s);
    ASSERT_TRUE(job(low).is_suspended());
    freeze(low);
    pass(1s);
    ASSERT_TRUE(runs(high));
    EXPECT_TRUE(share(low).cores.is_subset_of(share(high).cores));
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
    freeze(low);  // Its nodes answer the order to go on.
    pass(hold / 2);
    EXPECT_TRUE(runs(low)) << "The job waits before it preempts again.";
    pass(hold);
    EXPECT_TRUE(job(low).is_suspended());
    EXPECT_EQ(preemptions, 2);
    freeze(low);
    pass(1s);
    EXPECT_TRUE(runs(high));
}

TEST_F(LentCores, WhatWasNotProvedIsNotTriedAgainUntilItsNodesAnswer) {
    const Duration hold = engine.state().spec().scheduling.preemption.hold_timeout;
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    submit("high", {.cpus = 8});
    pass(1s);
    ASSERT_TRUE(job(low).is_suspended());
    pass(hold);
    for (int i = 0; i < 5; ++i) {
        pass(hold);
        EXPECT_TRUE(runs(low));
    }
    EXPECT_EQ(preemptions, 1);
    engine.apply(now, JobFrozen{low, job(low).attempt, job(low).suspension->changes - 1});
    pass(1s);
    EXPECT_TRUE(runs(low)) << "That answers an earlier order.";
    freeze(low);
    pass(1s);
    EXPECT_TRUE(job(low).is_suspended());
    EXPECT_EQ(preemptions, 2);
}

// The job's user could have runs stand still for ever.
TEST_F(LentCores, AChangeOfTheJobIsNoEndOfItsRest) {
    const Duration hold = engine.state().spec().scheduling.preemption.hold_timeout;
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 8});
    pass(1s);
    freeze(low);
    engine.apply(now, JobUpdated{.job = high, .time_limit = 30min});
    pass(1s);
    EXPECT_TRUE(runs(low)) << "Its planned start was for another job than this one.";
    for (const Hold held : {Hold::user, Hold::none}) {
        engine.apply(now, JobHeld{.job = high, .hold = held});
        pass(hold / 3);
        EXPECT_TRUE(runs(low));
    }
    EXPECT_EQ(preemptions, 1);
    pass(hold);
    EXPECT_TRUE(job(low).is_suspended());
    EXPECT_EQ(preemptions, 2);
}

TEST_F(LentCores, AllTasksOfAnArrayRestAfterOneHasHadARunStandStillInVain) {
    const Duration hold = engine.state().spec().scheduling.preemption.hold_timeout;
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    JobSpec spec = testing::make_job({.cpus = 8});
    spec.array.emplace();
    spec.array->tasks = {0, 1, 2};
    submit("high", spec);
    pass(1s);
    ASSERT_TRUE(job(low).is_suspended());
    freeze(low);
    engine.apply(now, JobCancelled{.job = job(low).allocation->preempted->by});
    pass(1s);
    EXPECT_EQ(preemptions, 2) << "Another task has its turn: nothing was in vain.";
    pass(hold + hold / 2);
    EXPECT_TRUE(runs(low));
    EXPECT_EQ(preemptions, 2);
}

TEST_F(LentCores, AJobThatIsMovedInTheOrderKeepsWhatStandsStillForIt) {
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 8});
    pass(1s);
    engine.apply(now, JobUpdated{.job = high, .priority = 7, .by_operator = true});
    pass(1s);
    EXPECT_NE(planned(high), nullptr);
    EXPECT_TRUE(job(low).is_suspended());
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
    EXPECT_FALSE(engine.derived().book.find(high)->lends()) << "The cores are its own now.";
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

// On cores of what still moves nothing may start, whatever a record says.
TEST_F(LentCores, CoresOfARunThatIsNotProvedToStandStillAreNotTaken) {
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 8});
    pass(1s);
    ASSERT_TRUE(job(low).is_suspended());
    StartJob start{.job = high, .attempt = Attempt(1)};
    start.allocation.shares.push_back(share(low));
    EXPECT_DEATH(engine.apply(now, start), "are_lent");
}

TEST_F(LentCores, ARunWhoseCoresOthersHaveIsNotToEndForAnother) {
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    const JobId high = submit("high", {.cpus = 8, .limit = 1h});
    pass(1s);
    freeze(low);
    pass(1s);
    ASSERT_TRUE(runs(high));
    const JobId top = submit("top", {.gpus = 1, .cpus = 1, .limit = 1h});
    for (const PreemptMode mode : {PreemptMode::cancel, PreemptMode::requeue}) {
        JobsPreempted fact{.preemptor = top};
        fact.victims.push_back({low, job(low).attempt, mode, now});
        engine.apply(now, fact);
        EXPECT_TRUE(job(low).lends_cores());
        EXPECT_EQ(job(low).allocation->preempted->by, high);
        check();
    }
}

class LentWithProlog : public LentCores {
protected:
    LentWithProlog() : LentCores(cluster()) {}
    static ClusterSpec cluster() {
        ClusterSpec spec = lending_cluster();
        spec.hooks.controller_prolog = {"/prolog"};
        return spec;
    }
};

TEST_F(LentWithProlog, WhatHasNotBegunIsNotSuspended) {
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    ASSERT_TRUE(job(low).is_configuring());
    submit("high", {.cpus = 8});
    pass(1s);
    EXPECT_FALSE(job(low).is_suspended());
    engine.apply(now, ControllerHookEnded{low, Attempt(1), ControllerHook::prolog, ""});
    pass(1s);
    EXPECT_TRUE(job(low).is_suspended());
}

class LentOnTwo : public LentCores {
protected:
    LentOnTwo() : LentCores(lending_cluster(2)) {}
    JobId run_on(const std::string& node) {
        JobSpec spec = testing::make_job({.cpus = 8, .limit = 10h});
        spec.request.edit().nodelist = std::vector<std::string>{node};
        return run("main", spec);
    }
};

TEST_F(LentOnTwo, AJobThatLosesItsPlaceChoosesAnotherRunAtOnce) {
    const JobId one = run_on("node1"), other = run_on("node2");
    const JobId high = submit("high", {.cpus = 8});
    pass(1s);
    ASSERT_TRUE(job(one).is_suspended());
    engine.apply(now,
                 NodeUpdated{.node = NodeId(0), .drained = true, .reason = "fan", .by = "root"});
    pass(1s);
    EXPECT_TRUE(job(other).is_suspended());
    EXPECT_EQ(preemptions, 2);
    EXPECT_TRUE(runs(one)) << "Nobody comes for its cores.";
    freeze(other);
    pass(1s);
    EXPECT_TRUE(runs(high));
}

}  // namespace
}  // namespace berth
