// Jobs on a node that does not respond, with a fence and without.
#include <gtest/gtest.h>

#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class UnresponsiveNodesTest : public ::testing::Test {
protected:
    // One job on the first node, which then does not respond for longer than the agent timeout. The
    // second node sends heartbeats.
    void begin(const FenceSpec& fence, JobSpec spec = testing::make_job()) {
        ClusterSpec cluster = testing::make_cluster(2);
        cluster.fence = fence;
        rig.emplace(cluster);
        rig->connect_all();
        job = rig->submit(std::move(spec));
        ASSERT_EQ(rig->job(job).nodes.front(), NodeId(0));
        rig->started(0, job);
        fall_silent();
    }
    void fall_silent() {
        rig->lose_link(0);
        pass(minutes(5) + seconds(31));  // The timeout, and the grace time.
    }
    // Returns the fence calls made meanwhile.
    std::vector<FenceCall> pass(Duration time) {
        std::vector<FenceCall> calls;
        for (Duration gone{}; gone < time; gone += seconds(20)) {
            rig->now += std::min<Duration>(seconds(20), time - gone);
            rig->report(1, Heartbeat{});
            calls.insert(calls.end(), rig->last.fences.begin(), rig->last.fences.end());
        }
        seen.insert(seen.end(), calls.begin(), calls.end());
        return calls;
    }
    void answer(const std::string& failure, const std::string& boot = "boot-1") {
        rig->turn({FenceAnswered{.node = "node1", .boot_id = boot, .failure = failure}});
    }
    const NodeCondition& node() const { return rig->state().nodes().condition(NodeId(0)); }
    bool is_lost() const {
        const Job& one = rig->job(job);
        return one.restarts > 0 || one.state == JobState::node_fail;
    }

    std::optional<ControlRig> rig;
    std::uint32_t job = 0;
    std::vector<FenceCall> seen;
};

const FenceSpec kFence{.program = "/sbin/off"};

TEST_F(UnresponsiveNodesTest, KeepTheirJobsWithoutAFence) {
    begin({});
    pass(minutes(30));
    EXPECT_TRUE(seen.empty());
    EXPECT_EQ(rig->job(job).state, JobState::running);
    EXPECT_FALSE(node().responding);
}

TEST_F(UnresponsiveNodesTest, AreFencedOnceAndTheirJobsRunElsewhere) {
    begin(kFence);
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].node, "node1");
    EXPECT_EQ(seen[0].boot_id, "boot-1");
    EXPECT_EQ(seen[0].program, "/sbin/off");
    EXPECT_TRUE(pass(minutes(10)).empty());  // The call is still under way.
    EXPECT_EQ(rig->job(job).state, JobState::running);
    answer("");
    EXPECT_EQ(rig->facts<NodeFenced>().size(), 1U);
    EXPECT_EQ(rig->job(job).restarts, 1U);
    EXPECT_EQ(rig->job(job).nodes.front(), NodeId(1));
    EXPECT_TRUE(pass(hours(1)).empty());  // Nothing is left to prove.
    EXPECT_FALSE(node().responding);
    rig->reboot(0);
    rig->connect(0);
    EXPECT_TRUE(node().schedulable());
}

TEST_F(UnresponsiveNodesTest, WaitWhereTheFenceFailsAndAreTriedAgain) {
    begin(kFence);
    answer("ended with exit code 3");
    EXPECT_EQ(node().fence_failure, "ended with exit code 3");
    EXPECT_FALSE(is_lost());
    EXPECT_EQ(pass(minutes(2)).size(), 1U);
    answer("ended with exit code 3");
    EXPECT_TRUE(rig->facts<NodeFenced>().empty());  // Already recorded.
    rig->connect(0, {live_report(job)});
    EXPECT_EQ(node().fence_failure, "");
    EXPECT_FALSE(is_lost());
}

// After a clock jump or a pause of the controller, no node seems to respond.
TEST_F(UnresponsiveNodesTest, ThatAnswerWhenTheirLinkIsClosedAreNeverFenced) {
    ClusterSpec cluster = testing::make_cluster(2);
    cluster.fence = {.program = "/sbin/off", .presume_dead_after = minutes(10)};
    rig.emplace(cluster);
    rig->connect_all();
    job = rig->submit(testing::make_job());
    rig->started(0, job);
    rig->now += hours(2);
    rig->turn({});
    EXPECT_FALSE(node().responding);
    EXPECT_TRUE(rig->last.fences.empty()) << "it has had no chance to say that it lives";
    EXPECT_FALSE(is_lost());
    rig->now += seconds(10);
    rig->connect(0, {live_report(job)});
    EXPECT_TRUE(pass(minutes(3)).empty());
    EXPECT_FALSE(is_lost());
    rig->report(0, Heartbeat{});
    EXPECT_TRUE(node().responding);
}

// The other nodes wait for a free fence call; some respond meanwhile and are not switched off. The
// controller was busy for longer than the timeout, and the messages of the first node are queued
// behind all those of the second.
TEST(SilentCluster, IsNotSilentWhileItsWordLiesBehindItsNeighbours) {
    for (const bool heard : {true, false}) {
        ControlRig rig(testing::make_cluster(2));
        rig.connect_all();
        rig.now += minutes(6);
        rig.turn(std::vector<Input>(4096, rig.report_of(1, Heartbeat{})));
        EXPECT_TRUE(rig.state().nodes().condition(NodeId(0)).responding);
        rig.report(heard ? 0 : 1, Heartbeat{});
        EXPECT_EQ(rig.state().nodes().condition(NodeId(0)).responding, heard);
        EXPECT_TRUE(rig.state().nodes().condition(NodeId(1)).responding);
    }
}

TEST(SilentCluster, IsFencedAFewNodesAtATime) {
    constexpr std::uint32_t kNodes = 40;
    ClusterSpec cluster = testing::make_cluster(kNodes);
    cluster.fence = kFence;
    ControlRig rig(cluster);
    rig.connect_all();
    for (std::uint32_t i = 0; i < kNodes; ++i) rig.run({.gpus = 8});
    for (std::uint32_t i = 0; i < kNodes; ++i) rig.lose_link(i);
    std::vector<FenceCall> calls;
    const auto pass = [&](Duration time) {
        for (Duration gone{}; gone < time; gone += seconds(20)) {
            rig.now += seconds(20);
            rig.turn({});
            calls.insert(calls.end(), rig.last.fences.begin(), rig.last.fences.end());
        }
    };
    pass(minutes(10));
    ASSERT_EQ(calls.size(), 16U);
    rig.connect(16);
    const FenceCall first = calls.front();
    rig.turn({FenceAnswered{.node = first.node, .boot_id = first.boot_id, .failure = ""}});
    calls.insert(calls.end(), rig.last.fences.begin(), rig.last.fences.end());
    pass(minutes(1));
    ASSERT_EQ(calls.size(), 17U);
    EXPECT_EQ(calls.back().node, "node18") << "the 17th is back";
}

TEST_F(UnresponsiveNodesTest, WithoutJobsAreLeftAlone) {
    begin(kFence);
    answer("");
    rig->reboot(0);
    rig->connect(0);
    fall_silent();
    EXPECT_EQ(seen.size(), 1U);
}

TEST_F(UnresponsiveNodesTest, ThatCameBackInAnotherBootMakeTheAnswerOld) {
    begin(kFence);
    rig->reboot(0);
    rig->connect(0);
    const std::uint32_t restarts = rig->job(job).restarts;
    EXPECT_EQ(restarts, 1U);
    answer("");
    EXPECT_EQ(rig->job(job).restarts, restarts);
    EXPECT_TRUE(node().responding);
}

TEST_F(UnresponsiveNodesTest, ThatSpokeAgainBeforeTheyFellAreDeadAllTheSame) {
    begin(kFence);
    rig->connect(0, {live_report(job)});
    EXPECT_TRUE(node().responding);
    answer("");
    EXPECT_FALSE(node().responding);
    EXPECT_TRUE(is_lost());
    EXPECT_EQ(rig->last.closed.size(), 1U);
}

TEST_F(UnresponsiveNodesTest, ThatOutliveTheirFenceAreDrainedAndWhatTheyRunIsEnded) {
    begin(kFence);
    answer("");
    rig->connect(0, {live_report(job)});
    EXPECT_TRUE(node().drained);
    EXPECT_EQ(node().reason, "Fence reported it dead, and it was not");
    const auto ends = rig->orders<EndAttempt>();
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(ends[0].second.attempt, Attempt(1));
}

TEST_F(UnresponsiveNodesTest, AreFencedByTheNextControllerToo) {
    begin(kFence);
    rig->restart();
    rig->connect(1);
    EXPECT_TRUE(pass(minutes(4)).empty());  // Its agent may only be slow to connect.
    EXPECT_EQ(pass(minutes(2)).size(), 1U);
    EXPECT_FALSE(is_lost());
}

TEST_F(UnresponsiveNodesTest, ArePresumedDeadWhereTheSiteWantsItSo) {
    begin({.presume_dead_after = hours(1)});
    pass(minutes(50));
    EXPECT_FALSE(is_lost());
    pass(minutes(6));
    EXPECT_TRUE(is_lost());
    rig->connect(0, {live_report(job)});  // It ran all the time: it is ended first.
    EXPECT_FALSE(node().schedulable());
    EXPECT_EQ(rig->orders<EndAttempt>().size(), 1U);
    rig->report(0, end_report(job));
    EXPECT_TRUE(node().schedulable());
}

TEST_F(UnresponsiveNodesTest, ArePresumedDeadForAJobThatWantsItSo) {
    JobSpec spec = testing::make_job();
    spec.presume_dead = true;
    begin({}, spec);
    EXPECT_TRUE(is_lost());
}

}  // namespace
}  // namespace berth
