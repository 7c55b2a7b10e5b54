// The options without an effect: each stands in one table, and says why.
#include "berth/slurm/options/other_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "berth/slurm/options/job_options.h"

namespace berth::slurm {
namespace {

TEST(OtherOptions, EachHasItsReason) {
    std::set<std::string_view> names;
    for (const auto rows : {options_without_meaning(), refused_options()}) {
        EXPECT_TRUE(std::ranges::is_sorted(rows, {}, &OtherOption::name));
        for (const OtherOption& row : rows) {
            EXPECT_GT(row.why.size(), 10U) << row.name;
            EXPECT_FALSE(row.why.ends_with('.')) << row.name;
        }
    }
    for (const OtherOption& row : refused_options())
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

// What sbatch, srun and salloc refuse says what to use instead.
TEST(OtherOptions, HaveAWayOutForEachJobOption) {
    for (const JobOption& row : job_options()) {
        if (row.set != nullptr) continue;
        JobDraft draft;
        const Status done = apply_option(row, draft, "1");
        ASSERT_FALSE(done.ok());
        EXPECT_EQ(done.error().message.find("--" + std::string(row.name) + " is not supported: "),
                  0U)
            << done.error().message;
    }
}

TEST(OtherOptions, RefuseWrongValuesAllTheSame) {
    for (const JobOption& row : job_options()) {
        const std::string_view name = row.name;
        const bool takes_number = name == "threads" || name == "msg-timeout" ||
                                  name == "wait-all-nodes" || name == "delay-boot";
        if (!takes_number) continue;
        JobDraft draft;
        EXPECT_TRUE(apply_option(row, draft, "1").ok()) << name;
        EXPECT_FALSE(apply_option(row, draft, "soon").ok()) << name;
    }
}

}  // namespace
}  // namespace berth::slurm
