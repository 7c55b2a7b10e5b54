#include "berth/engine/state/job_names.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

TEST(JobNames, FindsTheJobsOfOneOwnerAndName) {
    JobNames names;
    names.add(1, "train", JobId(7));
    names.add(2, "train", JobId(8));
    names.add(1, "", JobId(9));
    names.add(1, "train", JobId(3));
    EXPECT_EQ(names.find(1, "train"), (std::vector{JobId(3), JobId(7)}));
    EXPECT_EQ(names.find(2, "train"), (std::vector{JobId(8)}));
    EXPECT_EQ(names.find(1, ""), (std::vector{JobId(9)}));
    EXPECT_TRUE(names.find(2, "").empty());
    EXPECT_TRUE(names.find(1, "tra").empty());
}

TEST(JobNames, AgreesWithAPlainSetAndIsTheSameWhicheverWayItWasMade) {
    testing::for_each_seed(100, [](Rng& rng) {
        JobNames names;
        std::map<std::pair<std::uint32_t, std::string>, std::set<JobId>> plain;
        const std::int64_t ids = rng.chance(50) ? 40 : 4000;
        for (int i = 0; i < 400; ++i) {
            const auto uid = static_cast<std::uint32_t>(rng.between(1, 2));
            const std::string name = rng.chance(80) ? "a" : "b";
            const JobId job(static_cast<std::uint32_t>(rng.between(0, ids)));
            std::set<JobId>& known = plain[{uid, name}];
            if (rng.chance(i < 200 ? 70 : 30)) {
                names.add(uid, name, job);
                known.insert(job);
            } else {
                // One that is there, or any: a job that is not there may be removed.
                const auto at = known.lower_bound(job);
                const JobId gone = at == known.end() || rng.chance(10) ? job : *at;
                names.remove(uid, name, gone);
                known.erase(gone);
            }
            ASSERT_EQ(names.find(uid, name), std::vector<JobId>(known.begin(), known.end()));
        }
        JobNames again;
        for (const auto& [key, jobs] : plain) {
            for (const JobId job : jobs) again.add(key.first, key.second, job);
        }
        ASSERT_EQ(names, again);
        for (const auto& [key, jobs] : plain) {
            for (const JobId job : jobs) names.remove(key.first, key.second, job);
        }
        ASSERT_EQ(names, JobNames());
    });
}

}  // namespace
}  // namespace berth
