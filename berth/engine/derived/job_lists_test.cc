#include "berth/engine/derived/job_lists.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "berth/base/rng.h"

namespace berth {
namespace {

std::vector<JobId> jobs_of(JobLists& lists, std::size_t number) {
    std::vector<JobId> jobs;
    lists.visit(number, [&](JobId job) {
        jobs.push_back(job);
        return true;
    });
    return jobs;
}

TEST(JobLists, AJobThatIsAddedAgainIsThereOnce) {
    JobLists lists;
    for (int i = 0; i < 100; ++i) {
        lists.add(3, JobId(7));
        lists.add(3, JobId(5));
    }
    EXPECT_EQ(jobs_of(lists, 3), (std::vector{JobId(5), JobId(7)}));
    EXPECT_TRUE(jobs_of(lists, 2).empty());
    EXPECT_TRUE(jobs_of(lists, 100).empty());
}

TEST(JobLists, AreWhatSetsOfJobsWouldBe) {
    Rng rng(1);
    JobLists lists;
    std::map<std::size_t, std::set<JobId>> expected;
    for (int i = 0; i < 20'000; ++i) {
        const auto number = static_cast<std::size_t>(rng.between(0, 9));
        if (rng.chance(80)) {
            const JobId job(static_cast<std::uint32_t>(rng.between(1, 200)));
            lists.add(number, job);
            expected[number].insert(job);
            continue;
        }
        const auto divisor = static_cast<std::uint32_t>(rng.between(1, 4));
        const auto stays = [&](JobId job) { return job.value() % divisor != 0; };
        std::vector<JobId> visited;
        lists.visit(number, [&](JobId job) {
            visited.push_back(job);
            return stays(job);
        });
        std::set<JobId>& those = expected[number];
        EXPECT_EQ(visited, (std::vector<JobId>(those.begin(), those.end())));
        std::erase_if(those, [&](JobId job) { return !stays(job); });
    }
}

}  // namespace
}  // namespace berth
