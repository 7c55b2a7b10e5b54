// OverTimeLimit: runs may take that much longer than their limits, and the plan knows it.
#include "berth/engine/cycle/lending_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

class OverTime : public LentCores {
protected:
    static ClusterSpec cluster(PreemptMode mode) {
        ClusterSpec spec = lending_cluster();
        spec.scheduling.preemption = {};
        if (mode != PreemptMode::off)
            spec.scheduling.preemption = {.by = PreemptBy::partition, .mode = mode};
        spec.scheduling.over_time_limit = 30min;
        return spec;
    }
    explicit OverTime(PreemptMode mode = PreemptMode::off) : LentCores(cluster(mode)) {}
};

// The longer one fits until then by its limit, and not if it takes longer.
TEST_F(OverTime, NoPlannedStartIsPutOffByWhatMayTakeLonger) {
    run("main", {.cpus = 4, .limit = 1h});
    const JobId next = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    ASSERT_NE(planned(next), nullptr);
    const Time start = planned(next)->start;
    const JobId longer = submit("main", {.cpus = 4, .limit = 80min});
    const JobId brief = submit("main", {.cpus = 4, .limit = 50min});
    pass(1s);
    EXPECT_EQ(job(longer).state, JobState::pending);
    EXPECT_TRUE(runs(brief));
    ASSERT_NE(planned(next), nullptr);
    EXPECT_EQ(planned(next)->start, start);
}

TEST_F(OverTime, ARunThatTakesLessThanItsLimitLeavesItToo) {
    run("main", {.cpus = 4, .limit = 1h});
    const JobId next = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    const Time start = planned(next)->start;
    JobSpec shorter = testing::make_job({.cpus = 4, .limit = 10h});
    shorter.time_min = 10min;
    const JobId less = submit("main", shorter);
    pass(1s);
    ASSERT_TRUE(runs(less));
    EXPECT_LE(now + job(less).time_limit + 30min, start);
    EXPECT_GT(now + job(less).time_limit + 32min, start);
}

// OverTimeLimit of a partition counts there instead of the cluster's.
class OverTimeOfPartition : public OverTime {
protected:
    void set_over_time(const std::string& partition, std::int64_t for_minutes) {
        PartitionChange change;
        change.over_time_limit = for_minutes;
        engine.apply(now, ClusterEdited{{.partitions = {{.name = partition, .change = change}}}});
    }
    // When the plan has the run end.
    Time end(JobId id) const { return engine.derived().book.find(id)->end; }
    Time limit_of(JobId id) const { return *job(id).started_at + job(id).time_limit; }
};

TEST_F(OverTimeOfPartition, CountsThereInsteadOfTheClusters) {
    set_over_time("high", 5);
    set_over_time("top", 0);
    const JobId main = run("main", {.cpus = 2, .limit = 1h});
    const JobId high = run("high", {.cpus = 2, .limit = 1h});
    const JobId top = run("top", {.cpus = 2, .limit = 1h});
    EXPECT_EQ(end(main), limit_of(main) + 30min);
    EXPECT_EQ(end(high), limit_of(high) + 5min);
    EXPECT_EQ(end(top), limit_of(top));
    pass(62min);
    EXPECT_TRUE(runs(main));
    EXPECT_TRUE(runs(high));
    EXPECT_EQ(job(top).outcome, JobState::timeout);
    pass(5min);
    EXPECT_TRUE(runs(main));
    EXPECT_EQ(job(high).outcome, JobState::timeout);
}

TEST_F(OverTimeOfPartition, ChangesForRunsAndForJobsThatWait) {
    const JobId main = run("main", {.cpus = 8, .limit = 1h});
    const JobId next = submit("main", {.cpus = 8, .limit = 1h});
    const JobId third = submit("main", {.cpus = 8, .limit = 1h});
    pass(1s);
    const Time start = planned(next)->start, later = planned(third)->start;
    set_over_time("main", 0);
    pass(1s);
    EXPECT_EQ(end(main), limit_of(main));
    EXPECT_EQ(planned(next)->start, start - 30min);
    EXPECT_EQ(planned(third)->start, later - 60min);
    set_over_time("main", -1);
    pass(1s);
    EXPECT_EQ(end(main), limit_of(main) + 30min);
    EXPECT_EQ(planned(next)->start, start);
}

class LentOverTime : public OverTime {
protected:
    LentOverTime() : OverTime(PreemptMode::suspend) {}
};

// The run that lends its cores goes on when the preemptor must have ended: what waits behind it
// keeps its start when the preemptor begins.
TEST_F(LentOverTime, WhatWaitsBehindALenderKeepsItsStart) {
    const JobId low = run("main", {.cpus = 8, .limit = 2h});
    const JobId behind = submit("main", {.cpus = 8, .limit = 1h});
    const JobId high = submit("high", {.cpus = 8, .limit = 1h});
    pass(1s);
    ASSERT_TRUE(job(low).is_suspended());
    ASSERT_NE(planned(behind), nullptr);
    const Time start = planned(behind)->start;
    freeze(low);
    pass(1s);
    ASSERT_TRUE(runs(high));
    EXPECT_LE(planned(behind)->start, start);
}

}  // namespace
}  // namespace berth
