#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

TEST(InteractiveTerm, IsForJobsWithoutAScript) {
    const auto rule = testing::make_rule(priority_terms(), "interactive", {});
    for (const bool interactive : {false, true}) {
        Job job;
        JobCommand command;
        command.interactive = interactive;
        job.spec.command = command;
        const Factor factor = rule->value(job, testing::FixedView{});
        EXPECT_EQ(factor.part, interactive ? 1 : 0);
        EXPECT_EQ(factor.whole, 1);
    }
}

}  // namespace
}  // namespace berth
