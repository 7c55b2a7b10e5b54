#include "berth/model/step_totals.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(StepTotals, AddUpNodeByNode) {
    StepTotals totals;
    add(totals, {.user = Duration(3000), .system = Duration(500), .rss_max = mib(10), .tasks = 2},
        "n1");
    add(totals, {.user = Duration(1000), .system = Duration(0), .rss_max = mib(30), .tasks = 1},
        "n2");
    EXPECT_EQ(totals.user_ms, 4000);
    EXPECT_EQ(totals.system_ms, 500);
    EXPECT_EQ(totals.rss_max, mib(30).count());
    EXPECT_EQ(totals.rss_max_node, "n2");
    EXPECT_EQ(totals.rss_sum, mib(40).count());
    EXPECT_EQ(totals.cpu_min_ms, 1000);
    EXPECT_EQ(totals.cpu_min_node, "n2");
    EXPECT_EQ(totals.tasks, 3U);
    EXPECT_EQ(totals.nodes, 2U);
}

}  // namespace
}  // namespace berth
