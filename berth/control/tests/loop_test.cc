#include "berth/control/core/loop.h"

#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using std::chrono::seconds;

// The loop's ports; each writes down its calls, in one common order.
class Outside : public Inbox,
                public WallClock,
                public Journal,
                public Agents,
                public Clients,
                public Readers {
public:
    std::vector<Input> wait_until(std::optional<Time> deadline) override {
        deadlines.push_back(deadline);
        return std::exchange(inbox, {});
    }
    Time now() override { return wall; }
    Status append(const Record&, const ClusterState&) override {
        heard.push_back("append");
        if (broken) return Error{ErrorCode::unavailable, "the disk is on fire"};
        return Done{};
    }
    Status rest(const ClusterState&) override {
        heard.push_back("rest");
        return Done{};
    }
    bool has_room() override { return true; }
    void send(OutgoingOrder) override { heard.push_back("order"); }
    void close(Link) override { heard.push_back("close"); }
    void answer(OutgoingAnswer) override { heard.push_back("answer"); }
    void publish(const ClusterState&, const Changes&) override { heard.push_back("publish"); }

    World world() { return {*this, *this, *this, *this, *this, *this}; }

    std::vector<Input> inbox;
    std::vector<std::optional<Time>> deadlines;
    std::vector<std::string> heard;
    Time wall = from_seconds(1000);
    bool broken = false;
};

class LoopTest : public ::testing::Test {
protected:
    Loop make() {
        return {Controller(Engine(), testing::make_cluster(1), Epoch{1}, 1), outside.world()};
    }
    // A node that registers and a job that starts on it; an agent of an unknown node.
    std::vector<Input> busy() {
        ControlRig rig(1);
        rig.agents[0].link = Link{1};
        rig.agents[0].session = 1;
        AgentInput stranger = rig.registration(0);
        stranger.node = "stranger";
        stranger.link = Link{2};
        return {
            rig.registration(0), stranger,
            ClientInput{{1}, kAnn, SubmitJob{testing::make_job({.gpus = 1}), {"#!/bin/sh\n", {}}}}};
    }

    Outside outside;
};

TEST_F(LoopTest, AppendsThenPublishesThenTellsThenRests) {
    Loop loop = make();
    outside.inbox = busy();
    ASSERT_TRUE(loop.run_once().ok());
    EXPECT_EQ(outside.heard, (std::vector<std::string>{"append", "publish", "answer", "order",
                                                       "order", "close", "rest"}));
}

TEST_F(LoopTest, SaysNothingToAnyoneWhenTheJournalFails) {
    Loop loop = make();
    outside.inbox = busy();
    outside.broken = true;
    const Status status = loop.run_once();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, "the disk is on fire");
    EXPECT_EQ(outside.heard, std::vector<std::string>{"append"});
}

TEST_F(LoopTest, AppendsNothingWhenNothingHappens) {
    Loop loop = make();
    ASSERT_TRUE(loop.run_once().ok());
    outside.heard.clear();
    ASSERT_TRUE(loop.run_once().ok());
    EXPECT_EQ(outside.heard, (std::vector<std::string>{"publish", "rest"}));
}

TEST_F(LoopTest, TakesOfficeWithoutWaiting) {
    Loop loop = make();
    ASSERT_TRUE(loop.run_once().ok());
    ASSERT_TRUE(outside.deadlines.at(0).has_value());
    EXPECT_LE(*outside.deadlines[0], outside.wall);
    ASSERT_TRUE(loop.run_once().ok());
    EXPECT_FALSE(outside.deadlines.at(1).has_value()) << "no node, no job: nothing is due";
}

TEST_F(LoopTest, WaitsUntilSomethingIsDue) {
    Loop loop = make();
    outside.inbox = busy();
    ASSERT_TRUE(loop.run_once().ok());
    ASSERT_TRUE(loop.run_once().ok());
    EXPECT_EQ(outside.deadlines.at(1), from_seconds(1005)) << "the launch is repeated";
}

// Setting the clock back by an hour must not delay what is due by an hour.
TEST_F(LoopTest, GoesOnAtHalfPaceUntilAClockThatWasSetBackHasCaughtUp) {
    Loop loop = make();
    outside.inbox = busy();
    ASSERT_TRUE(loop.run_once().ok());
    outside.wall = from_seconds(0);
    ASSERT_TRUE(loop.run_once().ok());
    EXPECT_EQ(loop.wake_at(), from_seconds(10)) << "5 seconds, at half pace";
    outside.wall = from_seconds(10);
    outside.heard.clear();
    ASSERT_TRUE(loop.run_once().ok());
    EXPECT_NE(std::ranges::find(outside.heard, "order"), outside.heard.end());
    EXPECT_EQ(loop.controller().now(), from_seconds(1005));
}

TEST(ForwardTime, FollowsAndNeverGoesBack) {
    ForwardTime time(from_seconds(100));
    EXPECT_EQ(time.advance(from_seconds(50)), from_seconds(100));
    EXPECT_EQ(time.advance(from_seconds(60)), from_seconds(105));
    EXPECT_EQ(time.advance(from_seconds(40)), from_seconds(105)) << "set back once more";
    EXPECT_EQ(time.advance(from_seconds(50)), from_seconds(110));
    EXPECT_EQ(time.to_wall(from_seconds(115)), from_seconds(60));
    EXPECT_EQ(time.to_wall(from_seconds(105)), from_seconds(50)) << "that is now";
    EXPECT_EQ(time.to_wall(from_seconds(500)), from_seconds(500)) << "caught up by then";
    EXPECT_EQ(time.advance(from_seconds(300)), from_seconds(300));
    EXPECT_EQ(time.to_wall(from_seconds(301)), from_seconds(301));
}

TEST(ForwardTime, LosesNoHalfMilliseconds) {
    ForwardTime time(Time(Duration(1000)));
    for (int wall = 0; wall <= 100; ++wall) time.advance(Time(Duration(wall)));
    EXPECT_EQ(time.now(), Time(Duration(1050)));
}

}  // namespace
}  // namespace berth
