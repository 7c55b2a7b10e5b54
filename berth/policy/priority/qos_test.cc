#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

std::int64_t qos_thousandths(const std::vector<std::int64_t>& priorities, std::uint32_t qos,
                             bool plain = false) {
    testing::FixedView view;
    for (const std::int64_t priority : priorities) view.cluster.qos.push_back({"q", priority, {}});
    Job job;
    job.qos = QosId(qos);
    const Factor f =
        testing::make_rule(priority_terms(), "qos", {{"plain", plain ? 1 : 0}})->value(job, view);
    return 1000 * f.part / f.whole;
}

TEST(Qos, IsMeasuredAgainstTheHighestPriority) {
    EXPECT_EQ(qos_thousandths({0, 50, 200}, 0), 0);
    EXPECT_EQ(qos_thousandths({0, 50, 200}, 1), 250);
    EXPECT_EQ(qos_thousandths({0, 50, 200}, 2), 1000);
    EXPECT_EQ(qos_thousandths({0, 0}, 1), 0);
    EXPECT_EQ(qos_thousandths({}, 0), 0);
    EXPECT_EQ(qos_thousandths({0, 2}, 1, true), 2'000);  // NO_NORMAL_QOS
}

}  // namespace
}  // namespace berth
