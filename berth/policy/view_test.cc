#include "berth/policy/view.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(ClusterTotals, LeaveOutPartitionsAndQosThatAnotherConfigurationRemoved) {
    ClusterSpec spec;
    spec.partitions = {{.name = "main", .priority_job_factor = 5},
                       {.name = "best", .priority_job_factor = 10}};
    spec.qos = {{.name = "high", .priority = 50}, {.name = "top", .priority = 100}};
    EXPECT_EQ(totals_of(spec).partition_factor_max, 10);
    EXPECT_EQ(totals_of(spec).qos_priority_max, 100);
    spec.partitions[1].gone = true;
    spec.qos[1].gone = true;
    EXPECT_EQ(totals_of(spec).partition_factor_max, 5);
    EXPECT_EQ(totals_of(spec).qos_priority_max, 50);
}

}  // namespace
}  // namespace berth
