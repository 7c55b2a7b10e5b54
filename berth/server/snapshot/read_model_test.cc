#include "berth/server/snapshot/read_model.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "berth/server/snapshot/sample_cluster.h"

namespace berth {
namespace {

TEST(ReadModel, HoldsWhatTheStateHoldsAfterEveryChange) {
    SampleCluster cluster;
    ReadModel read_model;
    cluster.submit(SampleCluster::job(1));
    cluster.submit(SampleCluster::job(2));
    const auto first = cluster.publish(read_model);
    EXPECT_EQ(first->jobs.size(), 2U);
    EXPECT_EQ(first->epoch, Epoch(3));
    cluster.start(1, 0);
    cluster.apply(JobCancelled{.job = JobId(2)});
    const auto second = cluster.publish(read_model);
    EXPECT_EQ(first->find_job(JobId(1))->state, JobState::pending);
    EXPECT_EQ(second->find_job(JobId(1))->state, JobState::running);
    EXPECT_EQ(first->node(NodeId(0)).free.jobs, 0U);
    EXPECT_EQ(second->node(NodeId(0)).free.jobs, 1U);
    EXPECT_EQ(second->find_job(JobId(2))->state, JobState::cancelled);
    cluster.apply(JobForgotten{JobId(2)});
    EXPECT_EQ(cluster.publish(read_model)->find_job(JobId(2)), nullptr);
}

TEST(ReadModel, BeginsWithAllThatWasRecovered) {
    SampleCluster cluster;
    cluster.submit(SampleCluster::job(1));
    (void)cluster.state().take_touched();
    ReadModel read_model;
    read_model.publish(cluster.state(), {.now = cluster.now, .sequence = 1});
    EXPECT_NE(read_model.current()->find_job(JobId(1)), nullptr);
    EXPECT_EQ(read_model.current()->nodes.size(), 4U);
}

TEST(ReadModel, KeepsAJobWhoseStandingAloneChanged) {
    SampleCluster cluster;
    ReadModel read_model;
    cluster.submit(SampleCluster::job(1));
    const auto first = cluster.publish(read_model);
    cluster.state().set_priority(JobId(1), 77);
    read_model.publish(cluster.state(), {.now = cluster.now, .sequence = 2, .jobs = {JobId(1)}});
    const auto second = read_model.current();
    EXPECT_EQ(second->jobs.find(1)->priority, 77);
    EXPECT_EQ(second->find_job(JobId(1)), first->find_job(JobId(1)));
}

TEST(ReadModel, KnowsAPriorityThatWasGivenBeforeTheFirstCycle) {
    SampleCluster cluster;
    ReadModel read_model;
    Job given = SampleCluster::job(1), held = SampleCluster::job(2);
    given.spec.priority = held.spec.priority = 4000U;
    held.hold = Hold::user;
    cluster.submit(given);
    cluster.submit(held);
    const auto rows = cluster.publish(read_model);
    EXPECT_EQ(rows->jobs.find(1)->priority, 4000);
    EXPECT_EQ(rows->jobs.find(2)->priority, 0);
}

// LastBusyTime, as Slurm has it.
TEST(ReadModel, ANodeWasLastBusyWhenItBecameSoOrWasIdleAgain) {
    SampleCluster cluster;
    ReadModel read_model;
    const auto last_busy = [&](std::chrono::seconds later) {
        cluster.now += later;
        return cluster.publish(read_model)->node(NodeId(0)).last_busy_at;
    };
    for (const std::uint32_t job : {1U, 2U}) cluster.submit(SampleCluster::job(job));
    EXPECT_EQ(last_busy(std::chrono::seconds(0)), std::nullopt);
    cluster.start(1, 0);
    const auto first = last_busy(std::chrono::seconds(10));
    EXPECT_EQ(first, cluster.now);
    cluster.start(2, 0, 4);
    EXPECT_EQ(last_busy(std::chrono::seconds(10)), first) << "it is still busy";
}

// A limit that changes and a node that joins: the rows of all others are those that were there.
TEST(ReadModel, KeepsItsRowsWhenAnAccountIsEditedOrANodeJoins) {
    SampleCluster cluster;
    ReadModel read_model;
    cluster.submit(SampleCluster::job(1));
    cluster.start(1, 0);
    const auto first = cluster.publish(read_model);

    AccountingEdited edited;
    edited.edits.accounts.push_back({.name = "physics", .parent = "root"});
    cluster.apply(edited);
    const auto second = cluster.publish(read_model);
    ASSERT_EQ(second->spec->accounts.size(), 1U);
    EXPECT_EQ(second->jobs.find(1), first->jobs.find(1));
    EXPECT_EQ(&second->node(NodeId(0)), &first->node(NodeId(0)));

    NodeDescribed joins{.node = cluster.state().spec().nodes[0],
                        .dimensions = cluster.state().spec().dimensions};
    joins.node.name = joins.node.hostname = "gpu5";
    cluster.apply(joins);
    const auto third = cluster.publish(read_model);
    ASSERT_EQ(third->spec->nodes.size(), 5U);
    EXPECT_EQ(third->nodes.size(), 5U);
    EXPECT_EQ(third->node(NodeId(4)).free.amount.cpu(), cores(32));
    EXPECT_EQ(third->jobs.find(1), first->jobs.find(1));
    EXPECT_EQ(&third->node(NodeId(0)), &first->node(NodeId(0)));

    cluster.apply(SpecInstalled{cluster.state().spec()});  // All is made anew.
    EXPECT_NE(cluster.publish(read_model)->jobs.find(1), first->jobs.find(1));
}

// One change among 100 000 jobs must not cost what 100 000 do.
TEST(ReadModel, CostsWhatChangedAndNotWhatThereIs) {
    SampleCluster cluster;
    ReadModel read_model;
    constexpr std::uint32_t kJobs = 100'000;
    for (std::uint32_t id = 1; id <= kJobs; ++id) cluster.submit(SampleCluster::job(id));
    using Clock = std::chrono::steady_clock;
    const auto before_all = Clock::now();
    (void)cluster.publish(read_model);
    const auto all = Clock::now() - before_all;
    const auto before_some = Clock::now();
    for (std::uint32_t i = 0; i < 100; ++i) {
        cluster.apply(JobHeld{JobId(i * 997 + 1), Hold::user});
        (void)cluster.publish(read_model);
    }
    const auto some = Clock::now() - before_some;
    EXPECT_LT(some, all / 4) << "100 single publications against one of everything";
    EXPECT_EQ(read_model.current()->jobs.size(), kJobs);
}

TEST(ReadModel, IsReadWhileItIsWritten) {
    SampleCluster cluster;
    ReadModel read_model;
    for (std::uint32_t id = 1; id <= 200; ++id) cluster.submit(SampleCluster::job(id));
    (void)cluster.publish(read_model);
    std::atomic<bool> stop{false};
    std::thread reader([&] {
        while (!stop) {
            const auto snapshot = read_model.current();
            std::size_t seen = 0;
            snapshot->jobs.for_each([&](std::uint32_t id, const SnapshotJob& job) {
                if (job.job->id == JobId(id)) ++seen;
            });
            if (seen != snapshot->jobs.size()) std::abort();
        }
    });
    for (std::uint32_t i = 0; i < 2'000; ++i) {
        const JobId id(i % 200 + 1);
        cluster.apply(JobHeld{id, i / 200 % 2 == 0 ? Hold::user : Hold::none});
        (void)cluster.publish(read_model);
    }
    stop = true;
    reader.join();
}

}  // namespace
}  // namespace berth
