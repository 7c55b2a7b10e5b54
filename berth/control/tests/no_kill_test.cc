// --no-kill: what becomes of a run that loses one of its nodes.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

class NoKill : public ::testing::Test {
protected:
    NoKill() { rig.connect_all(); }

    std::uint32_t run(bool no_kill) {
        JobSpec spec = testing::make_job({.nodes = 2, .gpus = 8, .cpus = 16});
        spec.command.edit().no_kill = no_kill;
        const std::uint32_t id = rig.submit(std::move(spec));
        if (rig.job(id).state != JobState::running) rig.turn();
        for (const NodeId node : rig.job(id).nodes) rig.started(node.value(), id);
        return id;
    }
    // The node comes back in another boot, with nothing.
    void lose(NodeId node) {
        rig.reboot(node.value());
        rig.connect(node.value());
    }
    NodeId first(std::uint32_t id) const { return rig.job(id).nodes.front(); }
    NodeId other(std::uint32_t id) const { return rig.job(id).nodes.back(); }

    ControlRig rig{2};
};

TEST_F(NoKill, TheRunGoesOnWithTheNodesThatAreLeft) {
    const std::uint32_t id = run(true);
    const NodeId lost = other(id), left = first(id);
    lose(lost);
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_EQ(*rig.job(id).nodes, std::vector<NodeId>{left});
    EXPECT_EQ(rig.job(id).allocation->shares.size(), 1U);
    EXPECT_EQ(rig.job(id).attempt, Attempt(1));
    EXPECT_TRUE(rig.orders<EndAttempt>().empty());
    // The lost one takes other work.
    const std::uint32_t next = rig.submit({.gpus = 8});
    rig.turn();
    EXPECT_EQ(rig.job(next).state, JobState::running);
    EXPECT_EQ(first(next), lost);
}

TEST_F(NoKill, WithoutItTheRunEnds) {
    const std::uint32_t id = run(false);
    lose(other(id));
    EXPECT_NE(rig.job(id).state, JobState::running);
}

TEST_F(NoKill, TheRunEndsWithItsFirstNode) {
    const std::uint32_t id = run(true);
    lose(first(id));
    EXPECT_NE(rig.job(id).state, JobState::running);
}

TEST_F(NoKill, StepsGoOnToo) {
    const std::uint32_t id = run(true);
    CreateStep step{.job = {JobId(id), {}}};
    step.request = {.name = "train", .tasks = 2, .nodes = 2};
    ASSERT_TRUE(std::holds_alternative<StepPlaced>(rig.ask(kAnn, step)));
    const NodeId left = first(id);
    for (const NodeId node : rig.job(id).nodes)
        rig.report(node.value(), StepStarted{JobId(id), Attempt(1), StepId(0)});
    lose(other(id));
    const Step& after = rig.job(id).steps->front();
    EXPECT_EQ(after.state, StepState::running);
    EXPECT_EQ(after.shares.size(), 1U);
    rig.report(left.value(),
               StepReport{.job = JobId(id), .attempt = Attempt(1), .step = StepId(0)});
    EXPECT_EQ(rig.job(id).steps->front().state, StepState::completed);
}

// It counts for limits and shares as what it still holds.
TEST_F(NoKill, TheRestOfTheRunIsAccountedFor) {
    const std::uint32_t id = run(true);
    lose(other(id));
    rig.state().check_invariants();
    rig.report(first(id).value(), end_report(id));
    EXPECT_EQ(rig.job(id).state, JobState::completed);
    rig.state().check_invariants();
    for (const UsageRecord& usage : rig.state().usage().records())
        EXPECT_EQ(usage.rate, decltype(usage.rate){});
}

}  // namespace
}  // namespace berth
