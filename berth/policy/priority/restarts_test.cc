#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

TEST(RestartsTerm, RisesWithEachRestartUpToTheMost) {
    const auto rule = testing::make_rule(priority_terms(), "restarts", {{"most", 4}});
    for (const auto& [restarts, points] : {std::pair(0U, 0), std::pair(1U, 25), std::pair(3U, 75),
                                           std::pair(4U, 100), std::pair(900U, 100)}) {
        Job job;
        job.restarts = restarts;
        const Factor factor = rule->value(job, testing::FixedView{});
        EXPECT_EQ(100 * factor.part / factor.whole, points) << restarts;
    }
}

}  // namespace
}  // namespace berth
