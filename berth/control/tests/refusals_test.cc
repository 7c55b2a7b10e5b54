// Nodes that fail to begin a job: what happens to the job and to the node.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

AttemptReport refusal(const ControlRig& rig, std::uint32_t job, NotBegun why) {
    AttemptReport report = never_ran(job, rig.job(job).attempt.value());
    report.failure = why == NotBegun::for_node ? "cannot make the folder: No space left on device"
                                               : "uid 1000 is not known on this node";
    report.not_begun = why;
    return report;
}

void refuse(ControlRig& rig, std::uint32_t job, NotBegun why = NotBegun::for_node) {
    rig.report(rig.node_of(job), refusal(rig, job, why));
}

TEST(Refusals, AJobGoesElsewhereUnpunishedWhenANodeLacksWhatEveryJobNeeds) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint32_t id = rig.submit({.gpus = 1});
    const std::uint32_t first = rig.node_of(id);
    refuse(rig, id);
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_EQ(rig.job(id).hold, Hold::none);
    EXPECT_EQ(rig.job(id).attempt, Attempt{2});
    EXPECT_NE(rig.node_of(id), first);
    EXPECT_EQ(rig.orders<LaunchAttempt>().size(), 1U);
    EXPECT_FALSE(rig.state().nodes().condition(NodeId(first)).drained)
        << "one job may be an odd one";
}

// What the user sees: the job's excluded nodes and its restarts.
TEST(Refusals, ShowNeitherAsExcludedNodesNorAsRestarts) {
    for (const NotBegun why : {NotBegun::for_node, NotBegun::for_job}) {
        ControlRig rig(4);
        rig.connect_all();
        JobSpec spec = testing::make_job({.gpus = 1});
        spec.request.edit().exclude = {std::vector<std::string>{rig.name(3)}};
        const std::uint32_t id = rig.submit(std::move(spec));
        refuse(rig, id, why);
        refuse(rig, id, why);
        ASSERT_EQ(rig.job(id).attempt, Attempt{3});
        EXPECT_EQ(rig.job(id).restarts, 0U);
        const std::vector<std::string> asked{rig.name(3)};
        EXPECT_EQ(std::vector<std::string>(rig.job(id).spec.request->exclude), asked);
        EXPECT_EQ(rig.orders<LaunchAttempt>().at(0).second.restarts, 0U);
        rig.started(rig.node_of(id), id, 3);
        EXPECT_TRUE(rig.job(id).spec.request->refused_by.empty());
        rig.ask(kRoot, RequeueJob{.job = {JobId(id), {}}});
        rig.report(rig.node_of(id), end_report(id, 3));
        EXPECT_EQ(rig.job(id).restarts, 1U) << "this one began";
    }
}

// The job waits for another node, although one that has refused it is free.
TEST(Refusals, AreRememberedWhileTheJobWaits) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint32_t id = rig.submit({.gpus = 8});
    const std::uint32_t refusing = rig.node_of(id), other = 1 - refusing;
    const std::uint32_t long_one = rig.run({.gpus = 8});
    ASSERT_EQ(rig.node_of(long_one), other);
    refuse(rig, id);
    EXPECT_EQ(rig.job(id).state, JobState::pending);
    EXPECT_EQ(std::vector<std::string>(rig.job(id).spec.request->refused_by),
              std::vector{rig.name(refusing)});
    rig.restart();
    rig.connect_all();
    EXPECT_EQ(rig.job(id).state, JobState::pending);
}

TEST(Refusals, AJobThatMayNotBeRequeuedIsAllTheSameSinceItNeverBegan) {
    ControlRig rig(2);
    rig.connect_all();
    JobSpec spec = testing::make_job({.gpus = 1});
    spec.requeue = false;
    const std::uint32_t id = rig.submit(std::move(spec));
    refuse(rig, id);
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_EQ(rig.job(id).attempt, Attempt{2});
}

// The node was ordered to kill the job, perhaps before it had begun.
TEST(Refusals, JobsThatWereCancelledFirstCountAgainstNoNode) {
    ControlRig rig(1);
    rig.connect(0);
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t id = rig.submit({.gpus = 1});
        rig.ask(kRoot, CancelJob{.job = {JobId(id), {}}});
        rig.report(0, refusal(rig, id, NotBegun::for_node));
        EXPECT_EQ(rig.job(id).state, JobState::cancelled);
    }
    EXPECT_FALSE(rig.state().nodes().condition(NodeId(0)).drained);
}

TEST(Refusals, ThreeDifferentJobsDrainTheNodeWithTheReason) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t first = rig.submit({.gpus = 1});
    for (int i = 0; i < 4; ++i) {  // No other node can run it: it waits, and is tried again.
        ASSERT_EQ(rig.job(first).state, JobState::running) << i;
        refuse(rig, first);
        EXPECT_EQ(rig.job(first).state, JobState::pending) << "not at once";
        EXPECT_EQ(rig.job(first).hold, Hold::none);
        rig.wait(std::chrono::seconds(10));
    }
    EXPECT_FALSE(rig.state().nodes().condition(NodeId(0)).drained) << "one job alone does not";
    const std::uint32_t second = rig.submit({.gpus = 1}), third = rig.submit({.gpus = 1});
    refuse(rig, second);
    EXPECT_FALSE(rig.state().nodes().condition(NodeId(0)).drained);
    refuse(rig, third);
    EXPECT_TRUE(rig.state().nodes().condition(NodeId(0)).drained);
    EXPECT_EQ(rig.state().nodes().condition(NodeId(0)).reason,
              "Cannot start jobs: cannot make the folder: No space left on device");
    EXPECT_EQ(rig.job(second).hold, Hold::none);
    EXPECT_EQ(rig.job(third).hold, Hold::none);
}

TEST(Refusals, AJobThatBeginsShowsThatTheNodeIsWell) {
    ControlRig rig(1);
    rig.connect(0);
    std::vector<std::uint32_t> jobs;
    jobs.reserve(2);
    for (int i = 0; i < 2; ++i) jobs.push_back(rig.submit({.gpus = 1}));
    for (const std::uint32_t job : jobs) refuse(rig, job);
    rig.run({.gpus = 1});
    refuse(rig, rig.submit({.gpus = 1}));
    EXPECT_FALSE(rig.state().nodes().condition(NodeId(0)).drained);
}

TEST(Refusals, AJobIsHeldOnlyAfterThreeNodesRefusedItForItself) {
    ControlRig rig(4);
    rig.connect_all();
    const std::uint32_t id = rig.submit({.gpus = 1});
    std::set<std::uint32_t> tried;
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(rig.job(id).state, JobState::running) << i;
        EXPECT_TRUE(tried.insert(rig.node_of(id)).second) << "the same node again";
        refuse(rig, id, NotBegun::for_job);
    }
    EXPECT_EQ(rig.job(id).state, JobState::pending);
    EXPECT_EQ(rig.job(id).hold, Hold::admin);
    EXPECT_EQ(rig.job(id).state_reason, "launch failed requeued held");
    EXPECT_TRUE(rig.job(id).spec.request->refused_by.empty()) << "it may be released";
    for (const std::uint32_t node : tried) {
        EXPECT_FALSE(rig.state().nodes().condition(NodeId(node)).drained);
    }
}

TEST(Refusals, AJobIsHeldAtOnceWhereNoOtherNodeCouldRunIt) {
    ControlRig rig(2);
    rig.connect_all();
    JobSpec spec = testing::make_job({.gpus = 1});
    spec.request.edit().nodelist = {std::vector<std::string>{rig.name(1)}};
    const std::uint32_t id = rig.submit(std::move(spec));
    refuse(rig, id, NotBegun::for_job);
    EXPECT_EQ(rig.job(id).state, JobState::pending);
    EXPECT_EQ(rig.job(id).hold, Hold::admin);
    EXPECT_EQ(rig.job(id).state_reason, "launch failed requeued held");
}

TEST(Refusals, AGangGoesElsewhereOnceItIsGoneEverywhere) {
    ControlRig rig(3);
    rig.connect_all();
    const std::uint32_t id = rig.submit({.nodes = 2, .gpus = 8});
    const std::vector<NodeId> nodes = rig.job(id).nodes;
    rig.started(nodes[0].value(), id);
    rig.report(nodes[1].value(), refusal(rig, id, NotBegun::for_node));
    EXPECT_EQ(rig.job(id).state, JobState::completing);
    rig.report(nodes[0].value(), end_report(id, 1, std::nullopt));
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_EQ(rig.job(id).hold, Hold::none);
    for (const NodeId node : std::vector<NodeId>(rig.job(id).nodes)) EXPECT_NE(node, nodes[1]);
    EXPECT_EQ(rig.job(id).restarts, 1U) << "its script may have begun on its first node";
}

// The script of a gang runs on its first node; it may have run there.
TEST(Refusals, AGangThatMayNotBeRequeuedFailsWhenItsScriptMayHaveBegun) {
    ControlRig rig(3);
    rig.connect_all();
    JobSpec spec = testing::make_job({.nodes = 2, .gpus = 8});
    spec.requeue = false;
    const std::uint32_t id = rig.submit(std::move(spec));
    const std::vector<NodeId> nodes = rig.job(id).nodes;
    rig.started(nodes[0].value(), id);
    rig.report(nodes[1].value(), refusal(rig, id, NotBegun::for_node));
    rig.report(nodes[0].value(), end_report(id, 1, std::nullopt));
    EXPECT_EQ(rig.job(id).state, JobState::node_fail);
}

// Its other node begins it each time, which does not clear those that refused it.
TEST(Refusals, AGangIsNotTriedForEverWhereOnlyItsFirstNodeBeginsIt) {
    ControlRig rig(3);
    rig.connect_all();
    const std::uint32_t id = rig.submit({.nodes = 2, .gpus = 8});
    for (std::uint32_t attempt = 1; attempt <= 2; ++attempt) {
        ASSERT_EQ(rig.job(id).attempt, Attempt(attempt));
        const std::vector<NodeId> nodes = rig.job(id).nodes;
        rig.started(nodes[0].value(), id, attempt);
        rig.report(nodes[1].value(), refusal(rig, id, NotBegun::for_job));
        rig.report(nodes[0].value(), end_report(id, attempt, std::nullopt));
    }
    EXPECT_EQ(rig.job(id).state, JobState::pending);
    EXPECT_EQ(rig.job(id).hold, Hold::admin) << "the nodes left are too few";
}

TEST(Refusals, AStartElsewhereThatIsReportedLateLeavesTheRefusalAsItIs) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint32_t id = rig.submit({.nodes = 2, .gpus = 8});
    const std::vector<NodeId> nodes = rig.job(id).nodes;
    rig.report(nodes[1].value(), refusal(rig, id, NotBegun::for_node));
    rig.started(nodes[0].value(), id);
    rig.report(nodes[0].value(), end_report(id, 1, std::nullopt));
    EXPECT_EQ(rig.job(id).state, JobState::pending);
    rig.wait(std::chrono::seconds(10));
    EXPECT_EQ(rig.job(id).state, JobState::running) << "no other node could run it";
}

TEST(Refusals, AreKnownToANewControllerUntilTheJobHasEndedEverywhere) {
    for (const NotBegun why : {NotBegun::for_node, NotBegun::for_job}) {
        ControlRig rig(2);
        rig.connect_all();
        const std::uint32_t id = rig.submit({.nodes = 2, .gpus = 8});
        const std::vector<NodeId> nodes = rig.job(id).nodes;
        rig.report(nodes[1].value(), refusal(rig, id, why));
        rig.restart();
        rig.connect(nodes[0].value(), {live_report(id)});
        rig.connect(nodes[1].value());
        rig.report(nodes[0].value(), end_report(id, 1, std::nullopt));
        EXPECT_EQ(rig.job(id).state, JobState::pending);
        EXPECT_TRUE(rig.job(id).spec.request->refused_by.empty()) << "no other node could run it";
        rig.wait(std::chrono::seconds(10));
        const bool held = why == NotBegun::for_job;
        EXPECT_EQ(rig.job(id).state, held ? JobState::pending : JobState::running);
        EXPECT_EQ(rig.job(id).hold, held ? Hold::admin : Hold::none);
    }
}

// Something of it may have run on the node, so it is not tried on another by itself.
TEST(Refusals, AJobThatMayHaveBegunIsHeldAtOnce) {
    for (const bool requeue : {true, false}) {
        ControlRig rig(3);
        rig.connect_all();
        JobSpec spec = testing::make_job({.gpus = 1});
        spec.requeue = requeue;
        const std::uint32_t id = rig.submit(std::move(spec));
        refuse(rig, id, NotBegun::unknown);
        EXPECT_EQ(rig.job(id).attempt, Attempt{1});
        EXPECT_EQ(rig.job(id).state, requeue ? JobState::pending : JobState::failed);
        EXPECT_EQ(rig.job(id).hold, requeue ? Hold::admin : Hold::none);
        EXPECT_EQ(rig.job(id).state_reason,
                  requeue ? "launch failed requeued held" : "JobLaunchFailure");
        EXPECT_EQ(rig.job(id).restarts, requeue ? 1U : 0U);
    }
}

// ---- Heterogeneous jobs.

// Two components with this many GPUs each; with `bound` the first on node 0, the second on node 1.
std::uint32_t submit_two(ControlRig& rig, std::int64_t gpus, bool bound = false,
                         bool requeue = true) {
    JobSpec first = testing::make_job({.gpus = gpus}), second = first;
    first.requeue = requeue;
    if (bound) {
        first.request.edit().nodelist = {std::vector<std::string>{rig.name(0)}};
        second.request.edit().nodelist = {std::vector<std::string>{rig.name(1)}};
    }
    SubmitJob command{.spec = std::move(first), .payload = {"#!/bin/sh\n", {}}};
    command.components = {std::move(second)};
    return std::get<Submitted>(rig.ask(kAnn, std::move(command))).job.value();
}

void expect_both(const ControlRig& rig, std::uint32_t id, JobState state) {
    EXPECT_EQ(rig.job(id).state, state);
    EXPECT_EQ(rig.job(id + 1).state, state);
}

// The first component's node refuses it while the second starts, and is then ended.
void refuse_first(ControlRig& rig, std::uint32_t id, NotBegun why = NotBegun::for_node) {
    const std::uint32_t attempt = rig.job(id).attempt.value();
    refuse(rig, id, why);
    rig.started(rig.node_of(id + 1), id + 1, attempt);
    rig.report(rig.node_of(id + 1), end_report(id + 1, attempt, std::nullopt));
}

TEST(Refusals, AHeterogeneousJobWaitsUnpunishedForItsNodes) {
    for (const bool requeue : {true, false}) {
        ControlRig rig(2);
        rig.connect_all();
        const std::uint32_t id = submit_two(rig, 1, true, requeue);
        for (std::uint32_t attempt = 1; attempt <= 4; ++attempt) {
            expect_both(rig, id, JobState::running);
            ASSERT_EQ(rig.job(id).attempt, Attempt(attempt));
            refuse_first(rig, id);
            expect_both(rig, id, JobState::pending);
            for (const std::uint32_t one : {id, id + 1}) {
                EXPECT_EQ(rig.job(one).restarts, 0U);
                EXPECT_EQ(rig.job(one).hold, Hold::none);
                EXPECT_TRUE(rig.job(one).spec.request->refused_by.empty());
            }
            rig.wait(std::chrono::seconds(9));
            expect_both(rig, id, JobState::pending);
            rig.wait(std::chrono::seconds(1));
        }
        EXPECT_FALSE(rig.state().nodes().condition(NodeId(0)).drained) << "it is one job";
        rig.restart();
    }
}

TEST(Refusals, AHeterogeneousJobGoesElsewhereAsAWhole) {
    ControlRig rig(3);
    rig.connect_all();
    const std::uint32_t id = submit_two(rig, 8);
    const std::uint32_t refusing = rig.node_of(id);
    refuse_first(rig, id);
    expect_both(rig, id, JobState::running);
    EXPECT_EQ(rig.job(id).attempt, Attempt{2});
    EXPECT_EQ(rig.job(id).restarts, 0U);
    EXPECT_NE(rig.node_of(id), refusing);
    EXPECT_NE(rig.node_of(id + 1), refusing);
}

// One node is left, on which each component alone would fit.
TEST(Refusals, AHeterogeneousJobIsTriedAgainWhereItDoesNotFitElsewhereTogether) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint32_t id = submit_two(rig, 8);
    refuse_first(rig, id);
    expect_both(rig, id, JobState::pending);
    rig.wait(std::chrono::seconds(10));
    expect_both(rig, id, JobState::running);
}

TEST(Refusals, AHeterogeneousJobIsHeldAsAWholeWhereNoOtherNodeCouldRunIt) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint32_t id = submit_two(rig, 1, true);
    refuse_first(rig, id, NotBegun::for_job);
    expect_both(rig, id, JobState::pending);
    for (const std::uint32_t one : {id, id + 1}) {
        EXPECT_EQ(rig.job(one).hold, Hold::admin);
        EXPECT_EQ(rig.job(one).state_reason, "launch failed requeued held");
    }
    EXPECT_TRUE(is_done(rig.ask(kRoot, HoldJob{{JobId(id), {}}, Hold::none})));
    expect_both(rig, id, JobState::running);
}

// The first component's script may have begun on its own node.
TEST(Refusals, AHeterogeneousJobThatMayNotBeRequeuedFailsWhenItsScriptMayHaveBegun) {
    ControlRig rig(2);
    rig.connect_all();
    const std::uint32_t id = submit_two(rig, 1, true, false);
    refuse(rig, id + 1);
    rig.report(rig.node_of(id), end_report(id, 1, std::nullopt));
    expect_both(rig, id, JobState::node_fail);
}

TEST(Refusals, TheComponentsOfAHeterogeneousJobCountAsOneJobAgainstTheNode) {
    ControlRig rig(1);
    rig.connect(0);
    const std::uint32_t id = submit_two(rig, 1);
    refuse(rig, id);
    refuse(rig, id + 1);
    refuse(rig, rig.submit({.gpus = 1}));
    EXPECT_FALSE(rig.state().nodes().condition(NodeId(0)).drained) << "two jobs";
    refuse(rig, rig.submit({.gpus = 1}));
    EXPECT_TRUE(rig.state().nodes().condition(NodeId(0)).drained);
}

}  // namespace
}  // namespace berth
