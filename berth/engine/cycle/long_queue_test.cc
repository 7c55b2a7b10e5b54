// What one cycle may cost on a long queue, as counts of work, which do not depend on the machine.
#include <gtest/gtest.h>

#include <algorithm>

#include "berth/engine/cycle/engine.h"
#include "berth/engine/state/job_queries.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

constexpr int kJobs = 20'000;
constexpr std::size_t kMostAtOnce = 5000;  // Jobs whose published rows change in one cycle.

ClusterSpec with_age() {
    ClusterSpec spec = testing::make_cluster(1);
    spec.scheduling.rules = {{.kind = "priority", .name = "age", .weight = 1'000'000}};
    spec.scheduling.plan_depth = 10;
    spec.scheduling.max_job_count = 1'000'000;
    return spec;
}

class LongQueue : public ::testing::Test {
protected:
    LongQueue() {
        for (int i = 0; i < kJobs; ++i) {
            testing::submit(engine, now, testing::make_job({.gpus = 8}));
        }
        settle();
    }
    // Time passes, and an event triggers a cycle.
    void wait(Duration length) {
        now += length;
        testing::submit(engine, now, testing::make_job({.gpus = 8}));
    }
    Cycle cycle() {
        Cycle cycle = engine.cycle(now, kBudget);
        touched = engine.mutable_state().take_touched().jobs.size();
        return cycle;
    }
    void settle() {
        for (int i = 0; i < 100; ++i) {
            const Cycle last = cycle();
            if (last.complete && (!last.wake_at || *last.wake_at > now)) return;
        }
        FAIL() << "it never rests";
    }
    std::int64_t priority(int job) const {
        return current_priority(engine.state(), JobId(static_cast<std::uint32_t>(job)));
    }

    Time now = from_seconds(6'000'000);
    Engine engine = testing::make_engine(with_age(), now);
    std::size_t touched = 0;
};

TEST_F(LongQueue, TakesNewPrioritiesInCyclesNoneOfWhichIsLong) {
    const std::int64_t before = priority(kJobs);
    wait(std::chrono::minutes(5));
    Cycle last = cycle();
    EXPECT_EQ(priority(2), before) << "they hold from when all are known";
    int cycles = 1;
    for (; last.wake_at && *last.wake_at <= now; ++cycles) {
        ASSERT_LT(cycles, 50);
        last = cycle();
        EXPECT_LE(touched, kMostAtOnce);
    }
    EXPECT_GT(cycles, kJobs / 8192 + 1);
    EXPECT_GT(priority(2), before);
    for (int job = 2; job <= kJobs; ++job) ASSERT_EQ(priority(job), priority(2)) << job;
}

TEST_F(LongQueue, TakesNoPriorityThatWasWorkedOutBeforeTheJobChanged) {
    wait(std::chrono::minutes(5));
    cycle();  // The first of them are known now.
    engine.apply(now, JobUpdated{.job = JobId(3), .priority = 777});
    settle();
    EXPECT_EQ(priority(3), 777);
}

TEST_F(LongQueue, TakesThoseOfTheNextMinuteIfThatBeginsMeanwhile) {
    wait(std::chrono::minutes(5));
    cycle();
    wait(std::chrono::minutes(5));
    settle();
    const std::int64_t ten_minutes = 1'000'000LL * 10 * 60 / (7 * 24 * 3600);
    for (const int job : {2, kJobs}) {
        EXPECT_NEAR(static_cast<double>(priority(job)), static_cast<double>(ten_minutes), 2) << job;
    }
}

// Of a long queue behind the depth, no job is looked at where nothing has happened: not either
// while one that is planned names another partition, too.
TEST(LongQueueOfPartitions, IsLeftAloneBehindAPlannedJobOfSeveral) {
    ClusterSpec spec = testing::make_cluster(2);
    spec.scheduling.plan_depth = 10;
    spec.scheduling.max_job_count = 1'000'000;
    spec.partitions.front().nodes = {NodeId(0)};
    spec.partitions.push_back({.name = "other", .nodes = {NodeId(1)}});
    Engine engine = testing::make_engine(spec, kNow);
    const auto submit_to = [&](const std::string& partitions) {
        JobSpec job = testing::make_job({.gpus = 8});
        job.partition = partitions;
        return testing::submit(engine, kNow, job);
    };
    submit_to("main");
    submit_to("other");
    const JobId several = submit_to("main,other");
    JobId last = several;
    for (int i = 0; i < kJobs; ++i) last = submit_to("main");
    for (int i = 0; i < 100 && !engine.cycle(kNow, kBudget).complete; ++i) {
    }
    ASSERT_NE(engine.state().schedule().planned(several), nullptr);
    engine.apply(kNow, JobHeld{last, Hold::user});
    EXPECT_TRUE(engine.cycle(kNow, kBudget).complete) << "it went through the whole queue";
}

}  // namespace
}  // namespace berth
