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
