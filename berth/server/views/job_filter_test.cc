#include "berth/server/views/job_filter.h"

#include <gtest/gtest.h>

#include "berth/server/snapshot/sample_cluster.h"
#include "berth/server/views/priority_rows.h"

namespace berth {
namespace {

TEST(JobFilter, FindsTheTasksOfAnArray) {
    SampleCluster cluster;
    ReadModel read_model;
    Job array = SampleCluster::job(10);
    array.spec.array = ArraySpec{.tasks = {0, 1, 2}, .max_running = 2};
    cluster.submit(array);
    cluster.apply(StartJob{.job = JobId(10),
                           .array_task = 0,
                           .task_job = JobId(11),
                           .attempt = Attempt(1),
                           .allocation = SampleCluster::allocation(0)});
    const auto snapshot = cluster.publish(read_model);
    EXPECT_EQ(records_of(*snapshot, {JobId(10), {}}), (std::set{JobId(10), JobId(11)}));
    EXPECT_EQ(records_of(*snapshot, {JobId(10), {0}}), std::set{JobId(11)});
    EXPECT_EQ(records_of(*snapshot, {JobId(10), {1, 2}}), std::set{JobId(10)});
    EXPECT_EQ(records_of(*snapshot, {JobId(10), {3}}), std::set<JobId>{});
    EXPECT_EQ(records_of(*snapshot, {JobId(11), {}}), std::set{JobId(11)});
}

TEST(JobFilter, FindsTheJobsOfAUser) {
    SampleCluster cluster;
    ReadModel read_model;
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
    (void)cluster.publish(read_model);
    cluster.apply(JobForgotten{JobId(3)});
    const auto snapshot = cluster.publish(read_model);
    const auto ids_of = [&](const std::vector<std::string>& users) {
        const auto filter = JobFilter::make(*snapshot, {.users = users}).value();
        std::set<std::uint32_t> ids;
        for (std::uint32_t next = 0; const auto* job = filter.first_from(*snapshot, next);) {
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

TEST(JobFilter, TakesAJobThatWaitsForEachPartitionThatItNames) {
    ClusterSpec spec = sample_spec();
    spec.partitions[0].hidden = true;
    SampleCluster cluster(spec);
    ReadModel read_model;
    Job job = SampleCluster::job(7);
    job.spec.partition = "main,debug";
    job.eligible_at = from_seconds(1000);
    cluster.submit(job);
    auto snapshot = cluster.publish(read_model);
    const auto finds = [&](std::vector<std::string> partitions, bool sees_hidden = true) {
        const auto filter =
            JobFilter::make(*snapshot, {.partitions = std::move(partitions)}, sees_hidden);
        EXPECT_TRUE(filter.ok());
        return filter.ok() && filter->first_from(*snapshot, 0) != nullptr;
    };
    EXPECT_TRUE(finds({"main"}));
    EXPECT_TRUE(finds({"debug"}));
    EXPECT_FALSE(finds({"other"}));
    EXPECT_TRUE(finds({}, false));  // One of them is not hidden.
    using Texts = std::vector<std::string>;
    const auto rows = [&](Texts partitions, bool sees_hidden = true) {  // Of sprio.
        const auto filter =
            JobFilter::make(*snapshot, {.partitions = std::move(partitions)}, sees_hidden);
        Texts named;
        for (const api::PriorityRow& row :
             priority_rows(*snapshot, filter.value(), from_seconds(2000)))
            named.push_back(row.partition);
        return named;
    };
    EXPECT_EQ(rows({}), (Texts{"main", "debug"}));
    EXPECT_EQ(rows({"debug"}), Texts{"debug"});
    EXPECT_EQ(rows({}, false), Texts{"debug"}) << "the other is hidden";
    cluster.start(7, 3);
    snapshot = cluster.publish(read_model);
    EXPECT_TRUE(finds({"main"}));
    EXPECT_FALSE(finds({"debug"}));
}

// Slurm has states that Berth's jobs are never in: who asks for them alone finds no job.
TEST(JobFilter, TakesSlurmsStatesThatNoJobIsEverIn) {
    SampleCluster cluster;
    ReadModel read_model;
    cluster.submit(SampleCluster::job(7));
    const auto snapshot = cluster.publish(read_model);
    const auto finds = [&](std::vector<std::string> states) {
        const auto filter = JobFilter::make(*snapshot, {.states = std::move(states)});
        EXPECT_TRUE(filter.ok());
        return filter.ok() && filter->first_from(*snapshot, 0) != nullptr;
    };
    EXPECT_TRUE(finds({}));
    EXPECT_TRUE(finds({"PENDING"}));
    EXPECT_FALSE(finds({"RESIZING"}));
    EXPECT_FALSE(finds({"special_exit", "REQUEUED"}));
    EXPECT_TRUE(finds({"STOPPED", "PENDING"}));
    EXPECT_FALSE(JobFilter::make(*snapshot, {.states = {"HAPPY"}}).ok());
}

}  // namespace
}  // namespace berth
