// Which agent may speak for a node, and what follows from its inventory.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using std::chrono::seconds;

TEST(Registration, IsWelcomedAndMakesTheNodeReady) {
    ControlRig rig;
    EXPECT_FALSE(rig.state().nodes().condition(NodeId(0)).schedulable());
    rig.connect(0);
    EXPECT_TRUE(rig.state().nodes().condition(NodeId(0)).schedulable());
    EXPECT_EQ(rig.state().nodes().condition(NodeId(0)).boot_id, "boot-1");
    ASSERT_EQ(rig.orders<Welcome>().size(), 1U);
    EXPECT_EQ(rig.orders<Welcome>()[0].second.heartbeat, rig.state().spec().scheduling.heartbeat);
}

TEST(Registration, IsRefusedWithAReasonWhereItIsNotOneOfOurs) {
    struct Case {
        const char* what;
        void (*spoil)(AgentInput&);
    };
    const Case cases[] = {
        {"no such node", [](AgentInput& input) { input.node = "stranger"; }},
        {"its message names another",
         [](AgentInput& input) { std::get<Registration>(input.report.body).node = "node2"; }},
        {"no boot id",
         [](AgentInput& input) { std::get<Registration>(input.report.body).boot_id = ""; }},
        {"a later controller gave it orders",
         [](AgentInput& input) {
             std::get<Registration>(input.report.body).highest_epoch = Epoch{2};
         }},
    };
    for (const Case& one : cases) {
        ControlRig rig;
        rig.agents[0].link = Link{1};
        rig.agents[0].session = 1;
        AgentInput input = rig.registration(0);
        one.spoil(input);
        rig.turn({input});
        EXPECT_EQ(rig.last.closed, std::vector{Link{1}}) << one.what;
        ASSERT_EQ(rig.last.log.size(), 1U) << one.what;
        EXPECT_FALSE(rig.last.log[0].text.empty());
        EXPECT_TRUE(rig.last.record.facts.empty()) << one.what;
        EXPECT_TRUE(rig.last.orders.empty()) << one.what;
    }
}

TEST(Registration, DrainsANodeThatHasLessThanItShould) {
    ControlRig rig;
    rig.agents[0].link = Link{1};
    rig.agents[0].session = 1;
    AgentInput input = rig.registration(0);
    NodeSpec& found = std::get<Registration>(input.report.body).found;
    found.devices.resize(6);
    // The report does not say which ones are missing.
    for (Device& device : found.devices) device.file.clear();
    found.gres_text.clear();
    rig.turn({input});
    const NodeCondition& condition = rig.state().nodes().condition(NodeId(0));
    EXPECT_TRUE(condition.registered);
    EXPECT_TRUE(condition.drained);
    EXPECT_EQ(condition.reason, "gres/gpu count reported lower than configured (6 < 8)");
    EXPECT_FALSE(condition.schedulable());
}

TEST(Registration, KeepsWhatIsLiveAndCurrent) {
    ControlRig rig;
    rig.connect_all();
    const std::uint32_t id = rig.run({.gpus = 1});
    rig.restart();
    rig.connect(rig.node_of(id), {live_report(id)});
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_TRUE(rig.orders<LaunchAttempt>().empty());
    EXPECT_TRUE(rig.orders<EndAttempt>().empty());
}

TEST(Registration, LaunchesAgainWhatNeverArrived) {
    ControlRig rig;
    rig.connect_all();
    const std::uint32_t id = rig.submit({.gpus = 1});
    rig.restart();
    rig.connect(rig.node_of(id));
    ASSERT_EQ(rig.orders<LaunchAttempt>().size(), 1U);
    EXPECT_EQ(rig.orders<LaunchAttempt>()[0].second.attempt, Attempt{1});
}

TEST(Registration, TakesSpooledEndsAndAcknowledgesThem) {
    ControlRig rig;
    rig.connect_all();
    const std::uint32_t id = rig.run({.gpus = 1});
    const std::uint32_t node = rig.node_of(id);
    rig.lose_link(node);
    rig.connect(node, {end_report(id, 1, ExitStatus{7, 0})});
    EXPECT_EQ(rig.job(id).state, JobState::failed);
    EXPECT_EQ(rig.job(id).exit.code, 7);
    ASSERT_EQ(rig.orders<AcknowledgeEnd>().size(), 1U);
    EXPECT_EQ(rig.orders<AcknowledgeEnd>()[0].second.job, JobId(id));
}

TEST(Registration, AcknowledgesEndsThatNobodyKnows) {
    ControlRig rig;
    rig.connect(0, {end_report(4711)});
    EXPECT_EQ(rig.orders<AcknowledgeEnd>().size(), 1U);
    EXPECT_TRUE(rig.facts<AttemptEnded>().empty());
}

TEST(Registration, UnderAnotherBootMeansThatWhatRanThereIsDead) {
    ControlRig rig(1);
    rig.connect_all();
    const std::uint32_t id = rig.run({.gpus = 8});
    rig.reboot(0);
    rig.connect(0);
    ASSERT_EQ(rig.facts<AttemptEnded>().size(), 1U);
    EXPECT_TRUE(rig.facts<AttemptEnded>()[0].lost);
    EXPECT_EQ(rig.job(id).restarts, 1U);
    EXPECT_EQ(rig.job(id).attempt, Attempt{2});
    EXPECT_EQ(rig.orders<LaunchAttempt>().at(0).second.attempt, Attempt{2});
}

// The spool survives a reboot: what ended before it is not run again.
TEST(Registration, UnderAnotherBootStillTakesTheSpool) {
    ControlRig rig(1);
    rig.connect_all();
    const std::uint32_t id = rig.run({.gpus = 8});
    rig.reboot(0);
    rig.connect(0, {end_report(id)});
    EXPECT_EQ(rig.job(id).state, JobState::completed);
    EXPECT_EQ(rig.job(id).restarts, 0U);
}

TEST(Registration, EndsForGoodWhatHadStartedAndIsGone) {
    ControlRig rig(1);
    rig.connect_all();
    const std::uint32_t id = rig.run({.gpus = 1});
    rig.lose_link(0);
    rig.connect(0);
    EXPECT_TRUE(rig.orders<LaunchAttempt>().empty()) << "it may have run";
    ASSERT_EQ(rig.orders<EndAttempt>().size(), 1U);
    EXPECT_EQ(rig.job(id).attempt, Attempt{1}) << "nothing is decided before the answer";
    rig.report(0, never_ran(id));
    EXPECT_EQ(rig.job(id).attempt, Attempt{2});
}

TEST(Registration, EndsStraysBeforeTheNodeTakesWork) {
    ControlRig rig(1);
    rig.connect(0, {live_report(4711, 3)});
    ASSERT_EQ(rig.orders<EndAttempt>().size(), 1U);
    EXPECT_EQ(rig.orders<EndAttempt>()[0].second.job, JobId{4711});
    const std::uint32_t id = rig.submit({.gpus = 1});
    EXPECT_EQ(rig.job(id).state, JobState::pending) << "what is there may hold its GPU";
    rig.report(0, end_report(4711, 3));
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_EQ(rig.orders<LaunchAttempt>().size(), 1U);
}

TEST(Registration, RepeatsTheEndOfAStrayUntilItIsGone) {
    ControlRig rig(1);
    rig.connect(0, {live_report(4711, 3)});
    rig.wait(seconds(5));
    EXPECT_EQ(rig.orders<EndAttempt>().size(), 1U);
    rig.report(0, end_report(4711, 3));
    rig.wait(seconds(60));
    EXPECT_TRUE(rig.orders<EndAttempt>().empty());
}

TEST(Registration, ComingTwiceIsWelcomedTwiceAndReconciledOnce) {
    ControlRig rig(1);
    rig.connect(0);
    const AgentInput again = rig.registration(0);
    const std::uint32_t id = rig.run({.gpus = 1});
    rig.turn({again});  // Its inventory is older than the job.
    EXPECT_EQ(rig.orders<Welcome>().size(), 1U);
    EXPECT_TRUE(rig.orders<EndAttempt>().empty());
    EXPECT_TRUE(rig.last.record.facts.empty());
    EXPECT_EQ(rig.job(id).state, JobState::running);
}

TEST(Registration, OvertakenOnItsLinkIsNotHeard) {
    ControlRig rig(1);
    rig.agents[0].link = Link{7};
    rig.agents[0].session = 1;
    const AgentInput first = rig.registration(0);
    rig.agents[0].session = 2;
    rig.turn({rig.registration(0)});
    rig.turn({first});
    EXPECT_TRUE(rig.last.orders.empty());
    EXPECT_TRUE(rig.last.closed.empty()) << "the link is good";
}

// ---- Two agents with one name.

class TwoAgents : public ::testing::Test {
protected:
    TwoAgents() {
        rig.connect(0);
        first = rig.agents[0];
    }
    // Another process registers under the same name over its own link.
    void second_registers() {
        rig.agents[0].instance = "second";
        rig.agents[0].started_at = rig.now;
        rig.agents[0].session = 0;
        rig.connect(0);
    }
    Link second_link() { return rig.agents[0].link; }

    ControlRig rig{1};
    ControlRig::Agent first;
};

TEST_F(TwoAgents, TheSecondIsRefusedWhileTheFirstIsHeard) {
    rig.wait(seconds(59));
    second_registers();
    EXPECT_EQ(rig.last.closed, std::vector{second_link()});
    EXPECT_TRUE(rig.last.orders.empty());
    rig.agents[0] = first;
    rig.submit({.gpus = 1});
    ASSERT_EQ(rig.orders<LaunchAttempt>().size(), 1U);
    EXPECT_EQ(rig.last.orders[0].link, first.link) << "the first still acts, and it alone";
}

TEST_F(TwoAgents, ReportsOfTheRefusedOneAreNotHeard) {
    const std::uint32_t id = rig.run({.gpus = 1});
    second_registers();
    rig.report(0, end_report(id));
    EXPECT_EQ(rig.job(id).state, JobState::running);
}

TEST_F(TwoAgents, TheSecondFollowsWhenTheFirstLosesItsLink) {
    rig.turn({LinkLost{first.link}});
    second_registers();
    EXPECT_TRUE(rig.last.closed.empty());
    EXPECT_EQ(rig.orders<Welcome>().size(), 1U);
}

TEST_F(TwoAgents, TheSecondFollowsWhenTheFirstIsSilentForTwoHeartbeats) {
    rig.wait(seconds(61));
    second_registers();
    EXPECT_EQ(rig.last.closed, std::vector{first.link}) << "the first may not act any more";
    EXPECT_EQ(rig.orders<Welcome>().size(), 1U);
    const ControlRig::Agent second = rig.agents[0];
    rig.agents[0] = first;
    const std::uint32_t id = rig.submit({.gpus = 1});
    EXPECT_EQ(rig.last.orders.at(0).link, second.link);
    rig.report(0, end_report(id));
    EXPECT_EQ(rig.job(id).state, JobState::running) << "the first is not heard any more";
}

TEST_F(TwoAgents, AnAgentThatReconnectsReplacesItself) {
    const Link old = first.link;
    rig.connect(0);
    EXPECT_EQ(rig.last.closed, std::vector{old});
    EXPECT_EQ(rig.orders<Welcome>().size(), 1U);
    rig.turn({LinkLost{old}});  // Reported late.
    rig.submit({.gpus = 1});
    EXPECT_EQ(rig.orders<LaunchAttempt>().size(), 1U) << "the new link is there";
}

TEST_F(TwoAgents, AnOldRegistrationOverAnotherLinkIsRefused) {
    rig.connect(0);
    rig.lose_link(0);
    AgentInput old = rig.registration(0);
    old.link = Link{900};
    old.report.session = std::get<Registration>(old.report.body).session = 1;
    rig.turn({old});
    EXPECT_EQ(rig.last.closed, std::vector{Link{900}});
}

TEST_F(TwoAgents, AnAgentThatLostItsDiskCountsByItsStart) {
    rig.connect(0);
    rig.connect(0);
    rig.lose_link(0);
    second_registers();  // Session 1 again, started later.
    EXPECT_EQ(rig.orders<Welcome>().size(), 1U);
}

// A job that runs again keeps its tombstones, since an old order may still arrive.
TEST(Registration, KeepsTheTombstonesOfJobsThatRunAgain) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint32_t again = rig.run({.gpus = 1});
    rig.report(rig.job(again).nodes.front().value(), never_ran(again));
    ASSERT_EQ(rig.job(again).attempt, Attempt{2});
    rig.connect(1);
    ASSERT_EQ(rig.orders<Welcome>().size(), 1U);
    EXPECT_LE(rig.orders<Welcome>()[0].second.oldest_live_job, JobId(again));
}

// A node reports its tombstones, and learns which of them are no longer needed.
TEST(Registration, ToldOfTombstonesAnswersWhichJobsAreOver) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint32_t running = rig.run({.gpus = 1});
    const std::uint32_t over = rig.run({.gpus = 1});
    rig.report(rig.job(over).nodes.front().value(), end_report(over));
    const std::uint32_t waiting = rig.submit({.nodes = 3, .gpus = 1});
    ++rig.agents[0].session;
    AgentInput input = rig.registration(0);
    auto& registration = std::get<Registration>(input.report.body);
    for (const std::uint32_t id : {running, over, waiting, waiting + 1}) {
        registration.tombstones.emplace_back(id);
    }
    rig.turn({input});
    ASSERT_EQ(rig.orders<Welcome>().size(), 1U);
    EXPECT_EQ(rig.orders<Welcome>()[0].second.over, std::vector{JobId(over)});
}

// Over the same link, as when it has many tombstones: work under way is reconciled again.
TEST(Registration, MayComeAgainOverTheSameLink) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.submit({.gpus = 1});
    ASSERT_EQ(rig.orders<LaunchAttempt>().size(), 1U);
    ++rig.agents[0].session;
    rig.turn({rig.registration(0)});
    EXPECT_TRUE(rig.last.closed.empty());
    ASSERT_EQ(rig.orders<LaunchAttempt>().size(), 1U) << "the first order is stale now";
    EXPECT_EQ(rig.last.orders.back().order.session, rig.agents[0].session);
    EXPECT_EQ(rig.job(id).attempt, Attempt{1});
}

}  // namespace
}  // namespace berth
