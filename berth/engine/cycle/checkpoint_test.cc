// PreemptMode `checkpoint`: runs are given time to save a checkpoint before they end, and what they
// have saved is not lost with them.
#include <gtest/gtest.h>

#include <map>

#include "berth/engine/derived/standing.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/model/preempted_by.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using std::chrono::minutes;

// One node with four GPUs.
ClusterSpec saving_cluster() {
    ClusterSpec spec = testing::make_cluster(1, {.gpus = 4});
    spec.scheduling.preemption.by = PreemptBy::priority;
    spec.scheduling.preemption.mode = PreemptMode::checkpoint;
    spec.scheduling.preemption.victims = VictimOrder::cheapest;
    return spec;
}

JobSpec saving_job(std::int64_t gpus, std::uint32_t priority, const char* file = "model.pt") {
    JobSpec spec = testing::make_job({.gpus = gpus, .limit = std::chrono::hours(10)});
    spec.priority = priority;
    spec.command.edit().checkpoint = file;
    return spec;
}

class Checkpoints : public ::testing::Test {
protected:
    void install(const ClusterSpec& spec) { engine_ = testing::make_engine(spec, now_); }
    JobId submit(const JobSpec& spec) { return testing::submit(engine_, now_, spec); }
    JobId run(const JobSpec& spec) {
        const JobId id = submit(spec);
        pass(Duration{});
        EXPECT_EQ(job(id).state, JobState::running);
        return id;
    }
    void pass(Duration time) {
        now_ += time;
        while (!engine_.cycle(now_, kBudget).complete) {
        }
        engine_.state().check_invariants();
    }
    void save(JobId id) { engine_.apply(now_, CheckpointSeen{id, job(id).attempt}); }
    std::vector<JobId> holding() const {
        return {engine_.state().index().holding().begin(), engine_.state().index().holding().end()};
    }
    const Job& job(JobId id) const { return *engine_.state().find_job(id); }
    const PreemptedRun& preempted(JobId id) const { return *job(id).allocation->preempted; }

    Engine engine_;
    Time now_ = at(1000);
};

TEST_F(Checkpoints, ARunEndsOnceItHasSaved) {
    install(saving_cluster());
    const JobId low = run(saving_job(4, 10));
    const JobId high = submit(saving_job(4, 20));
    pass(minutes(1));
    ASSERT_EQ(job(low).state, JobState::running);
    EXPECT_EQ(preempted(low).mode, PreemptMode::checkpoint);
    EXPECT_EQ(preempted(low).ends_at, now_ + std::chrono::seconds(30));
    pass(std::chrono::seconds(29));
    ASSERT_EQ(job(low).state, JobState::running);
    save(low);
    pass(Duration{});
    EXPECT_EQ(job(low).state, JobState::completing);
    EXPECT_EQ(job(low).outcome, JobState::pending);
    EXPECT_EQ(job(low).state_reason, preempted_by_text(high));
    testing::finish(engine_, now_, low);
    pass(Duration{});
    EXPECT_EQ(job(high).state, JobState::running);
    EXPECT_EQ(job(low).state, JobState::pending);
}

TEST_F(Checkpoints, ARunThatSavesNothingInTimeEndsAllTheSame) {
    install(saving_cluster());
    const JobId low = run(saving_job(4, 10));
    save(low);  // Before it is warned: no answer to that.
    const JobId high = submit(saving_job(4, 20));
    pass(minutes(1));
    pass(std::chrono::seconds(29));
    ASSERT_EQ(job(low).state, JobState::running);
    pass(std::chrono::seconds(1));
    EXPECT_EQ(job(low).outcome, JobState::pending);
    EXPECT_EQ(job(low).state_reason, checkpoint_timeout_text(high));
}

TEST_F(Checkpoints, ARunThatNamesNoFileIsNotWaitedFor) {
    install(saving_cluster());
    const JobId low = run(saving_job(4, 10, ""));
    submit(saving_job(4, 20));
    pass(minutes(1));
    EXPECT_EQ(job(low).state, JobState::completing);
    EXPECT_EQ(preempted(low).mode, PreemptMode::requeue);
}

TEST_F(Checkpoints, WhatStandsStillIsNotWaitedFor) {
    install(saving_cluster());
    const JobId low = run(saving_job(4, 10));
    engine_.apply(now_, JobSuspended{.job = low, .attempt = job(low).attempt});
    submit(saving_job(4, 20));
    pass(minutes(1));
    EXPECT_EQ(job(low).state, JobState::completing);
}

TEST_F(Checkpoints, AJobThatMayNotRunAgainSavesAndIsCancelled) {
    install(saving_cluster());
    JobSpec once = saving_job(4, 10);
    once.requeue = false;
    const JobId low = run(once);
    submit(saving_job(4, 20));
    pass(minutes(1));
    ASSERT_EQ(job(low).state, JobState::running);
    save(low);
    pass(Duration{});
    EXPECT_EQ(job(low).outcome, JobState::preempted);
}

TEST_F(Checkpoints, TheGraceTimeMayBeSet) {
    ClusterSpec spec = saving_cluster();
    spec.partitions.front().grace_time = minutes(5);
    install(spec);
    const JobId low = run(saving_job(4, 10));
    submit(saving_job(4, 20));
    pass(minutes(1));
    EXPECT_EQ(preempted(low).ends_at, now_ + minutes(5));
}

TEST_F(Checkpoints, WordOfAnotherRunCountsForNothing) {
    install(saving_cluster());
    const JobId low = run(saving_job(4, 10));
    engine_.apply(now_, CheckpointSeen{low, Attempt(2)});
    EXPECT_FALSE(job(low).allocation->checkpoint);
    engine_.apply(now_, CheckpointSeen{JobId(99), Attempt(1)});
    save(low);
    EXPECT_TRUE(job(low).allocation->checkpoint);
}

TEST_F(Checkpoints, WhatIsSavedIsNotLost) {
    install(saving_cluster());
    const JobId saved = run(saving_job(2, 10));
    pass(minutes(10));
    save(saved);
    const JobId fresh = run(saving_job(2, 10));
    pass(minutes(1));
    const auto lost = [&](JobId id) { return lost_work(engine_.state().spec(), job(id), now_); };
    EXPECT_EQ(lost(saved), 2 * 60);  // GPU-seconds.
    EXPECT_EQ(lost(fresh), 2 * 60);
    pass(minutes(1));
    save(saved);
    EXPECT_EQ(lost(saved), 0);
    // The cheaper one ends, although it has run for longer and has the lower id.
    submit(saving_job(2, 20));
    pass(Duration{});
    EXPECT_TRUE(job(saved).allocation->preempted);
    EXPECT_FALSE(job(fresh).allocation->preempted);
}

TEST_F(Checkpoints, WhatARestartCostsIsLostToo) {
    install(saving_cluster());
    JobSpec slow = saving_job(2, 10);
    slow.command.edit().restart_cost = minutes(20);
    const JobId dear = run(slow);
    pass(minutes(10));
    const JobId cheap = run(saving_job(2, 10));
    pass(minutes(1));
    save(dear);
    EXPECT_EQ(lost_work(engine_.state().spec(), job(dear), now_), 2 * 20 * 60);
    submit(saving_job(2, 20));
    pass(Duration{});
    EXPECT_FALSE(job(dear).allocation->preempted);
    EXPECT_TRUE(job(cheap).allocation->preempted);
}

TEST_F(Checkpoints, TimeInWhichARunStoodStillIsNotSaved) {
    install(saving_cluster());
    const JobId id = run(saving_job(1, 10));
    pass(minutes(1));
    engine_.apply(now_, JobSuspended{.job = id, .attempt = job(id).attempt});
    pass(minutes(60));
    engine_.apply(now_, JobSuspended{.job = id, .attempt = job(id).attempt, .in_force = false});
    pass(minutes(1));
    save(id);
    EXPECT_EQ(job(id).allocation->checkpoint->ran, minutes(2));
    pass(minutes(3));
    EXPECT_EQ(lost_work(engine_.state().spec(), job(id), now_), 3 * 60);
}

// Over random histories, each run that is to save ends when it has or its time is over, and no
// sooner.
TEST_F(Checkpoints, NoneEndsTooSoonOrTooLate) {
    int in_time = 0, too_late = 0;
    testing::for_each_seed(200, [&](Rng& rng) {
        ClusterSpec spec = saving_cluster();
        if (rng.chance(50))
            spec.partitions.front().grace_time = std::chrono::seconds(rng.between(1, 60));
        install(spec);
        for (int step = 0; step < 60; ++step) {
            now_ += std::chrono::seconds(rng.between(1, 15));
            if (rng.chance(60)) {
                const auto priority = static_cast<std::uint32_t>(rng.between(1, 4)) * 10;
                submit(saving_job(rng.between(1, 4), priority, rng.chance(70) ? "model.pt" : ""));
            }
            std::map<JobId, bool> must_end;
            for (const JobId id : holding()) {
                if (!job(id).must_save()) continue;
                if (rng.chance(20)) save(id);
                must_end[id] = preempted(id).saved || preempted(id).ends_at <= now_;
                if (must_end[id]) ++(preempted(id).saved ? in_time : too_late);
            }
            pass(Duration{});
            ASSERT_EQ(check_plan(engine_.state(), now_), std::nullopt);
            for (const auto& [id, must] : must_end) {
                ASSERT_EQ(job(id).state == JobState::running, !must) << to_string(id);
            }
            for (const JobId id : holding()) {
                const bool ends = job(id).state == JobState::completing || rng.chance(3);
                if (ends && rng.chance(60)) testing::finish(engine_, now_, id);
            }
        }
    });
    EXPECT_GT(in_time, testing::scaled(50));
    EXPECT_GT(too_late, testing::scaled(50));
}

TEST_F(Checkpoints, ACheckpointCanBeTakenBackWithItsTrial) {
    install(saving_cluster());
    const JobId id = run(saving_job(4, 10));
    submit(saving_job(4, 20));
    pass(minutes(1));
    ClusterState& state = engine_.mutable_state();
    const std::uint64_t before = state.hash();
    const ClusterState::Mark mark = state.checkpoint();
    state.apply(now_, CheckpointSeen{id, job(id).attempt});
    EXPECT_TRUE(state.find_job(id)->allocation->preempted->saved);
    EXPECT_NE(state.hash(), before);
    state.rollback(mark);
    EXPECT_EQ(state.hash(), before);
}

}  // namespace
}  // namespace berth
