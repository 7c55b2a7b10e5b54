// Health checks and reboots.
#include <gtest/gtest.h>

#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class HealthChecksTest : public ::testing::Test {
protected:
    void begin(const HealthCheckSpec& care) {
        ClusterSpec cluster = testing::make_cluster(2);
        cluster.care = care;
        rig.emplace(cluster);
        rig->connect_all();
    }
    // The programs that the first node was ordered to run meanwhile.
    std::size_t pass(Duration time, NodeProgram kind) {
        std::size_t count = 0;
        for (Duration gone{}; gone < time; gone += seconds(10)) {
            rig->now += seconds(10);
            rig->turn({rig->report_of(0, Heartbeat{}), rig->report_of(1, Heartbeat{})});
            count += asked(kind);
        }
        return count;
    }
    std::size_t asked(NodeProgram kind) const {
        std::size_t count = 0;
        for (const auto& [node, order] : rig->orders<RunNodeProgram>()) {
            count += node == 0 && order.program == kind ? 1U : 0U;
        }
        return count;
    }
    std::size_t checks_in(Duration time) { return pass(time, NodeProgram::health_check); }
    bool ask(NodeAction action, bool asap = false, bool down = false) {
        UpdateNode command{"node1", action, "kernel"};
        command.asap = asap;
        command.next_down = down;
        return is_done(rig->ask(kOperator, std::move(command)));
    }
    const NodeCondition& node() const { return rig->state().nodes().condition(NodeId(0)); }
    void come_back() {
        rig->reboot(0);
        rig->connect(0);
    }

    std::optional<ControlRig> rig;
};

HealthCheckSpec checked(Duration interval, std::uint8_t states = HealthCheckSpec::kAny) {
    return {.health_check = "/sbin/check", .health_interval = interval, .health_states = states};
}
const HealthCheckSpec kReboots{.reboot = "/sbin/reboot", .resume_timeout = minutes(10)};

TEST_F(HealthChecksTest, ChecksANodeWhenItComesAndEachIntervalFromThenOn) {
    begin(checked(minutes(1)));
    // For the second node, which registered last.
    const auto first = rig->orders<RunNodeProgram>();
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].second.path, "/sbin/check");
    EXPECT_EQ(first[0].second.timeout, seconds(60));
    EXPECT_EQ(checks_in(minutes(10)), 10U);
    rig->lose_link(0);
    EXPECT_EQ(checks_in(minutes(4)), 0U);
}

TEST_F(HealthChecksTest, ChecksNothingWithoutAnIntervalButTheStart) {
    begin(checked(Duration{}));
    EXPECT_EQ(checks_in(minutes(10)), 0U);
    rig->connect(0);
    EXPECT_EQ(asked(NodeProgram::health_check), 1U);
}

TEST_F(HealthChecksTest, ChecksNodesInTheStatesThatAreWanted) {
    begin(checked(minutes(1), HealthCheckSpec::kMixed));
    EXPECT_EQ(checks_in(minutes(3)), 0U);
    const std::uint32_t some = rig->run({.cpus = 4});
    ASSERT_EQ(rig->job(some).nodes.front(), NodeId(0));
    EXPECT_EQ(checks_in(minutes(3)), 3U);
    rig->run({.cpus = 60});
    EXPECT_EQ(checks_in(minutes(3)), 0U);  // It is full.
    begin(checked(minutes(1), HealthCheckSpec::kNonDrainedIdle));
    EXPECT_EQ(checks_in(minutes(3)), 3U);
    ask(NodeAction::drain);
    EXPECT_EQ(checks_in(minutes(3)), 0U);
}

TEST_F(HealthChecksTest, SpreadsTheChecksOfACycle) {
    HealthCheckSpec care = checked(minutes(10));
    care.health_cycle = true;
    begin(care);
    EXPECT_EQ(checks_in(minutes(5)), 1U);  // Half of the nodes in half of the time.
    EXPECT_EQ(checks_in(minutes(10)), 1U);
}

TEST_F(HealthChecksTest, RebootsWhatIsIdleAtOnceAndTakesItBack) {
    begin(kReboots);
    EXPECT_TRUE(ask(NodeAction::reboot));
    EXPECT_EQ(asked(NodeProgram::reboot), 1U);
    EXPECT_EQ(node().reboot.stage, NodeReboot::Stage::issued);
    EXPECT_FALSE(node().schedulable());
    EXPECT_FALSE(ask(NodeAction::cancel_reboot));
    EXPECT_EQ(pass(minutes(3), NodeProgram::reboot), 3U);  // The order may have been lost.
    come_back();
    EXPECT_EQ(node().reboot, NodeReboot{});
    EXPECT_TRUE(node().schedulable());
}

TEST_F(HealthChecksTest, RebootsWhatIsBusyWhenItIsDone) {
    begin(kReboots);
    const std::uint32_t job = rig->run();
    EXPECT_TRUE(ask(NodeAction::reboot));
    EXPECT_EQ(asked(NodeProgram::reboot), 0U);
    EXPECT_TRUE(node().schedulable());  // Until the reboot it may take more work.
    EXPECT_FALSE(ask(NodeAction::reboot));
    rig->report(0, end_report(job));
    EXPECT_EQ(asked(NodeProgram::reboot), 1U);
}

TEST_F(HealthChecksTest, AsSoonAsPossibleTakesNoNewWork) {
    begin(kReboots);
    const std::uint32_t job = rig->run();
    EXPECT_TRUE(ask(NodeAction::reboot, true));
    EXPECT_FALSE(node().schedulable());
    EXPECT_TRUE(ask(NodeAction::cancel_reboot));
    EXPECT_TRUE(node().schedulable());
    EXPECT_TRUE(ask(NodeAction::reboot, true, true));
    rig->report(0, end_report(job));
    come_back();
    EXPECT_TRUE(node().down);
    EXPECT_EQ(node().reason, "kernel");
}

TEST_F(HealthChecksTest, GivesANodeUpThatDoesNotComeBack) {
    begin(kReboots);
    ask(NodeAction::reboot);
    rig->lose_link(0);
    pass(minutes(11), NodeProgram::reboot);
    EXPECT_TRUE(node().down);
    EXPECT_EQ(node().reason, "reboot timed out");
    EXPECT_EQ(node().reboot, NodeReboot{});
}

TEST_F(HealthChecksTest, DrainsANodeThatCannotBeRebooted) {
    begin(kReboots);
    ask(NodeAction::reboot);
    rig->report(0, NodeProgramEnded{NodeProgram::reboot, "ended with exit code 1"});
    EXPECT_TRUE(node().drained);
    EXPECT_EQ(node().reason, "reboot failed: RebootProgram ended with exit code 1");
    begin({});
    EXPECT_FALSE(ask(NodeAction::reboot));  // There is no program for it.
}

TEST_F(HealthChecksTest, AFailedHealthCheckIsNoMoreThanALine) {
    begin(checked(minutes(1)));
    rig->report(0, NodeProgramEnded{NodeProgram::health_check, "ended with exit code 1"});
    EXPECT_TRUE(node().schedulable());
    ASSERT_EQ(rig->last.log.size(), 1U);
    EXPECT_EQ(rig->last.log[0].text, "node node1: HealthCheckProgram ended with exit code 1");
}

TEST_F(HealthChecksTest, ARebootOutlivesTheController) {
    begin(kReboots);
    ask(NodeAction::reboot);
    rig->restart();
    come_back();
    EXPECT_EQ(node().reboot, NodeReboot{});
}

}  // namespace
}  // namespace berth
