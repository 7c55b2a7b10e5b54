#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "berth/engine/derived/order.h"
#include "berth/testing/seeds.h"

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

TEST(JobOrder, IsTheSameWhetherSortedAtOnceOrMergedFromRuns) {
    testing::for_each_seed(100, [](Rng& rng) {
        JobOrder at_once, merged;
        std::deque<PendingJob> ours, theirs;
        std::vector<PendingJob*> all_ours, all_theirs;
        const auto count = static_cast<std::uint32_t>(rng.between(1, 400));
        for (std::uint32_t i = 0; i < count; ++i) {
            PendingJob job;
            job.id = job.key.id = JobId(i);
            job.key.tier = static_cast<std::int32_t>(rng.between(0, 2));
            job.key.priority = rng.between(0, 50);
            all_ours.push_back(&ours.emplace_back(job));
            all_theirs.push_back(&theirs.emplace_back(job));
        }
        at_once.insert(all_ours);
        merged.insert(all_theirs);
        std::vector<std::vector<JobOrder::Entry>> runs(1);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (rng.chance(10)) runs.emplace_back();
            if (rng.chance(30)) continue;
            runs.back().push_back({theirs[i].key, &theirs[i]});
            runs.back().back().key.priority = rng.between(0, 50);
        }
        JobSet moved;
        for (auto& run : runs) {
            std::ranges::sort(run, {}, &JobOrder::Entry::key);
            for (const JobOrder::Entry& entry : run) {
                if (rng.chance(20)) continue;  // It has changed otherwise since.
                moved.insert(entry.job->id);
                ours[entry.job->id.index()].key = entry.job->key = entry.key;
            }
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            if (moved.contains(JobId(i)) || !rng.chance(10)) continue;
            at_once.erase(ours[i]);
            merged.erase(theirs[i]);
        }
        at_once.resort();
        merged.resort(std::move(runs), moved);
        ASSERT_EQ(at_once.entries().size(), merged.entries().size());
        for (std::size_t i = 0; i < merged.entries().size(); ++i) {
            EXPECT_EQ(at_once.entries()[i].key, merged.entries()[i].key);
            EXPECT_EQ(merged.entries()[i].job, &theirs[merged.entries()[i].key.id.index()]);
        }
    });
}

}  // namespace
}  // namespace berth
