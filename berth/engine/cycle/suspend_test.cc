// A suspended run: its time, its limit, what its account pays, and the starts planned behind it.
#include <gtest/gtest.h>

#include "berth/engine/cycle/engine.h"
#include "berth/engine/plan/plan_book.h"
#include "berth/engine/state/snapshot.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/random_facts.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

class Suspend : public ::testing::Test {
protected:
    Suspend() {
        state.apply(at(0), ControllerStarted{Epoch(1)});
        state.apply(at(0), SpecInstalled{testing::make_cluster(2)});
        Job job;
        job.id = id = state.next_job_id();
        job.time_limit = 1h;
        state.apply(at(1), JobSubmitted{job});
        StartJob start{.job = id, .attempt = Attempt(1)};
        start.allocation.shares.push_back(testing::free_share(state, NodeId(0), 4, 2));
        state.apply(at(100), start);
    }
    ~Suspend() override { state.check_invariants(); }

    const Job& job() const { return *state.find_job(id); }
    void set(std::int64_t when, bool in_force) {
        state.apply(at(when), JobSuspended{id, Attempt(1), in_force, 0});
        state.check_invariants();
    }
    bool is_billed() const {
        return !state.usage().records().at(*state.usage().of(job())).rate[kBillingUsage].is_zero();
    }

    ClusterState state;
    JobId id{0};
};

TEST_F(Suspend, TimeStoodStillDoesNotCountAgainstTheLimit) {
    EXPECT_EQ(limit_ends(job()), at(100 + 3600));
    set(160, true);
    EXPECT_TRUE(job().is_suspended());
    EXPECT_EQ(job().state, JobState::running);
    EXPECT_EQ(ran_for(job(), at(500)), 60s);
    EXPECT_EQ(limit_ends(job()), std::nullopt);
    EXPECT_EQ(limit_end(state.spec(), job()), kNever);
    set(1160, false);
    EXPECT_EQ(ran_for(job(), at(1170)), 70s);
    EXPECT_EQ(limit_ends(job()), at(1100 + 3600));
    set(1260, true);
    set(1270, false);
    EXPECT_EQ(job().suspension->total, 1010s);
    EXPECT_EQ(job().suspension->changes, 4U);
    EXPECT_EQ(limit_ends(job()), at(1110 + 3600));
}

TEST_F(Suspend, TwiceIsOnceAndAnotherAttemptIsNotMeant) {
    set(160, true);
    set(170, true);
    EXPECT_EQ(job().suspension->changes, 1U);
    EXPECT_EQ(job().suspension->changed_at, at(160));
    state.apply(at(180), JobSuspended{id, Attempt(2), false, 0});
    EXPECT_TRUE(job().is_suspended());
}

TEST_F(Suspend, ItsAccountPaysNothingMeanwhile) {
    EXPECT_TRUE(is_billed());
    set(160, true);
    EXPECT_FALSE(is_billed());
    set(1160, false);
    EXPECT_TRUE(is_billed());
}

TEST_F(Suspend, ItKeepsWhatItHolds) {
    const NodeFree before = state.nodes().free(NodeId(0));
    set(160, true);
    EXPECT_EQ(state.nodes().free(NodeId(0)).amount, before.amount);
    EXPECT_TRUE(job().allocation);
}

TEST_F(Suspend, ItsEndEndsIt) {
    set(160, true);
    state.apply(at(200), EndJob{.job = id, .outcome = JobState::cancelled});
    EXPECT_FALSE(job().is_suspended());
    EXPECT_EQ(ran_for(job(), at(900)), 60s);
    EXPECT_EQ(job().suspension->total, 40s);
}

TEST_F(Suspend, TheNextRunBeginsAnew) {
    set(160, true);
    state.apply(at(200), EndJob{.job = id, .outcome = JobState::pending});
    state.apply(at(210), AttemptEnded{.job = id, .attempt = Attempt(1), .node = NodeId(0)});
    EXPECT_EQ(job().state, JobState::pending);
    EXPECT_FALSE(job().suspension);
}

TEST_F(Suspend, ASnapshotHasIt) {
    set(160, true);
    const auto slices = slices_of(state, 1 << 16);
    const auto back = state_from(slices);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->hash(), state.hash());
    back->check_invariants();
}

TEST_F(Suspend, CanBeTriedAndUndone) {
    const std::uint64_t before = state.hash();
    const auto mark = state.checkpoint();
    set(160, true);
    state.rollback(mark);
    EXPECT_EQ(state.hash(), before);
}

}  // namespace
}  // namespace berth
