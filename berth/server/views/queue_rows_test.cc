#include "berth/server/views/queue_rows.h"

#include <gtest/gtest.h>

#include "berth/server/snapshot/sample_cluster.h"

namespace berth {
namespace {

ClusterSpec sharing_spec() {
    ClusterSpec spec = sample_spec();
    spec.accounts = {{.name = "physics", .parent = "science"},
                     {.name = "science", .parent = "root"},
                     {.name = "art", .parent = "root"}};
    spec.queues = {{.name = "physics", .nominal = {{"gres/gpu", 2}}},
                   {.name = "art",
                    .nominal = {{"gres/gpu", 30}},
                    .guarantee = {{"gres/gpu", 10}},
                    .limit = {{"gres/gpu", 31}},
                    .allow_preemption = false}};
    return spec;
}

TEST(QueueRows, SayWhatIsUsedBorrowedAndLent) {
    SampleCluster cluster(sharing_spec());
    ReadModel read_model;
    for (const std::uint32_t id : {1U, 2U, 3U}) cluster.submit(SampleCluster::job(id));
    Job array = SampleCluster::job(4);
    array.spec.array = ArraySpec{.tasks = {0, 1, 2, 3}};
    cluster.submit(array);
    cluster.start(1, 0);
    cluster.start(2, 1);
    cluster.start(3, 2);
    const std::vector<api::QueueRow> rows = queue_rows(*cluster.publish(read_model));
    ASSERT_EQ(rows.size(), 3U);
    const auto is = [&](std::size_t at, const char* name, const char* parent, std::uint32_t depth,
                        std::int64_t pending, std::int64_t running) {
        const api::QueueRow& row = rows[at];
        EXPECT_EQ(row.name, name);
        EXPECT_EQ(row.parent, parent) << name;
        EXPECT_EQ(row.depth, depth) << name;
        EXPECT_EQ(row.pending_jobs, pending) << name;
        EXPECT_EQ(row.running_jobs, running) << name;
    };
    is(0, "art", "root", 0, 0, 0);
    is(1, "science", "root", 0, 4, 3);
    is(2, "physics", "science", 1, 4, 3);
    EXPECT_EQ(rows[0].tres,
              (std::vector<api::QueueTresRow>{
                  {.tres = "gres/gpu", .nominal = 30, .guarantee = 10, .limit = 31, .lent = 4}}));
    const std::vector<api::QueueTresRow> borrows = {
        {.tres = "gres/gpu", .nominal = 2, .used = 6, .borrowed = 4}};
    EXPECT_EQ(rows[1].tres, borrows);
    EXPECT_EQ(rows[2].tres, borrows);
    using Options = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(rows[0].options, (Options{{"nominal", "gres/gpu=30"},
                                        {"guarantee", "gres/gpu=10"},
                                        {"limit", "gres/gpu=31"},
                                        {"allow_preemption", "no"}}));
    EXPECT_TRUE(rows[1].options.empty());
}

TEST(QueueRows, ShowAccountsWithoutQuotas) {
    ClusterSpec spec = sharing_spec();
    spec.queues.clear();
    SampleCluster cluster(std::move(spec));
    ReadModel read_model;
    cluster.submit(SampleCluster::job(1));
    const std::vector<api::QueueRow> rows = queue_rows(*cluster.publish(read_model));
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[2].pending_jobs, 1);
    EXPECT_TRUE(rows[2].tres.empty());
}

}  // namespace
}  // namespace berth
