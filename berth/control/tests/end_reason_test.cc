// Why an attempt ends, as its nodes are told: the line in the job's output says so.
#include <gtest/gtest.h>

#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

std::vector<EndReason> reasons(const ControlRig& rig) {
    std::vector<EndReason> found;
    for (const auto& [node, order] : rig.orders<EndAttempt>()) found.push_back(order.reason);
    return found;
}

TEST(EndReasons, OfCommands) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint32_t cancelled = rig.run({.gpus = 1});
    rig.ask(kAnn, CancelJob{.job = {JobId(cancelled), {}}});
    EXPECT_EQ(reasons(rig), std::vector{EndReason::cancelled});
    const std::uint32_t requeued = rig.run({.gpus = 1});
    rig.ask(kAnn, RequeueJob{.job = {JobId(requeued), {}}});
    EXPECT_EQ(reasons(rig), std::vector{EndReason::requeued});
}

TEST(EndReasons, OfATimeLimit) {
    ControlRig rig(2);
    rig.connect_all();
    rig.run({.nodes = 2, .limit = minutes(1)});
    rig.wait(seconds(61));
    EXPECT_EQ(reasons(rig), std::vector(2, EndReason::time_limit));
}

TEST(EndReasons, OfAJobOneOfWhoseNodesFailed) {
    ControlRig rig(2);
    rig.connect_all();
    JobSpec spec = testing::make_job({.nodes = 2});
    spec.requeue = false;
    const std::uint32_t id = rig.submit(spec);
    for (const std::uint32_t node : {0U, 1U}) rig.started(node, id);
    rig.reboot(1);
    rig.connect(1);
    EXPECT_EQ(rig.job(id).outcome, JobState::node_fail);
    EXPECT_EQ(reasons(rig), std::vector{EndReason::node_failed});
}

class Preempted : public ::testing::TestWithParam<PreemptMode> {};

TEST_P(Preempted, SaysSo) {
    ClusterSpec cluster = testing::make_cluster(1);
    cluster.partitions.push_back({.name = "top", .nodes = {NodeId(0)}, .priority_tier = 9});
    cluster.scheduling.preemption.by = PreemptBy::partition;
    cluster.scheduling.preemption.mode = GetParam();
    ControlRig rig(cluster);
    rig.connect_all();
    JobSpec spec = testing::make_job({});
    spec.request.edit().exclusive = true;
    rig.started(0, rig.submit(spec));
    spec.partition = "top";
    rig.submit(spec);
    EXPECT_EQ(reasons(rig), std::vector{EndReason::preempted});
}
INSTANTIATE_TEST_SUITE_P(Modes, Preempted,
                         ::testing::Values(PreemptMode::cancel, PreemptMode::requeue));

}  // namespace
}  // namespace berth
