#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "berth/engine/order.h"

namespace berth {
namespace {

TEST(JobOrder, ClosesTheHolesThatJobsLeaveOneByOne) {
    JobOrder order;
    std::deque<PendingJob> jobs;
    for (std::uint32_t i = 0; i < 5000; ++i) {
        PendingJob& job = jobs.emplace_back();
        job.id = job.key.id = JobId(i);
        order.insert({&job});
        if (i >= 3) order.erase(jobs[i - 3]);
        ASSERT_LE(order.entries().size(), 2 * order.size() + 65);
    }
    EXPECT_EQ(order.size(), 3U);
    std::vector<JobId> left;
    for (const JobOrder::Entry& entry : order.entries()) {
        if (entry.job != nullptr) left.push_back(entry.job->id);
    }
    EXPECT_EQ(left, (std::vector<JobId>{JobId(4997), JobId(4998), JobId(4999)}));
}

}  // namespace
}  // namespace berth
