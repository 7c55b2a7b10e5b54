#include "berth/engine/state/job_set.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

TEST(JobSet, IsASetInIdOrder) {
    testing::for_each_seed(50, [](Rng& rng) {
        JobSet set;
        std::set<JobId> plain;
        for (int i = 0; i < 300; ++i) {
            const JobId id(static_cast<std::uint32_t>(rng.between(1, rng.chance(50) ? 40 : 2000)));
            if (rng.chance(60)) {
                set.insert(id);
                plain.insert(id);
            } else {
                set.erase(id);
                plain.erase(id);
            }
            ASSERT_EQ(set.contains(id), plain.contains(id));
            ASSERT_EQ(set.size(), plain.size());
            ASSERT_EQ(std::vector<JobId>(set.begin(), set.end()),
                      std::vector<JobId>(plain.begin(), plain.end()));
        }
    });
}

TEST(JobSet, LetsWhatIsVisitedBeErased) {
    JobSet set;
    for (std::uint32_t id = 1; id < 500; id += 3) set.insert(JobId(id));
    for (const JobId id : set) set.erase(id);
    EXPECT_TRUE(set.empty());
    EXPECT_TRUE(set.begin() == set.end());
    EXPECT_EQ(set, JobSet());
}

}  // namespace
}  // namespace berth
