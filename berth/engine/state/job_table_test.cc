#include "berth/engine/state/job_table.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

TEST(JobTable, AgreesWithAMap) {
    testing::for_each_seed(200, [](Rng& rng) {
        JobTable<std::int64_t> table;
        std::map<JobId, std::int64_t> plain;
        const std::int64_t highest = rng.chance(50) ? 100 : 5000;
        for (int i = 0; i < 300; ++i) {
            const JobId id(static_cast<std::uint32_t>(rng.between(0, highest)));
            if (rng.chance(60)) {
                table[id] = plain[id] = rng.between(1, 9);
            } else {
                ASSERT_EQ(table.erase(id), plain.erase(id) > 0);
            }
            ASSERT_EQ(table.contains(id), plain.contains(id));
        }
        ASSERT_EQ(table.size(), plain.size());
        auto expected = plain.begin();
        for (const auto& [id, value] : table) {
            ASSERT_EQ(id, expected->first);
            ASSERT_EQ(value, expected->second);
            ++expected;
        }
        ASSERT_EQ(expected, plain.end());
    });
}

TEST(JobTable, ForgetsAValueThatIsErased) {
    JobTable<std::string> table;
    table[JobId(7)] = "seven";
    table.erase(JobId(7));
    EXPECT_EQ(table[JobId(7)], "");
}

}  // namespace
}  // namespace berth
