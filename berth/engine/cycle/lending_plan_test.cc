// What the plan knows of suspended runs: when they go on and end, also in chains, and whose planned
// starts that would put off.
#include "berth/engine/cycle/lending_rig.h"
#include "berth/engine/plan/trial.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

JobSpec on_nodes(std::vector<std::string> names, const testing::JobOptions& options) {
    JobSpec spec = testing::make_job(options);
    spec.request.edit().nodelist = std::move(names);
    return spec;
}

JobSpec with_memory(std::int64_t gibibytes, const testing::JobOptions& options) {
    JobSpec spec = testing::make_job(options);
    spec.request.edit().memory_per_node = gib(gibibytes);
    return spec;
}

// ---- Chains.

TEST_F(LentCores, TheCheckOfThePlanKnowsHowLongCoresAreTaken) {
    const JobId low = run("main", {.cpus = 8, .limit = 2h});
    const JobId high = submit("high", {.cpus = 8, .limit = 1h});
    pass(1s);
    freeze(low);
    pass(1s);
    ASSERT_TRUE(runs(high));
    const JobId waits = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    ASSERT_NE(planned(waits), nullptr);
    PlannedStart early = *planned(waits);
    early.start -= 30min;
    early.end -= 30min;
    Engine other = copy_of(engine);
    other.mutable_state().apply(now, PlanJob{waits, early});
    EXPECT_NE(check_plan(other.state(), now), std::nullopt);
}

class LentOnThree : public LentCores {
protected:
    LentOnThree() : LentCores(lending_cluster(3)) {}
};

// A stands on node1 and node2, B has node2 of it and stands on node3, where J runs: when J ends
// decides when node1 is free.
TEST_F(LentOnThree, WhatChangesOneEndMovesThoseThatWaitForIt) {
    const JobId a = run("main", on_nodes({"node1", "node2"}, {.nodes = 2, .cpus = 8, .limit = 2h}));
    const JobId b =
        submit("high", on_nodes({"node2", "node3"}, {.nodes = 2, .cpus = 8, .limit = 2h}));
    pass(1s);
    freeze(a);
    pass(1s);
    ASSERT_TRUE(runs(b));
    const JobId j = submit("top", on_nodes({"node3"}, {.cpus = 8, .limit = 1h}));
    pass(1s);
    freeze(b);
    pass(1s);
    ASSERT_TRUE(runs(j));
    const Time end = engine.derived().book.find(a)->end;
    EXPECT_GE(end, *job(j).started_at + 1h + 119min + 119min);
    engine.apply(now, JobUpdated{.job = j, .time_limit = 5h});
    check();
    EXPECT_EQ(engine.derived().book.find(a)->end, end + 4h);
    testing::finish(engine, now, j);
    check();
    EXPECT_LT(engine.derived().book.find(a)->end, end);
    pass(1s);
    EXPECT_TRUE(runs(b));
    EXPECT_TRUE(stands(a));
}

// The job for which they stand still may be changed before it has started.
TEST_F(LentOnThree, WhatChangesTheAwaitedJobMovesItsLenders) {
    const JobId a = run("main", on_nodes({"node1", "node2"}, {.nodes = 2, .cpus = 8, .limit = 2h}));
    const JobId high = submit("high", on_nodes({"node1"}, {.cpus = 8, .limit = 1h}));
    pass(1s);
    ASSERT_TRUE(job(a).is_suspended());
    engine.apply(now, JobUpdated{.job = high, .time_limit = 5h});
    check();
    engine.apply(now, JobCancelled{.job = high});
    check();
    pass(1s);
    EXPECT_TRUE(runs(a));
}

class LentInManyTiers : public LentCores {
protected:
    static constexpr int kTiers = 24;
    LentInManyTiers() : LentCores(cluster()) {}
    static ClusterSpec cluster() {
        ClusterSpec spec = lending_cluster(2);
        for (int tier = 1; tier <= kTiers; ++tier) {
            PartitionSpec one = spec.partitions[1];
            one.name = "tier" + std::to_string(tier);
            one.priority_tier = 100 + tier;
            spec.partitions.push_back(one);
        }
        return spec;
    }
};

// Each end is computed once, however many ways lead to it.
TEST_F(LentInManyTiers, EachOfThemWaitsForAllAboveIt) {
    std::vector<JobId> ids = {run("main", {.nodes = 2, .cpus = 8, .limit = 1h})};
    for (int tier = 1; tier <= kTiers; ++tier) {
        const JobId next =
            submit("tier" + std::to_string(tier), {.nodes = 2, .cpus = 8, .limit = 1h});
        pass(1s);
        ASSERT_TRUE(job(ids.back()).is_suspended());
        freeze(ids.back());
        pass(1s);
        ASSERT_TRUE(runs(next));
        ids.push_back(next);
    }
    EXPECT_GE(engine.derived().book.find(ids.front())->end, now + kTiers * 59min);
}

TEST_F(LentCores, WithinAReservation) {
    Reservation kept{.name = "kept", .start = now, .end = now + 24h};
    kept.amounts.emplace_back(kNode, engine.state().spec().nodes[0].capacity);
    kept.whole_nodes = true;
    kept.users = {"ann"};
    engine.apply(now, ReservationSet{kept});
    const auto reserved = [](const testing::JobOptions& options) {
        JobSpec spec = testing::make_job(options);
        spec.request.edit().reservation = "kept";
        return spec;
    };
    const JobId low = run("main", reserved({.cpus = 8, .limit = 2h}));
    const JobId high = submit("high", reserved({.cpus = 8, .limit = 1h}));
    pass(1s);
    freeze(low);
    pass(1s);
    ASSERT_TRUE(runs(high));
    engine.apply(now, JobUpdated{.job = high, .time_limit = 3h});
    check();
    EXPECT_GE(engine.derived().book.find(low)->end, *job(high).started_at + 3h + 119min);
    testing::finish(engine, now, high);
    pass(1s);
    EXPECT_TRUE(runs(low));
}

// ---- Deadlines.

TEST_F(LentCores, ARunThatWouldMissItsDeadlineIsNotSuspended) {
    JobSpec spec = testing::make_job({.cpus = 8, .limit = 2h});
    spec.deadline = now + 3h;
    const JobId low = run("main", spec);
    const JobId high = submit("high", {.cpus = 8, .limit = 2h});
    pass(1min);
    EXPECT_TRUE(runs(low));
    EXPECT_EQ(preemptions, 0);
    cancel_pending(high);
    submit("high", {.cpus = 8, .limit = 10min});
    pass(1min);
    EXPECT_TRUE(job(low).is_suspended()) << "It has the time.";
}

// The run that stands still is killed then. Its cores are booked as long as others have them.
TEST_F(LentCores, ADeadlineThatPassesWhileOthersHaveItsCores) {
    JobSpec spec = testing::make_job({.gpus = 1, .cpus = 8, .limit = 30min});
    spec.deadline = now + 3h;
    const JobId low = run("main", spec);
    const JobId high = submit("high", {.cpus = 8, .limit = 10min});
    pass(1s);
    freeze(low);
    pass(1s);
    ASSERT_TRUE(runs(high));
    engine.apply(now, JobUpdated{.job = high, .time_limit = 5h});
    check();
    const JobId waits = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    EXPECT_GE(engine.derived().book.find(low)->end, *job(high).started_at + 5h);
    EXPECT_GE(planned(waits)->start, *job(high).started_at + 5h);
    pass(3h);
    EXPECT_EQ(job(low).outcome, JobState::deadline);
    EXPECT_TRUE(runs(high));
    testing::finish(engine, now, low);
    pass(1s);
    EXPECT_FALSE(engine.derived().book.find(high)->lends());
}

// ---- Planned starts before the job's own.

// The job waits for two GPUs, which suspension does not give it.
TEST_F(LentCores, ALaterEndOfWhatLendsToTheRunPutsNobodyOff) {
    const JobId low = run("main", {.gpus = 2, .cpus = 8, .limit = 1h});
    const JobId high = submit("high", {.cpus = 8, .limit = 1h});
    pass(1s);
    freeze(low);
    pass(1s);
    ASSERT_TRUE(runs(high));
    const JobId first = submit("top", {.gpus = 2, .cpus = 1, .limit = 1h});
    pass(1s);
    ASSERT_NE(planned(first), nullptr);
    const Time start = planned(first)->start;
    submit("top", {.cpus = 8, .limit = 1h});
    pass(1s);
    EXPECT_TRUE(runs(high)) << "Then it, and the run that lends to it, would end later.";
    ASSERT_NE(planned(first), nullptr);
    EXPECT_EQ(planned(first)->start, start);
}

// It waits for the GPUs of the last one. Then there is memory for it beside one of the others.
TEST_F(LentCores, TheLaterEndsOfSeveralRunsCountInSum) {
    const JobId one = run("main", with_memory(150, {.cpus = 4, .limit = 1h}));
    const JobId other = run("main", with_memory(150, {.cpus = 3, .limit = 1h}));
    run("main", {.gpus = 2, .cpus = 1, .limit = 90min});
    const JobId first = submit("top", with_memory(300, {.gpus = 2, .cpus = 1, .limit = 1h}));
    pass(1s);
    ASSERT_NE(planned(first), nullptr);
    const Time start = planned(first)->start;
    const JobId high = submit("high", {.cpus = 7, .limit = 1h});
    pass(1s);
    EXPECT_TRUE(runs(one));
    EXPECT_TRUE(runs(other));
    EXPECT_EQ(preemptions, 0);
    cancel_pending(high);
    submit("high", {.cpus = 4, .limit = 1h});
    pass(1s);
    EXPECT_TRUE(job(one).is_suspended());
    EXPECT_TRUE(runs(other));
    EXPECT_EQ(planned(first)->start, start);
}

class LentWithLicenses : public LentCores {
protected:
    LentWithLicenses() : LentCores(cluster()) {}
    static ClusterSpec cluster() {
        ClusterSpec spec = lending_cluster();
        spec.licenses = {{"matlab", 1}};
        return spec;
    }
    static JobSpec with_license(const testing::JobOptions& options) {
        JobSpec spec = testing::make_job(options);
        spec.request.edit().licenses = LicenseRequest{{{"matlab", 1}}, false};
        return spec;
    }
};

TEST_F(LentWithLicenses, ALicenseThatIsKeptLongerPutsNobodyOff) {
    const JobId low = run("main", with_license({.cpus = 7, .limit = 1h}));
    const JobId first = submit("top", with_license({.cpus = 1, .limit = 1h}));
    pass(1s);
    ASSERT_NE(planned(first), nullptr);
    const Time start = planned(first)->start;
    submit("high", {.cpus = 8, .limit = 10min});
    pass(1s);
    EXPECT_TRUE(runs(low));
    EXPECT_EQ(preemptions, 0);
    EXPECT_EQ(planned(first)->start, start);
}

// ---- Runs that end, and runs that lend.

class LentBelowEnding : public LentCores {
protected:
    LentBelowEnding() : LentCores(cluster()) {}
    static ClusterSpec cluster() {
        ClusterSpec spec = lending_cluster();
        spec.partitions[1].preempt_mode = PreemptMode::cancel;
        return spec;
    }
    // "high" has all cores of "main".
    void borrow_all() {
        low = run("main", {.cpus = 8, .limit = 10h});
        high = submit("high", {.cpus = 8, .limit = 5h});
        pass(1s);
        freeze(low);
        pass(1s);
        ASSERT_TRUE(runs(high));
    }
    std::int64_t free_cpus() const {
        return engine.state().nodes().free(kNode).amount.cpu().count() / 1000;
    }
    std::int64_t planned_free_cpus() const {
        return engine.derived().book.timeline(kNode).free_at(now + 1min).cpu().count() / 1000;
    }

    JobId low{0}, high{0};
};

TEST_F(LentBelowEnding, ABorrowerThatEndsLeavesTheCoresToTheJobAboveIt) {
    borrow_all();
    const JobId top = submit("top", {.cpus = 8, .limit = 1h});
    pass(1s);
    EXPECT_EQ(job(high).outcome, JobState::preempted);
    ASSERT_TRUE(job(low).lends_cores());
    EXPECT_EQ(job(low).allocation->preempted->by, top);
    EXPECT_TRUE(engine.derived().book.find(top)->lends());
    testing::finish(engine, now, high);
    pass(1s);
    EXPECT_TRUE(runs(top)) << "At once, not when it was planned.";
    EXPECT_TRUE(stands(low));
    testing::finish(engine, now, top);
    pass(1s);
    EXPECT_TRUE(runs(low));
}

TEST_F(LentBelowEnding, OfRunsThatEndAndRunsThatLendTheLastOneDecides) {
    const JobId lends = run("main", {.cpus = 4, .limit = 10h});
    const JobId ends = run("high", {.cpus = 4, .limit = 10h});
    const JobId top = submit("top", {.cpus = 8, .limit = 1h});
    pass(1s);
    ASSERT_TRUE(job(lends).is_suspended());
    ASSERT_EQ(job(ends).outcome, JobState::preempted);
    freeze(lends);
    pass(1s);
    EXPECT_EQ(job(top).state, JobState::pending);
    testing::finish(engine, now, ends);
    pass(1s);
    EXPECT_TRUE(runs(top)) << "Not only when it was planned.";
    EXPECT_TRUE(stands(lends));
}

TEST_F(LentBelowEnding, TheOrderOfATrialDoesNotMatter) {
    borrow_all();
    const NodeFree before = engine.state().nodes().free(kNode);
    {
        Trial trial = engine.trial();
        trial.lend(low);
        EXPECT_EQ(free_cpus(), 0);
        EXPECT_EQ(planned_free_cpus(), 0);
        trial.lift(high);
        EXPECT_EQ(free_cpus(), 8);
        EXPECT_EQ(planned_free_cpus(), 8);
    }
    check();
    {
        Trial trial = engine.trial();
        trial.lift(high);
        EXPECT_EQ(free_cpus(), 0) << "They are those of the run below.";
        EXPECT_EQ(planned_free_cpus(), 0);
        const Trial::Mark mark = trial.mark();
        trial.lend(low);
        EXPECT_EQ(free_cpus(), 8);
        EXPECT_EQ(planned_free_cpus(), 8);
        trial.back_to(mark);
        trial.lengthen(low, now + 100h);
        trial.lend(low, now + 30s);
        EXPECT_EQ(planned_free_cpus(), 0) << "It lends no longer.";
    }
    EXPECT_EQ(engine.state().nodes().free(kNode), before);
    check();
}

// ---- Changes of the cluster.

class LentWithThreads : public LentCores {
protected:
    LentWithThreads() : LentCores(cluster(2)) {}
    static ClusterSpec cluster(std::uint32_t threads) {
        ClusterSpec spec = lending_cluster();
        NodeSpec& node = spec.nodes.edit(0);
        node.threads_per_core = threads;
        node.capacity.set_cpu(cores(8 * threads));
        return spec;
    }
};

// The same cores with fewer threads: what was taken of them does not fit the node any more.
TEST_F(LentWithThreads, WhatWasTakenOfAnotherNodeIsNotLent) {
    const JobId low = run("main", {.cpus = 16, .limit = 10h});
    const JobId high = submit("high", {.cpus = 8});
    pass(1s);
    freeze(low);
    engine.apply(now, SpecInstalled{cluster(1)});
    for (int i = 0; i < 3; ++i) engine.cycle(now += 1s, kBudget);
    EXPECT_EQ(job(high).state, JobState::pending);
    engine.apply(now, SpecInstalled{cluster(2)});
    pass(1s);
}

}  // namespace
}  // namespace berth
