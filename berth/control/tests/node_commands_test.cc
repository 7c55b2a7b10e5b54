// What an operator may do to nodes, and what follows for their jobs.
#include "berth/control/commands/commands.h"
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

class NodeCommands : public ::testing::Test {
protected:
    NodeCommands() { rig.connect_all(); }

    ControlRig rig{2};
};

TEST_F(NodeCommands, DrainKeepsNewWorkAwayAndResumeLetsItIn) {
    EXPECT_EQ(why(rig.ask(kAnn, UpdateNode{"node1", NodeAction::drain, "fan"})),
              Refusal::not_allowed);
    EXPECT_EQ(why(rig.ask(kOperator, UpdateNode{"node9", NodeAction::drain, "fan"})),
              Refusal::unknown_node);
    EXPECT_EQ(why(rig.ask(kOperator, UpdateNode{"node1", NodeAction::drain, ""})),
              Refusal::invalid_request);
    const std::uint32_t id = rig.run({.nodes = 2});
    EXPECT_TRUE(is_done(rig.ask(kOperator, UpdateNode{"node1", NodeAction::drain, "fan"})));
    const NodeCondition& condition = rig.state().nodes().condition(NodeId(0));
    EXPECT_TRUE(condition.drained);
    EXPECT_EQ(condition.reason, "fan");
    EXPECT_EQ(condition.reason_by, "oscar");
    EXPECT_EQ(rig.job(id).state, JobState::running) << "what runs goes on";
    const std::uint32_t next = rig.submit({.nodes = 2});
    EXPECT_EQ(rig.job(next).state, JobState::pending);
    EXPECT_TRUE(is_done(rig.ask(kOperator, UpdateNode{"node1", NodeAction::resume, ""})));
    EXPECT_EQ(rig.job(next).state, JobState::running);
}

TEST_F(NodeCommands, DownAsksAConnectedNodeToEndWhatItRuns) {
    const std::uint32_t id = rig.run({.nodes = 2, .gpus = 8});
    EXPECT_TRUE(is_done(rig.ask(kOperator, UpdateNode{"node1", NodeAction::down, "smoke"})));
    EXPECT_EQ(rig.job(id).state, JobState::completing);
    EXPECT_EQ(rig.orders<EndAttempt>().size(), 2U);
    EXPECT_TRUE(rig.facts<AttemptEnded>().empty()) << "it can be asked, so it is";
}

TEST_F(NodeCommands, DownIsTheWordThatASilentNodeRunsNothing) {
    const std::uint32_t id = rig.run({.nodes = 2, .gpus = 8});
    rig.lose_link(0);
    EXPECT_TRUE(is_done(rig.ask(kOperator, UpdateNode{"node1", NodeAction::down, "smoke"})));
    ASSERT_EQ(rig.facts<AttemptEnded>().size(), 1U);
    EXPECT_TRUE(rig.facts<AttemptEnded>()[0].lost);
    EXPECT_EQ(rig.orders<EndAttempt>().size(), 1U) << "the other node is asked";
    rig.report(1, end_report(id, 1, std::nullopt));
    EXPECT_EQ(rig.job(id).state, JobState::pending);
}

// The administrator was wrong: whatever still runs there is ended before anything new starts.
TEST_F(NodeCommands, DownThatWasWrongDoesNotRunTwoJobsOnOneGpu) {
    const std::uint32_t id = rig.run({.nodes = 2, .gpus = 8});
    rig.lose_link(0);
    rig.ask(kOperator, UpdateNode{"node1", NodeAction::down, "smoke"});
    rig.report(1, end_report(id, 1, std::nullopt));
    rig.ask(kOperator, UpdateNode{"node1", NodeAction::resume, ""});
    EXPECT_EQ(rig.job(id).state, JobState::pending) << "the node must register first";
    rig.connect(0, {live_report(id, 1)});
    EXPECT_EQ(rig.job(id).state, JobState::pending) << "and be clean";
    EXPECT_EQ(rig.orders<EndAttempt>().size(), 1U);
    rig.report(0, end_report(id, 1, ExitStatus{0, 15}));
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_EQ(rig.job(id).attempt, Attempt{2});
}

}  // namespace
}  // namespace berth
