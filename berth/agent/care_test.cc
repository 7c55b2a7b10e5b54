// What an agent does for its node besides jobs: GPU faults and the site's own programs.
#include "berth/agent/agent_rig.h"

namespace berth {
namespace {

GpuFault xid(std::int64_t code) { return {.gpu = 2, .kind = GpuFaultKind::xid, .code = code}; }

TEST(Faults, AreNumberedAndToldAtOnceAndWithEveryRegistration) {
    AgentRig rig;
    rig.welcome();
    rig.feed({FaultsSeen{{xid(63)}}});
    rig.feed({FaultsSeen{{xid(79), xid(79)}}});
    const auto told = rig.reported<GpusFaulted>();
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].faults.at(0).number, 1U);
    EXPECT_EQ(told[1].faults.at(1).number, 3U);
    rig.link_up();
    ASSERT_EQ(rig.registration.faults.size(), 3U);
    EXPECT_EQ(rig.registration.faults[1].number, 2U);
}

TEST(Faults, OfTheTimeWithoutALinkComeWithTheRegistration) {
    AgentRig rig;
    rig.feed({FaultsSeen{{xid(79)}}});
    EXPECT_TRUE(rig.reports.empty());
    rig.link_up();
    EXPECT_EQ(rig.registration.faults.size(), 1U);
}

TEST(Faults, AreNotKeptWithoutEnd) {
    AgentRig rig;
    for (int i = 0; i < 1000; ++i) rig.feed({FaultsSeen{{xid(i)}}});
    rig.link_up();
    ASSERT_EQ(rig.registration.faults.size(), 256U);
    EXPECT_EQ(rig.registration.faults.back().number, 1000U);
}

TEST(NodePrograms, RunOnceAtATimeAndTellHowTheyEnded) {
    AgentRig rig;
    rig.welcome();
    const RunNodeProgram check{NodeProgram::health_check, "/sbin/check", std::chrono::seconds(60)};
    rig.order(check);
    rig.order(check);
    rig.order(RunNodeProgram{.program = NodeProgram::reboot, .path = "/sbin/reboot"});
    ASSERT_EQ(rig.acted<StartNodeProgram>().size(), 2U);
    EXPECT_EQ(rig.acted<StartNodeProgram>()[0].program, check);
    rig.feed({NodeProgramExited{NodeProgram::health_check, "ended with exit code 1"}});
    ASSERT_EQ(rig.reported<NodeProgramEnded>().size(), 1U);
    EXPECT_EQ(rig.reported<NodeProgramEnded>()[0].failure, "ended with exit code 1");
    rig.order(check);
    EXPECT_EQ(rig.acted<StartNodeProgram>().size(), 3U);
}

TEST(Usage, IsMeasuredWhileSomethingRunsAndAsOftenAsTheControllerWants) {
    AgentRig rig;
    rig.link_up();
    Welcome welcome;
    welcome.heartbeat = std::chrono::seconds(600);
    welcome.sampling = std::chrono::seconds(30);
    rig.order(welcome);
    rig.wait(std::chrono::minutes(5));
    EXPECT_TRUE(rig.acted<MeasureRuns>().empty());
    rig.run(launch_of(7, 1));
    rig.forget_past();
    for (int i = 0; i < 12; ++i) rig.wait(std::chrono::seconds(10));
    EXPECT_EQ(rig.acted<MeasureRuns>().size(), 4U);
    ASSERT_TRUE(rig.wake_at);
    EXPECT_LE(*rig.wake_at, rig.now + std::chrono::seconds(30));
    const StepUsage usage{JobId(7), Attempt(1), kBatchStep, {.rss = mib(3)}};
    rig.feed({UsageRead{{usage}}});
    ASSERT_EQ(rig.reported<UsageSampled>().size(), 1U);
    EXPECT_EQ(rig.reported<UsageSampled>()[0].runs, std::vector{usage});
}

TEST(Usage, OfAScriptComesWithItsEndAndOutlivesTheAgent) {
    AgentRig rig;
    rig.welcome();
    rig.run(launch_of(7, 1));
    const RunUsage used{.user = Duration(900), .rss_max = mib(5), .tasks = 1};
    rig.feed({RunExited{{JobId(7), Attempt(1), kBatchStep}, {}, false, used}});
    rig.start("boot-1");
    rig.feed({RunEmpty{{JobId(7), Attempt(1), kExternStep}}});
    rig.link_up();
    ASSERT_EQ(rig.registration.attempts.size(), 1U);
    EXPECT_EQ(rig.registration.attempts[0].usage, used);
}

}  // namespace
}  // namespace berth
