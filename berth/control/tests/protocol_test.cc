// The protocol within a session: a message that is lost does no harm, nor does one that arrives
// twice, and silence proves nothing.
#include "berth/control/tests/control_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using std::chrono::seconds;

TEST(Protocol, RepeatsALaunchLessAndLessOftenUntilItsStartIsReported) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.submit({.gpus = 1});
    std::vector<int> launched_at;
    for (int second = 1; second <= 200; ++second) {
        rig.now += seconds(1);
        rig.report(0, Heartbeat{});
        for (const auto& [node, launch] : rig.orders<LaunchAttempt>()) {
            EXPECT_EQ(launch.attempt, Attempt{1});
            launched_at.push_back(second);
        }
    }
    EXPECT_EQ(launched_at, (std::vector{5, 15, 35, 75, 135, 195}));
    rig.started(0, id);
    rig.wait(seconds(100));
    EXPECT_TRUE(rig.orders<LaunchAttempt>().empty());
}

TEST(Protocol, IgnoresReportsOfAnotherSessionOrBoot) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.run({.gpus = 1});
    AgentInput other_session = rig.report_of(0, end_report(id));
    other_session.report.session += 1;
    rig.turn({other_session});
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_TRUE(rig.last.orders.empty());
    AgentInput other_boot = rig.report_of(0, end_report(id));
    other_boot.report.boot_id = "boot-0";
    rig.turn({other_boot});
    EXPECT_EQ(rig.job(id).state, JobState::running);
    AgentInput other_link = rig.report_of(0, end_report(id));
    other_link.link = Link{99};
    rig.turn({other_link});
    EXPECT_EQ(rig.job(id).state, JobState::running);
}

TEST(Protocol, AScriptWhoseFilesCouldNotBeOpenedFailsItsJobAndIsNotTriedAgain) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.run({.gpus = 1});
    AttemptReport report = end_report(id, 1, kNoFilesExit);
    report.failure = "Could not open stdout file /nosuch/out: No such file or directory";
    rig.report(0, report);
    ASSERT_EQ(rig.facts<AttemptEnded>().size(), 1U);
    EXPECT_FALSE(rig.facts<AttemptEnded>()[0].lost);
    EXPECT_EQ(rig.job(id).state, JobState::failed);
    EXPECT_EQ(rig.job(id).state_reason, report.failure);
}

TEST(Protocol, RecordsAnEndOnceAndAcknowledgesItEachTime) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.run({.gpus = 1});
    for (int times = 0; times < 3; ++times) {
        rig.report(0, end_report(id));
        EXPECT_EQ(rig.facts<AttemptEnded>().size(), times == 0 ? 1U : 0U);
        EXPECT_EQ(rig.orders<AcknowledgeEnd>().size(), 1U);
    }
    EXPECT_EQ(rig.job(id).state, JobState::completed);
}

TEST(Protocol, TakesTwoReportsOfOneEndInOneTurn) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.run({.gpus = 1});
    rig.turn({rig.report_of(0, end_report(id)), rig.report_of(0, end_report(id))});
    EXPECT_EQ(rig.facts<AttemptEnded>().size(), 1U);
    EXPECT_EQ(rig.orders<AcknowledgeEnd>().size(), 2U);
}

TEST(Protocol, TakesAnEndThatOvertookItsStart) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.submit({.gpus = 1});
    rig.report(0, end_report(id));
    EXPECT_EQ(rig.job(id).state, JobState::completed);
    rig.started(0, id);  // Late: according to the state it should not be there.
    ASSERT_EQ(rig.orders<EndAttempt>().size(), 1U);
    rig.report(0, never_ran(id));
    EXPECT_EQ(rig.job(id).state, JobState::completed);
    rig.wait(seconds(60));
    EXPECT_TRUE(rig.orders<EndAttempt>().empty());
}

TEST(Protocol, IgnoresTheEndOfAnEarlierAttempt) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.run({.gpus = 1});
    rig.reboot(0);
    rig.connect(0);
    ASSERT_EQ(rig.job(id).attempt, Attempt{2});
    rig.report(0, end_report(id, 1));
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_EQ(rig.orders<AcknowledgeEnd>().at(0).second.attempt, Attempt{1});
}

TEST(Protocol, LaunchesAGangOnAllItsNodesAtOnce) {
    ControlRig rig(3);
    rig.connect_all();
    const std::uint32_t id = rig.submit({.nodes = 3, .gpus = 8});
    const auto launches = rig.orders<LaunchAttempt>();
    ASSERT_EQ(launches.size(), 3U);
    for (const auto& [node, launch] : launches) {
        EXPECT_EQ(launch.batch_host, node == rig.job(id).nodes.at(0).value());
        EXPECT_EQ(launch.shares.size(), 3U);
        EXPECT_EQ(launch.node_names.size(), 3U);
        EXPECT_EQ(launch.share.node, NodeId(node));
    }
}

TEST(Protocol, EndsTheWholeGangWhenItsScriptEnds) {
    ControlRig rig(3);
    rig.connect_all();
    const std::uint32_t id = rig.run({.nodes = 3, .gpus = 8});
    rig.report(0, end_report(id));
    EXPECT_EQ(rig.job(id).state, JobState::completing);
    EXPECT_EQ(rig.orders<EndAttempt>().size(), 2U);
    rig.report(1, end_report(id, 1, std::nullopt));
    EXPECT_EQ(rig.job(id).state, JobState::completing);
    EXPECT_EQ(rig.state().nodes().free(NodeId(2)).devices, 0U)
        << "a GPU is free when its node says so";
    rig.report(2, end_report(id, 1, std::nullopt));
    EXPECT_EQ(rig.job(id).state, JobState::completed);
}

TEST(Protocol, EndsTheWholeGangWhenOneNodeCannotLaunchIt) {
    ControlRig rig(3);
    rig.connect_all();
    const std::uint32_t id = rig.submit({.nodes = 3, .gpus = 8});
    AttemptReport failed = never_ran(id);
    failed.failure = "no space left on device";
    rig.report(1, failed);
    EXPECT_EQ(rig.job(id).state, JobState::completing);
    EXPECT_EQ(rig.orders<EndAttempt>().size(), 2U);
    rig.report(0, end_report(id, 1, std::nullopt));
    rig.report(2, never_ran(id));
    EXPECT_EQ(rig.job(id).state, JobState::pending);
    EXPECT_EQ(rig.job(id).hold, Hold::admin) << "requeued held, as in Slurm";
    EXPECT_EQ(rig.job(id).state_reason, "launch failed requeued held");
}

AttemptReport failed_prolog(std::uint32_t job) {
    AttemptReport failed = end_report(job, 1, std::nullopt);
    failed.failure = "the prolog ended with exit code 2";
    failed.failed_hook = Hook::prolog;
    failed.hook_failure = "prolog ended with exit code 2";
    return failed;
}

TEST(Protocol, DrainsTheNodeAndHoldsTheJobWhenThePrologFails) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.submit({.gpus = 1});
    rig.report(0, failed_prolog(id));
    EXPECT_TRUE(rig.state().nodes().condition(NodeId(0)).drained);
    EXPECT_EQ(rig.state().nodes().condition(NodeId(0)).reason, "Prolog error");
    EXPECT_EQ(rig.job(id).state, JobState::pending);
    EXPECT_EQ(rig.job(id).hold, Hold::admin);
    rig.report(0, failed_prolog(id));
    EXPECT_EQ(rig.facts<NodeUpdated>().size(), 0U) << "told twice";
}

TEST(Protocol, RequeuesWithoutAHoldWhereTheSiteSaysSo) {
    ClusterSpec spec = testing::make_cluster(1);
    spec.hooks.hold_on_failure = false;
    ControlRig rig(spec);
    rig.connect(0);
    const std::uint32_t id = rig.submit({.gpus = 1});
    rig.report(0, failed_prolog(id));
    EXPECT_EQ(rig.job(id).state, JobState::pending);
    EXPECT_EQ(rig.job(id).hold, Hold::none);
    EXPECT_TRUE(rig.state().nodes().condition(NodeId(0)).drained);
}

TEST(Protocol, AFailedEpilogDrainsTheNodeAndLeavesTheJobAsItEnded) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.run({.gpus = 1});
    AttemptReport end = end_report(id);
    end.failed_hook = Hook::epilog;
    end.hook_failure = "epilog ended with exit code 1";
    rig.report(0, end);
    EXPECT_EQ(rig.job(id).state, JobState::completed);
    EXPECT_EQ(rig.state().nodes().condition(NodeId(0)).reason, "Epilog error");
}

TEST(Protocol, DoesNotHoldAJobForWhatWentWrongAfterItsStart) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.run({.gpus = 1});
    AttemptReport lost = end_report(id, 1, std::nullopt);
    lost.failure = "its script is gone and left no exit record";
    rig.report(0, lost);
    EXPECT_EQ(rig.job(id).attempt, Attempt{2});
    EXPECT_EQ(rig.job(id).hold, Hold::none);
}

TEST(Protocol, EndsTheWholeGangWhenOneNodeIsReborn) {
    ControlRig rig(3);
    rig.connect_all();
    const std::uint32_t id = rig.run({.nodes = 3, .gpus = 8});
    rig.reboot(2);
    rig.connect(2);
    EXPECT_EQ(rig.job(id).state, JobState::completing);
    EXPECT_EQ(rig.orders<EndAttempt>().size(), 2U);
    rig.report(0, end_report(id, 1, ExitStatus{0, 15}));
    rig.report(1, end_report(id, 1, std::nullopt));
    EXPECT_EQ(rig.job(id).attempt, Attempt{2});
    EXPECT_EQ(rig.orders<LaunchAttempt>().size(), 3U);
}

TEST(Protocol, RepeatsAnEndUntilItIsReported) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.run({.gpus = 1});
    rig.ask(kAnn, CancelJob{.job = {JobId(id), {}}});
    ASSERT_EQ(rig.orders<EndAttempt>().size(), 1U);
    EXPECT_EQ(rig.orders<EndAttempt>()[0].second.signal, 15);
    ASSERT_TRUE(rig.last.wake_at.has_value());
    EXPECT_LE(*rig.last.wake_at, rig.now + seconds(5));
    rig.wait(seconds(4));
    EXPECT_TRUE(rig.orders<EndAttempt>().empty());
    rig.wait(seconds(1));
    EXPECT_EQ(rig.orders<EndAttempt>().size(), 1U);
    rig.wait(seconds(5));
    EXPECT_TRUE(rig.orders<EndAttempt>().empty()) << "less and less often";
    rig.wait(seconds(5));
    EXPECT_EQ(rig.orders<EndAttempt>().size(), 1U);
    rig.report(0, end_report(id, 1, ExitStatus{0, 15}));
    EXPECT_EQ(rig.job(id).state, JobState::cancelled);
    rig.wait(seconds(60));
    EXPECT_TRUE(rig.orders<EndAttempt>().empty());
}

TEST(Protocol, DoesNotFreeWhatHasNotBeenReportedClean) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.run({.gpus = 8});
    const std::uint32_t next = rig.submit({.gpus = 8});
    rig.ask(kAnn, CancelJob{.job = {JobId(id), {}}});
    rig.wait(seconds(250));
    EXPECT_EQ(rig.job(next).state, JobState::pending);
    rig.report(0, end_report(id, 1, ExitStatus{0, 9}));
    EXPECT_EQ(rig.job(next).state, JobState::running);
}

TEST(Protocol, SilenceMakesANodeUnschedulableAndNothingElse) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = rig.run({.gpus = 4});
    const Link link = rig.agents[0].link;
    rig.wait(seconds(299));
    EXPECT_TRUE(rig.state().nodes().condition(NodeId(0)).responding);
    rig.wait(seconds(1));
    EXPECT_FALSE(rig.state().nodes().condition(NodeId(0)).responding);
    EXPECT_EQ(rig.last.closed, std::vector{link}) << "the way back is a registration";
    EXPECT_EQ(rig.job(id).state, JobState::running);
    const std::uint32_t next = rig.submit({.gpus = 4});
    EXPECT_EQ(rig.job(next).state, JobState::pending);
    rig.wait(std::chrono::minutes(30));
    EXPECT_EQ(rig.job(id).state, JobState::running) << "no timer requeues it";
    rig.connect(0, {live_report(id)});
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_EQ(rig.job(next).state, JobState::running);
}

TEST(Protocol, HeartbeatsKeepANodeAndAreNotRecorded) {
    ControlRig rig(1);
    rig.connect(0);
    for (int i = 0; i < 40; ++i) {
        rig.wait(seconds(30));
        rig.report(0, Heartbeat{});
        EXPECT_TRUE(rig.last.record.facts.empty());
    }
    EXPECT_TRUE(rig.state().nodes().condition(NodeId(0)).responding);
}

TEST(Protocol, ALostLinkStartsNoAlarmButTakesNoOrders) {
    ControlRig rig(1);
    rig.connect(0);
    rig.lose_link(0);
    EXPECT_TRUE(rig.state().nodes().condition(NodeId(0)).responding);
    const std::uint32_t id = rig.submit({.gpus = 1});
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_TRUE(rig.last.orders.empty());
    rig.connect(0);
    EXPECT_EQ(rig.orders<LaunchAttempt>().size(), 1U);
    rig.lose_link(0);
    rig.wait(seconds(300));
    EXPECT_FALSE(rig.state().nodes().condition(NodeId(0)).responding);
}

TEST(Protocol, TimeLimitsEndTheJobOnItsNodes) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint32_t id = rig.run({.nodes = 2, .limit = std::chrono::minutes(1)});
    rig.wait(seconds(61));
    EXPECT_EQ(rig.job(id).outcome, JobState::timeout);
    ASSERT_EQ(rig.orders<EndAttempt>().size(), 2U);
    EXPECT_EQ(rig.orders<EndAttempt>()[0].second.kill_wait,
              rig.state().spec().scheduling.kill_wait);
}

// The reports of one run in any order and number lead to the same end.
TEST(Protocol, ComesToTheSameEndHoweverReportsAreShuffled) {
    testing::for_each_seed(200, [](Rng& rng) {
        ControlRig rig(2);
        rig.connect_all();
        const std::uint32_t id = rig.submit({.nodes = 2, .gpus = 8});
        std::vector<AgentInput> reports = {
            rig.report_of(0, AttemptStarted{JobId(id), Attempt{1}}),
            rig.report_of(1, AttemptStarted{JobId(id), Attempt{1}}),
            rig.report_of(0, end_report(id)),
            rig.report_of(1, end_report(id, 1, std::nullopt)),
        };
        // The script's end decides, so it comes before the other.
        for (int i = 0; i < 12; ++i) {
            if (i == 6) rig.turn({reports[2]});
            const auto pick = static_cast<std::size_t>(rng.between(0, i < 6 ? 1 : 3));
            rig.turn({reports[pick]});
        }
        rig.turn({reports[3]});
        EXPECT_EQ(rig.job(id).state, JobState::completed);
        EXPECT_EQ(rig.job(id).attempt, Attempt{1});
    });
}

bool is_done_by_itself(JobState state) {
    return state == JobState::completed || state == JobState::failed;
}

// The agent was suspended when the time limit passed: what the script did counts, not when it was
// learned.
TEST(Protocol, AScriptThatEndedBeforeItsLimitIsNoTimeoutHoweverLateThatIsHeard) {
    struct Case {
        std::optional<Duration> ended_after;
        ExitStatus exit;
        JobState state;
    };
    const Case cases[] = {
        {std::chrono::minutes(5), {}, JobState::completed},
        {std::chrono::minutes(5), {3, 0}, JobState::failed},
        {std::chrono::minutes(61), {}, JobState::timeout},  // By itself, but after its time limit.
        {std::nullopt, {}, JobState::timeout},              // Ordered to end, it exited with 0.
    };
    for (const Case& one : cases) {
        ControlRig rig(1);
        rig.connect_all();
        const std::uint32_t id = rig.run();
        const Time began = rig.now;
        rig.wait(std::chrono::hours(1));
        ASSERT_EQ(rig.job(id).state, JobState::completing);
        ASSERT_EQ(rig.job(id).outcome, JobState::timeout);
        rig.now += std::chrono::minutes(30);
        AttemptReport end = end_report(id, 1, one.exit);
        if (one.ended_after) end.ended_at = began + *one.ended_after;
        rig.connect(0, {end});  // After so long a silence it registers again.
        const Job& job = rig.job(id);
        EXPECT_EQ(job.state, one.state);
        EXPECT_EQ(job.ended_at, is_done_by_itself(one.state) ? began + *one.ended_after
                                                             : began + std::chrono::hours(1));
        EXPECT_EQ(job.exit, is_done_by_itself(one.state) ? one.exit : ExitStatus{});
        // squeue shows it for as long as if it had just ended.
        rig.wait(rig.state().spec().scheduling.min_job_age - seconds(1));
        EXPECT_TRUE(rig.knows(id));
        rig.wait(seconds(1));
        EXPECT_FALSE(rig.knows(id));
    }
}

}  // namespace
}  // namespace berth
