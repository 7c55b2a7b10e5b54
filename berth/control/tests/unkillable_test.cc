// What lives on though it was killed: its node takes no more work until an operator says so.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

AttemptUnkillable unkillable(std::uint32_t job) { return {JobId(job), Attempt(1)}; }

TEST(Unkillable, ItsNodeIsDrainedInSlurmsWordsAndKeepsItsOtherJobs) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t stuck = rig.run({.gpus = 1}), other = rig.run({.gpus = 1});
    rig.ask(kAnn, CancelJob{{JobId(stuck), {}}});
    rig.report(0, unkillable(stuck));
    const NodeCondition& node = rig.state().nodes().condition(NodeId(0));
    EXPECT_TRUE(node.drained);
    EXPECT_EQ(node.reason, "Kill task failed");
    EXPECT_EQ(rig.job(stuck).state, JobState::completing);
    EXPECT_EQ(rig.job(other).state, JobState::running);
    EXPECT_EQ(rig.facts<NodeUpdated>().size(), 1U);
    rig.report(0, unkillable(stuck));
    EXPECT_TRUE(rig.facts<NodeUpdated>().empty()) << "It is drained already.";
}

TEST(Unkillable, AReasonThatIsThereStays) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t stuck = rig.run({.gpus = 1});
    rig.ask(kOperator, UpdateNode{.node = "node1", .action = NodeAction::drain, .reason = "fan"});
    rig.ask(kAnn, CancelJob{{JobId(stuck), {}}});
    rig.report(0, unkillable(stuck));
    EXPECT_EQ(rig.state().nodes().condition(NodeId(0)).reason, "fan");
}

TEST(Unkillable, ResumedTooEarlyItsNodeIsDrainedAgain) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t stuck = rig.run({.gpus = 1});
    rig.ask(kAnn, CancelJob{{JobId(stuck), {}}});
    rig.report(0, unkillable(stuck));
    rig.ask(kOperator, UpdateNode{.node = "node1", .action = NodeAction::resume, .reason = {}});
    EXPECT_FALSE(rig.state().nodes().condition(NodeId(0)).drained);
    rig.report(0, unkillable(stuck));
    EXPECT_TRUE(rig.state().nodes().condition(NodeId(0)).drained);
}

TEST(Unkillable, TheSitesProgramRunsThereOnce) {
    ClusterSpec spec = testing::make_cluster(1);
    spec.care.unkillable_program = "/usr/local/sbin/stuck";
    ControlRig rig(spec);
    rig.connect(0);
    const std::uint32_t stuck = rig.run({.gpus = 1});
    rig.ask(kAnn, CancelJob{{JobId(stuck), {}}});
    rig.report(0, unkillable(stuck));
    const auto programs = rig.orders<RunNodeProgram>();
    ASSERT_EQ(programs.size(), 1U);
    EXPECT_EQ(programs[0].second.program, NodeProgram::unkillable);
    EXPECT_EQ(programs[0].second.path, "/usr/local/sbin/stuck");
    EXPECT_EQ(programs[0].second.variables,
              std::vector<std::string>{"SLURM_JOB_ID=" + std::to_string(stuck)});
    rig.report(0, unkillable(stuck));
    EXPECT_TRUE(rig.orders<RunNodeProgram>().empty());
}

TEST(Unkillable, JobsTellTheirNodeHowLongToWait) {
    ClusterSpec spec = testing::make_cluster(1);
    spec.care.unkillable_wait = std::chrono::seconds(7);
    ControlRig rig(spec);
    rig.connect(0);
    rig.submit({.gpus = 1});
    const auto launches = rig.orders<LaunchAttempt>();
    ASSERT_EQ(launches.size(), 1U);
    EXPECT_EQ(launches[0].second.unkillable_wait, std::chrono::seconds(7));
}

}  // namespace
}  // namespace berth
