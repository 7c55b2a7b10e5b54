// Runs that take turns: who shares cores, whose turn it is, and that the plan knows when all end.
#include "berth/engine/state/turns.h"
#include "berth/engine/cycle/lending_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

// Two jobs on each core. Slices begin at multiples of 30 s.
ClusterSpec sharing_cluster(const std::string& oversubscribe = "FORCE:2", std::uint32_t nodes = 1) {
    ClusterSpec spec = lending_cluster(nodes);
    spec.scheduling.preemption.by = PreemptBy::none;
    spec.scheduling.preemption.mode = PreemptMode::off;
    spec.scheduling.preemption.gang = true;
    for (PartitionSpec& one : spec.partitions) one.oversubscribe = oversubscribe;
    return spec;
}

class Turns : public LentCores {
protected:
    explicit Turns(ClusterSpec spec = sharing_cluster()) : LentCores(std::move(spec)) {}

    void to_next_slice() {
        const Duration past = (now - Time{}) % 30s;
        pass(30s - past);
    }
    // All that was told to stand still has proved it, and the next has its turn.
    void prove() {
        for (const JobId id : engine.state().index().awaiting_turn()) {
            if (!job(id).suspension->proved) proved.push_back(id);
        }
        for (const JobId id : std::exchange(proved, {})) freeze(id);
        pass(100ms);
    }
    void turn() {
        to_next_slice();
        prove();
    }
    bool waits(JobId id) const { return job(id).awaits_turn(); }
    std::vector<JobId> sharers(JobId id) const {
        return turn_sharers(engine.state().jobs(), engine.state().index(), job(id));
    }

    std::vector<JobId> proved;
};

TEST_F(Turns, TwoJobsOnTheSameCoresRunInTurns) {
    const JobId first = run("main", {.cpus = 8, .limit = 1h});
    const JobId second = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    ASSERT_EQ(job(second).state, JobState::running);
    EXPECT_TRUE(waits(second));
    EXPECT_TRUE(job(second).suspension->not_launched);
    EXPECT_EQ(share(second).cores, share(first).cores);
    EXPECT_EQ(ran_for(job(second), now), 0s);
    EXPECT_TRUE(runs(first));
    EXPECT_EQ(engine.state().nodes().free(kNode).amount.cpu(), Millicpu(0));
    to_next_slice();
    EXPECT_TRUE(waits(first));
    EXPECT_TRUE(waits(second)) << "Nothing proves yet that the first stands still.";
    prove();
    EXPECT_TRUE(runs(second));
    EXPECT_FALSE(job(second).suspension->not_launched);
    EXPECT_TRUE(waits(first));
    turn();
    EXPECT_TRUE(runs(first));
    EXPECT_TRUE(waits(second));
    EXPECT_EQ(preemptions, 0);
}

// Up to one slice: what runs since long ago is not stopped before the next one begins.
TEST_F(Turns, ATurnBeginsWithATimeSlice) {
    const JobId first = run("main", {.cpus = 8, .limit = 1h});
    pass(10min);
    to_next_slice();
    pass(5s);
    const JobId second = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    ASSERT_TRUE(waits(second));
    pass(10s);
    EXPECT_TRUE(runs(first));
    turn();
    EXPECT_TRUE(runs(second));
    pass(10s);
    EXPECT_TRUE(runs(second));
}

TEST_F(Turns, NoMoreThanThePartitionSays) {
    const JobId first = run("main", {.cpus = 8, .limit = 1h});
    const JobId second = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    const JobId third = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    EXPECT_TRUE(waits(second));
    ASSERT_EQ(job(third).state, JobState::pending);
    ASSERT_NE(planned(third), nullptr);
    EXPECT_GE(planned(third)->start, *job(first).started_at + 2h) << "Both may take that long.";
}

TEST_F(Turns, WhatIsLeftGoesOnAtOnce) {
    const JobId first = run("main", {.cpus = 8, .limit = 1h});
    const JobId second = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    testing::finish(engine, now, first);
    pass(1s);
    EXPECT_TRUE(runs(second));
    EXPECT_TRUE(sharers(second).empty());
    const JobId third = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    EXPECT_TRUE(waits(third));
    testing::finish(engine, now, third);
    pass(1s);
    EXPECT_FALSE(job(second).allocation->preempted) << "It has its cores to itself.";
    turn();
    EXPECT_TRUE(runs(second));
}

TEST_F(Turns, AJobOnTheCoresOfSeveralGetsThemAtOnce) {
    const JobId left = run("main", {.cpus = 4, .limit = 1h});
    const JobId right = run("main", {.cpus = 4, .limit = 1h});
    const JobId both = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    ASSERT_TRUE(waits(both));
    EXPECT_EQ(sharers(both), (std::vector{left, right}));
    turn();
    EXPECT_TRUE(runs(both));
    EXPECT_TRUE(waits(left));
    EXPECT_TRUE(waits(right));
    turn();
    EXPECT_TRUE(runs(left));
    EXPECT_TRUE(runs(right));
    testing::finish(engine, now, left);
    pass(1s);
    EXPECT_TRUE(waits(both)) << "The other one has half of its cores.";
}

TEST_F(Turns, MemoryAndGpusAreNotShared) {
    JobSpec large = testing::make_job({.cpus = 8});
    large.request.edit().memory_per_node = gib(300);
    const JobId first = run("main", large);
    const JobId second = submit("main", large);
    const JobId of_gpu = submit("main", {.gpus = 1, .cpus = 1});
    pass(1s);
    EXPECT_TRUE(runs(first));
    EXPECT_EQ(job(second).state, JobState::pending);
    EXPECT_EQ(job(of_gpu).state, JobState::pending);
    cancel_pending(second);
    cancel_pending(of_gpu);
    const JobId small = submit("main", {.cpus = 8});
    pass(1s);
    EXPECT_TRUE(waits(small));
}

TEST_F(Turns, AJobWithGpusKeepsItsCores) {
    run("main", {.gpus = 1, .cpus = 8, .limit = 1h});
    const JobId second = submit("main", {.cpus = 8, .limit = 1h});
    pass(1min);
    EXPECT_EQ(job(second).state, JobState::pending);
}

TEST_F(Turns, OnlyWithinAPartition) {
    run("main", {.cpus = 8, .limit = 1h});
    const JobId second = submit("high", {.cpus = 8, .limit = 1h});
    pass(1min);
    EXPECT_EQ(job(second).state, JobState::pending);
}

// The run that would end later is in the way of a start that is planned.
TEST_F(Turns, NoPlannedStartIsPutOff) {
    run("main", {.cpus = 8, .limit = 1h});
    JobSpec large = testing::make_job({.gpus = 1, .cpus = 8, .limit = 1h});
    const JobId next = submit("main", large);
    pass(1s);
    ASSERT_NE(planned(next), nullptr);
    const Time start = planned(next)->start;
    const JobId other = submit("main", {.cpus = 1, .limit = 1min});
    pass(1s);
    EXPECT_EQ(job(other).state, JobState::pending);
    EXPECT_EQ(planned(next)->start, start);
}

// Another run will do where the first would end too late for a start that is planned.
TEST_F(Turns, ARunIsSharedThatPutsOffNoStart) {
    run("main", {.cpus = 4, .limit = 1h});
    const JobId longer = run("main", {.cpus = 4, .limit = 10h});
    JobSpec next = testing::make_job({.gpus = 1, .cpus = 4, .limit = 1h});
    const JobId waiting = submit("main", next);
    pass(1s);
    ASSERT_NE(planned(waiting), nullptr);
    const Time start = planned(waiting)->start;
    const JobId other = submit("main", {.cpus = 4, .limit = 30min});
    pass(1s);
    ASSERT_TRUE(job(other).state == JobState::running && waits(other));
    EXPECT_EQ(sharers(other), std::vector{longer});
    EXPECT_EQ(planned(waiting)->start, start);
}

TEST_F(Turns, ThePlanStaysTrueWhileTheyTakeTurns) {
    const JobId first = run("main", {.cpus = 8, .limit = 10min});
    const JobId second = submit("main", {.cpus = 8, .limit = 10min});
    pass(1s);
    const JobId third = submit("main", {.cpus = 8, .limit = 10min});
    pass(1s);
    ASSERT_NE(planned(third), nullptr);
    Time start = planned(third)->start;
    for (int i = 0; i < 30 && job(third).state == JobState::pending; ++i) {
        to_next_slice();
        pass(2s);  // Nodes are slow to freeze.
        prove();
        if (planned(third) == nullptr) continue;
        EXPECT_LE(planned(third)->start, start);
        start = planned(third)->start;
    }
    EXPECT_LT(ran_for(job(first), now) - ran_for(job(second), now), 1min) << "Each has its share.";
}

TEST_F(Turns, ALimitCountsOnlyTheTimeOfItsTurns) {
    const JobId first = run("main", {.cpus = 8, .limit = 1min});
    const JobId second = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    turn();  // 20 s of the first are over.
    ASSERT_TRUE(runs(second));
    pass(15s);
    EXPECT_EQ(job(first).state, JobState::running);
    turn();
    ASSERT_TRUE(runs(first));
    turn();  // 50 s.
    turn();
    ASSERT_TRUE(runs(first));
    pass(12s);
    EXPECT_EQ(job(first).outcome, JobState::timeout);
}

TEST_F(Turns, OneThatIsAloneEndsAtItsLimitToo) {
    const JobId alone = run("main", {.cpus = 8, .limit = 10min});
    const Time limit = *job(alone).started_at + 10min;
    EXPECT_GT(engine.derived().book.find(alone)->end, limit) << "as if it took turns";
    const auto wake = engine.cycle(now, kBudget).wake_at;
    ASSERT_TRUE(wake);
    EXPECT_EQ(*wake, limit);
    pass(limit - now - 1ms);
    EXPECT_EQ(job(alone).state, JobState::running);
    pass(1ms);
    EXPECT_EQ(job(alone).outcome, JobState::timeout);
}

TEST_F(Turns, OneThatStandsStillEndsAtItsDeadline) {
    JobSpec spec = testing::make_job({.cpus = 8, .limit = 10min});
    spec.deadline = now + 30min;
    const JobId alone = run("main", spec);
    engine.apply(now, JobSuspended{.job = alone, .attempt = job(alone).attempt});
    freeze(alone);
    pass(29min);
    EXPECT_EQ(job(alone).state, JobState::running);
    pass(30min);
    EXPECT_EQ(job(alone).outcome, JobState::deadline);
    // It is not gone, and its cores are not free.
    const JobId next = submit("main", {.cpus = 8, .limit = 10min});
    pass(1s);
    EXPECT_EQ(job(next).state, JobState::pending);
}

TEST_F(Turns, WhatAnOperatorSuspendsIsPassedOver) {
    const JobId first = run("main", {.cpus = 8, .limit = 1h});
    const JobId second = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    engine.apply(now, JobSuspended{second, job(second).attempt, true, 0});
    turn();
    turn();
    EXPECT_TRUE(runs(first)) << "Nobody waits for its cores.";
    engine.apply(now, JobSuspended{first, job(first).attempt, true, 0});
    freeze(first);
    engine.apply(now, JobSuspended{second, job(second).attempt, false, 0});
    EXPECT_TRUE(job(second).is_suspended()) << "It waits for its turn.";
    pass(1s);
    EXPECT_TRUE(runs(second));
    engine.apply(now, JobSuspended{first, job(first).attempt, false, 0});
    pass(1s);
    EXPECT_TRUE(waits(first));
    turn();
    EXPECT_TRUE(runs(first));
}

// It is killed where it stands: the other one need not stop for that.
TEST_F(Turns, WhatIsCancelledAtRestDoesNotStopTheOther) {
    const JobId first = run("main", {.cpus = 8, .limit = 1h});
    const JobId second = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    turn();
    engine.apply(now, EndJob{.job = first, .outcome = JobState::cancelled});
    pass(1s);
    EXPECT_TRUE(job(first).suspension->ended_still);
    EXPECT_TRUE(runs(second));
    turn();
    EXPECT_TRUE(runs(second));
    testing::finish(engine, now, first);
    pass(1s);
    EXPECT_TRUE(sharers(second).empty());
}

// One that runs is told to end, and moves until it has.
TEST_F(Turns, WhatIsCancelledInItsTurnIsWaitedFor) {
    const JobId first = run("main", {.cpus = 8, .limit = 1h});
    const JobId second = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    engine.apply(now, EndJob{.job = first, .outcome = JobState::cancelled});
    turn();
    EXPECT_TRUE(waits(second));
    testing::finish(engine, now, first);
    pass(1s);
    EXPECT_TRUE(runs(second));
}

TEST_F(Turns, ANodeThatDoesNotAnswerCostsOneHold) {
    const JobId first = run("main", {.cpus = 8, .limit = 10h});
    const JobId second = submit("main", {.cpus = 8, .limit = 10h});
    pass(1s);
    to_next_slice();
    EXPECT_TRUE(waits(first));
    for (int i = 0; i < 11; ++i) pass(30s);  // hold_timeout is 5 minutes.
    EXPECT_TRUE(runs(first));
    EXPECT_TRUE(waits(second));
    for (int i = 0; i < 5; ++i) pass(30s);
    EXPECT_TRUE(runs(first)) << "Its nodes have not answered the order to go on.";
    freeze(first);
    turn();
    EXPECT_TRUE(runs(second));
}

TEST_F(Turns, NothingIsChargedBeforeTheFirstTurn) {
    run("main", {.cpus = 8, .limit = 1h});
    const JobId second = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    ASSERT_TRUE(waits(second));
    testing::finish(engine, now, second);
    EXPECT_EQ(job(second).attained, Duration{});
}

// Those that share cores go on taking turns; no others join them.
TEST_F(Turns, APartitionMayEndItsSharing) {
    const JobId first = run("main", {.cpus = 4, .limit = 1h});
    run("main", {.cpus = 4, .limit = 1h});
    const JobId third = submit("main", {.cpus = 4, .limit = 1h});
    pass(1s);
    ASSERT_TRUE(waits(third));
    PartitionChange alone;
    alone.exclusive = alone.ignores_exclusive = false;
    alone.sharing = "";
    engine.apply(now, ClusterEdited{{.partitions = {{.name = "main", .change = alone}}}});
    check();
    const JobId fourth = submit("main", {.cpus = 4, .limit = 1h});
    pass(1s);
    EXPECT_EQ(job(fourth).state, JobState::pending);
    turn();
    EXPECT_TRUE(runs(third) && waits(first));
}

struct WholeNodes : Turns {
    static ClusterSpec cluster() {
        ClusterSpec spec = sharing_cluster("NO");
        spec.scheduling.preemption.by = PreemptBy::qos;
        spec.scheduling.preemption.mode = PreemptMode::suspend;
        spec.qos.push_back({.name = "high", .priority = 10, .preempt = {"normal"}});
        return spec;
    }
    WholeNodes() : Turns(cluster()) {}
};

// They have the GPUs of their nodes, which stay with one job: the run stands still until the end.
TEST_F(WholeNodes, AreNotShared) {
    const JobId low = run("main", {.cpus = 8, .limit = 1h});
    JobSpec high = testing::make_job({.cpus = 1, .limit = 1h});
    high.request.edit().exclusive = true;
    high.qos = "high";
    const JobId one = submit("main", high);
    pass(1s);
    EXPECT_EQ(job(one).state, JobState::pending);
    EXPECT_FALSE(job(low).awaits_turn());
}

struct AskedTurns : Turns {
    AskedTurns() : Turns(sharing_cluster("YES:2")) {}
    JobSpec asking(bool asks) {
        JobSpec spec = testing::make_job({.cpus = 8, .limit = 1h});
        spec.request.edit().oversubscribe = asks;
        return spec;
    }
};

TEST_F(AskedTurns, BothMustHaveAskedForIt) {
    const JobId first = run("main", asking(false));
    const JobId second = submit("main", asking(true));
    pass(1s);
    EXPECT_EQ(job(second).state, JobState::pending);
    testing::finish(engine, now, first);
    pass(1s);
    ASSERT_TRUE(runs(second));
    const JobId third = submit("main", asking(false));
    pass(1s);
    EXPECT_EQ(job(third).state, JobState::pending);
    cancel_pending(third);
    const JobId fourth = submit("main", asking(true));
    pass(1s);
    EXPECT_TRUE(waits(fourth));
}

struct ThreeTurns : Turns {
    ThreeTurns() : Turns(sharing_cluster("FORCE:3")) {}
};

TEST_F(ThreeTurns, TheOneThatHasWaitedLongestIsNext) {
    const JobId first = run("main", {.cpus = 8, .limit = 1h});
    const JobId second = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    const JobId third = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    ASSERT_TRUE(waits(second));
    ASSERT_TRUE(waits(third));
    for (int round = 0; round < 3; ++round) {
        turn();
        EXPECT_TRUE(runs(second) && waits(third) && waits(first));
        turn();
        EXPECT_TRUE(runs(third) && waits(first) && waits(second));
        turn();
        EXPECT_TRUE(runs(first) && waits(second) && waits(third));
    }
    testing::finish(engine, now, second);
    pass(1s);
    EXPECT_TRUE(runs(first) && waits(third));
    turn();
    EXPECT_TRUE(runs(third) && waits(first));
}

// The example of Slurm's own: preempt/qos in one partition, OverSubscribe=FORCE:1.
ClusterSpec qos_cluster() {
    ClusterSpec spec = sharing_cluster("FORCE:1");
    spec.scheduling.preemption.by = PreemptBy::qos;
    spec.scheduling.preemption.mode = PreemptMode::suspend;
    spec.qos.push_back({.name = "high", .priority = 10, .preempt = {"normal"}});
    return spec;
}

struct QosTurns : Turns {
    QosTurns() : Turns(qos_cluster()) {}
    JobSpec high(std::uint32_t cpus = 1) {
        JobSpec spec = testing::make_job({.cpus = cpus, .limit = 1h});
        spec.qos = "high";
        return spec;
    }
};

TEST_F(QosTurns, ThePreemptorAndTheOldestVictimTakeTurns) {
    std::vector<JobId> low;
    low.reserve(8);
    for (int i = 0; i < 8; ++i) low.push_back(run("main", {.cpus = 1, .limit = 1h}));
    const JobId waiting = submit("main", {.cpus = 1, .limit = 1h});
    pass(1s);
    EXPECT_EQ(job(waiting).state, JobState::pending) << "FORCE:1: they share no cores.";
    const JobId one = submit("main", high());
    pass(1s);
    ASSERT_TRUE(waits(one));
    EXPECT_EQ(ran_for(job(one), now), 0s);
    EXPECT_EQ(sharers(one), std::vector{low[0]});
    EXPECT_TRUE(runs(low[0]));
    turn();
    EXPECT_TRUE(runs(one));
    EXPECT_TRUE(waits(low[0]));
    EXPECT_TRUE(runs(low[1]));
    turn();
    EXPECT_TRUE(waits(one));
    EXPECT_TRUE(runs(low[0]));
    const JobId two = submit("main", high());
    pass(1s);
    ASSERT_TRUE(waits(two));
    EXPECT_EQ(sharers(two), std::vector{low[1]}) << "One more on each core, and no third.";
    testing::finish(engine, now, one);
    pass(1s);
    EXPECT_TRUE(runs(low[0]));
    EXPECT_EQ(preemptions, 0);
}

// Runs of other partitions stand still until the preemptor has ended.
TEST_F(QosTurns, AcrossPartitionsTheVictimStandsStill) {
    const JobId low = run("main", {.cpus = 8, .limit = 10h});
    const JobId one = submit("high", high(8));
    pass(1s);
    EXPECT_EQ(job(one).state, JobState::pending);
    ASSERT_TRUE(job(low).is_suspended());
    EXPECT_FALSE(job(low).awaits_turn());
    freeze(low);
    pass(1s);
    EXPECT_TRUE(runs(one));
    turn();
    EXPECT_TRUE(runs(one));
    EXPECT_TRUE(stands(low));
}

}  // namespace
}  // namespace berth
