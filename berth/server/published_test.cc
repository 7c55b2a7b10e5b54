#include "berth/server/published.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "berth/server/job_filter.h"
#include "berth/server/sample_cluster.h"

namespace berth {
namespace {

TEST(Published, HoldsWhatTheStateHoldsAfterEveryChange) {
    SampleCluster cluster;
    Published published;
    cluster.submit(SampleCluster::job(1));
    cluster.submit(SampleCluster::job(2));
    const auto first = cluster.publish(published);
    EXPECT_EQ(first->jobs.size(), 2U);
    EXPECT_EQ(first->epoch, Epoch(3));
    cluster.start(1, 0);
    cluster.apply(JobCancelled{.job = JobId(2)});
    const auto second = cluster.publish(published);
    EXPECT_EQ(first->find_job(JobId(1))->state, JobState::pending);
    EXPECT_EQ(second->find_job(JobId(1))->state, JobState::running);
    EXPECT_EQ(first->node(NodeId(0)).free.jobs, 0U);
    EXPECT_EQ(second->node(NodeId(0)).free.jobs, 1U);
    EXPECT_EQ(second->find_job(JobId(2))->state, JobState::cancelled);
    cluster.apply(JobForgotten{JobId(2)});
    EXPECT_EQ(cluster.publish(published)->find_job(JobId(2)), nullptr);
}

TEST(Published, BeginsWithAllThatWasRecovered) {
    SampleCluster cluster;
    cluster.submit(SampleCluster::job(1));
    (void)cluster.state().take_touched();
    Published published;
    published.publish(cluster.state(), {.now = cluster.now, .sequence = 1});
    EXPECT_NE(published.current()->find_job(JobId(1)), nullptr);
    EXPECT_EQ(published.current()->nodes.size(), 4U);
}

TEST(Published, KeepsAJobWhoseStandingAloneChanged) {
    SampleCluster cluster;
    Published published;
    cluster.submit(SampleCluster::job(1));
    const auto first = cluster.publish(published);
    cluster.state().set_priority(JobId(1), 77);
    published.publish(cluster.state(), {.now = cluster.now, .sequence = 2, .jobs = {JobId(1)}});
    const auto second = published.current();
    EXPECT_EQ(second->jobs.find(1)->priority, 77);
    EXPECT_EQ(second->find_job(JobId(1)), first->find_job(JobId(1)));
}

TEST(Published, FindsTheTasksOfAnArray) {
    SampleCluster cluster;
    Published published;
    Job array = SampleCluster::job(10);
    array.spec.array = ArraySpec{.tasks = {0, 1, 2}, .max_running = 2};
    cluster.submit(array);
    cluster.apply(StartJob{.job = JobId(10),
                           .array_task = 0,
                           .task_job = JobId(11),
                           .attempt = Attempt(1),
                           .allocation = SampleCluster::allocation(0)});
    const auto edition = cluster.publish(published);
    EXPECT_EQ(records_of(*edition, {JobId(10), {}}), (std::set{JobId(10), JobId(11)}));
    EXPECT_EQ(records_of(*edition, {JobId(10), {0}}), std::set{JobId(11)});
    EXPECT_EQ(records_of(*edition, {JobId(10), {1, 2}}), std::set{JobId(10)});
    EXPECT_EQ(records_of(*edition, {JobId(10), {3}}), std::set<JobId>{});
    EXPECT_EQ(records_of(*edition, {JobId(11), {}}), std::set{JobId(11)});
}

TEST(Published, FindsTheJobsOfAUser) {
    SampleCluster cluster;
    Published published;
    const auto submit = [&](std::uint32_t id, std::uint32_t uid, const std::string& user) {
        Job job = SampleCluster::job(id);
        job.owner = Owner{.uid = uid, .gid = uid, .user = user, .group = user};
        cluster.submit(job);
    };
    for (std::uint32_t id = 1; id <= 60; ++id) {
        submit(id, 1000 + id % 3, id % 3 == 0 ? "ann" : id % 3 == 1 ? "bob" : "1000");
    }
    submit(61, 1000, "anna");  // She has another name now.
    cluster.apply(JobCancelled{.job = JobId(3)});
    (void)cluster.publish(published);
    cluster.apply(JobForgotten{JobId(3)});
    const auto edition = cluster.publish(published);
    const auto ids_of = [&](const std::vector<std::string>& users) {
        const auto filter = JobFilter::make(*edition, {.users = users}).value();
        std::set<std::uint32_t> ids;
        for (std::uint32_t next = 0; const auto* job = filter.first_from(*edition, next);) {
            next = job->job->id.value() + 1;
            ids.insert(job->job->id.value());
        }
        return ids;
    };
    EXPECT_EQ(ids_of({"ann"}).size(), 19U) << "of her 20, one is forgotten";
    EXPECT_EQ(ids_of({"bob"}).size(), 20U);
    EXPECT_EQ(ids_of({"1000"}).size(), 19U + 1U + 20U) << "a uid, and a user who is called so";
    EXPECT_EQ(ids_of({"ann", "bob"}).size(), 39U);
    EXPECT_EQ(ids_of({"anna"}), std::set{61U});
    EXPECT_EQ(ids_of({"carl"}).size(), 0U);
}

// One change among 100 000 jobs must not cost what 100 000 do.
TEST(Published, CostsWhatChangedAndNotWhatThereIs) {
    SampleCluster cluster;
    Published published;
    constexpr std::uint32_t kJobs = 100'000;
    for (std::uint32_t id = 1; id <= kJobs; ++id) cluster.submit(SampleCluster::job(id));
    using Clock = std::chrono::steady_clock;
    const auto before_all = Clock::now();
    (void)cluster.publish(published);
    const auto all = Clock::now() - before_all;
    const auto before_some = Clock::now();
    for (std::uint32_t i = 0; i < 100; ++i) {
        cluster.apply(JobHeld{JobId(i * 997 + 1), Hold::user});
        (void)cluster.publish(published);
    }
    const auto some = Clock::now() - before_some;
    EXPECT_LT(some, all / 4) << "100 single publications against one of everything";
    EXPECT_EQ(published.current()->jobs.size(), kJobs);
}

TEST(Published, IsReadWhileItIsWritten) {
    SampleCluster cluster;
    Published published;
    for (std::uint32_t id = 1; id <= 200; ++id) cluster.submit(SampleCluster::job(id));
    (void)cluster.publish(published);
    std::atomic<bool> stop{false};
    std::thread reader([&] {
        while (!stop) {
            const auto edition = published.current();
            std::size_t seen = 0;
            edition->jobs.for_each([&](std::uint32_t id, const PublishedJob& job) {
                if (job.job->id == JobId(id)) ++seen;
            });
            if (seen != edition->jobs.size()) std::abort();
        }
    });
    for (std::uint32_t i = 0; i < 2'000; ++i) {
        const JobId id(i % 200 + 1);
        cluster.apply(JobHeld{id, i / 200 % 2 == 0 ? Hold::user : Hold::none});
        (void)cluster.publish(published);
    }
    stop = true;
    reader.join();
}

}  // namespace
}  // namespace berth
