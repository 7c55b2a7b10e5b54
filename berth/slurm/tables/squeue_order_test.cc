#include "berth/slurm/tables/squeue_order.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

TEST(Squeue, PutsJobsInSlurmsOrder) {
    const auto job = [](std::uint32_t id, const char* partition, const char* state,
                        std::int64_t priority) {
        api::JobRow row;
        row.id = JobId(id), row.partition = partition, row.state = state, row.priority = priority;
        return row;
    };
    std::vector<api::JobRow> jobs = {job(1, "main", "RUNNING", 5), job(2, "main", "PENDING", 1),
                                     job(3, "main", "PENDING", 9), job(4, "debug", "PENDING", 1)};
    ASSERT_TRUE(sort_jobs(jobs, "P,t,-p").ok());
    std::string order;
    for (const auto& row : jobs) order += to_string(row.id) + " ";
    EXPECT_EQ(order, "4 3 2 1 ");
    EXPECT_FALSE(sort_jobs(jobs, "?").ok());
}

TEST(Squeue, PutsJobsInTheOrderOfTheirFirstNodes) {
    const auto job = [](std::uint32_t id, std::vector<std::string> nodes) {
        api::JobRow row;
        row.id = JobId(id), row.nodes = std::move(nodes);
        return row;
    };
    std::vector<api::JobRow> jobs = {job(1, {"n4"}), job(2, {"n3", "n4"}), job(3, {"n3"})};
    ASSERT_TRUE(sort_jobs(jobs, "N,-i").ok());
    std::string order;
    for (const auto& row : jobs) order += to_string(row.id) + " ";
    EXPECT_EQ(order, "3 2 1 ");
}

}  // namespace
}  // namespace berth::slurm
