// Heterogeneous jobs: submitted, started and ended as a whole.
#include "berth/control/commands/components.h"

#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

class Components : public ::testing::Test {
protected:
    Components() { rig.connect_all(); }

    Answer ask(std::vector<JobSpec> specs) {
        SubmitJob command{.spec = specs.front(), .payload = {"#!/bin/sh\n", {}}};
        command.components.assign(specs.begin() + 1, specs.end());
        return rig.ask(kAnn, std::move(command));
    }
    // Submits one component for each number, with that many GPUs on one node.
    std::uint32_t submit(const std::vector<std::int64_t>& gpus) {
        std::vector<JobSpec> specs;
        specs.reserve(gpus.size());
        for (const std::int64_t count : gpus) specs.push_back(testing::make_job({.gpus = count}));
        const Answer answer = ask(std::move(specs));
        return std::get<Submitted>(answer).job.value();
    }
    void expect_all(std::uint32_t first, std::uint32_t size, JobState state) {
        for (std::uint32_t i = 0; i < size; ++i) EXPECT_EQ(rig.job(first + i).state, state) << i;
    }
    void end_everywhere(std::uint32_t id) {
        const std::vector<NodeId> nodes(*rig.job(id).nodes);
        for (const NodeId node : nodes) {
            rig.report(node.value(), end_report(id, rig.job(id).attempt.value(), std::nullopt));
        }
    }

    ControlRig rig{2};
};

TEST_F(Components, StartTogetherOnWhatEachAskedFor) {
    const std::uint32_t id = submit({2, 8});
    expect_all(id, 2, JobState::running);
    EXPECT_EQ(rig.job(id).het, (HetComponent{JobId(id), 0, 2}));
    EXPECT_EQ(rig.job(id + 1).het, (HetComponent{JobId(id), 1, 2}));
    EXPECT_EQ(rig.job(id).started_at, rig.job(id + 1).started_at);
    const auto launches = rig.orders<LaunchAttempt>();
    ASSERT_EQ(launches.size(), 2U);
    for (const auto& [node, launch] : launches) {
        EXPECT_EQ(launch.batch_host, launch.job == JobId(id));
        const auto has = [&](const std::string& setting) {
            return std::ranges::find(launch.more_variables, setting) != launch.more_variables.end();
        };
        EXPECT_TRUE(has("SLURM_HET_SIZE=2"));
        EXPECT_TRUE(has("SLURM_JOB_ID_HET_GROUP_1=" + std::to_string(id + 1)));
        EXPECT_TRUE(
            has("SLURM_JOB_NODELIST_HET_GROUP_0=" + rig.name(rig.job(id).nodes.front().value())));
    }
    rig.restart();
}

TEST_F(Components, StartNotAtAllWhileOneHasNoRoom) {
    const std::uint32_t blocker = rig.run({.gpus = 8});
    const std::uint32_t id = submit({1, 8});
    expect_all(id, 2, JobState::pending);
    ASSERT_NE(rig.state().schedule().planned(JobId(id)), nullptr);
    ASSERT_NE(rig.state().schedule().planned(JobId(id + 1)), nullptr);
    EXPECT_EQ(rig.state().schedule().planned(JobId(id))->start,
              rig.state().schedule().planned(JobId(id + 1))->start);
    EXPECT_GE(rig.state().schedule().planned(JobId(id))->start, rig.now + std::chrono::minutes(30));
    // One node is free, but this job would keep it from them beyond their planned start.
    EXPECT_EQ(rig.job(rig.submit({.gpus = 8, .limit = std::chrono::hours(5)})).state,
              JobState::pending);
    rig.report(rig.job(blocker).nodes.front().value(), end_report(blocker));
    expect_all(id, 2, JobState::running);
}

TEST_F(Components, ThatCanNoMoreFitTogetherSaySo) {
    rig.ask(kOperator,
            UpdateNode{.node = rig.name(1), .action = NodeAction::drain, .reason = "burnt"});
    const std::uint32_t id = submit({8, 8});
    rig.wait(std::chrono::seconds(1));
    EXPECT_EQ(rig.state().schedule().reason(JobId(id)), PendingReason::req_node_not_avail);
    EXPECT_EQ(rig.state().schedule().reason_detail(JobId(id)), "UnavailableNodes:" + rig.name(1));
    // One node alone would suffice for either of them, and for these.
    expect_all(submit({4, 4}), 2, JobState::running);
    rig.ask(kRoot, Reconfigure{std::make_shared<const ClusterSpec>(testing::make_cluster(1)), ""});
    rig.wait(std::chrono::seconds(1));
    EXPECT_EQ(rig.state().schedule().reason(JobId(id)), PendingReason::bad_constraints);
    rig.ask(kRoot, Reconfigure{std::make_shared<const ClusterSpec>(testing::make_cluster(2)), ""});
    rig.ask(kOperator, UpdateNode{.node = rig.name(1), .action = NodeAction::resume, .reason = ""});
    rig.connect(1);
    rig.wait(std::chrono::seconds(1));
    EXPECT_EQ(rig.state().schedule().reason(JobId(id)), PendingReason::resources);
}

TEST_F(Components, AreCancelledAsAWhole) {
    rig.run({.gpus = 8});
    const std::uint32_t waiting = submit({1, 8});
    EXPECT_EQ(why(rig.ask(kAnn, CancelJob{.job = {JobId(waiting), {}, 1}})),
              Refusal::invalid_request);
    EXPECT_EQ(why(rig.ask(kAnn, CancelJob{.job = {JobId(waiting + 1), {}}})),
              Refusal::invalid_request);
    EXPECT_EQ(why(rig.ask(kAnn, CancelJob{.job = {JobId(waiting), {}, 2}})), Refusal::unknown_job);
    EXPECT_EQ(why(rig.ask(kBob, CancelJob{.job = {JobId(waiting), {}}})), Refusal::not_allowed);
    EXPECT_TRUE(is_done(rig.ask(kAnn, CancelJob{.job = {JobId(waiting), {}}})));
    expect_all(waiting, 2, JobState::cancelled);
    const std::uint32_t running = submit({1, 2});
    expect_all(running, 2, JobState::running);
    EXPECT_TRUE(is_done(rig.ask(kAnn, CancelJob{.job = {JobId(running), {}, 1}})));
    expect_all(running, 2, JobState::completing);
    EXPECT_EQ(rig.job(running).outcome, JobState::cancelled);
    rig.restart();
}

TEST_F(Components, EndWithTheScriptAndLikeIt) {
    const std::uint32_t id = submit({1, 8});
    const NodeId host = rig.job(id).nodes.front();
    rig.report(host.value(), end_report(id, 1, ExitStatus{3, 0}));
    EXPECT_EQ(rig.job(id).state, JobState::failed);
    EXPECT_EQ(rig.job(id + 1).state, JobState::completing);
    end_everywhere(id + 1);
    EXPECT_EQ(rig.job(id + 1).state, JobState::failed);
    EXPECT_EQ(rig.job(id + 1).exit, (ExitStatus{3, 0}));
    rig.restart();
}

TEST_F(Components, GoBackToTheQueueTogetherWhenANodeIsLost) {
    const std::uint32_t id = submit({8, 8});
    const std::uint32_t lost = rig.job(id + 1).nodes.front().value();
    rig.started(lost, id + 1);
    rig.reboot(lost);
    rig.connect(lost);
    EXPECT_EQ(rig.job(id).state, JobState::completing);
    EXPECT_EQ(rig.job(id).outcome, JobState::pending);
    EXPECT_EQ(rig.job(id + 1).state, JobState::pending) << "it waits for the first to be over";
    end_everywhere(id);
    expect_all(id, 2, JobState::running);
    EXPECT_EQ(rig.job(id + 1).attempt, Attempt(2));
    rig.restart();
}

TEST_F(Components, EndTogetherWhenOneRunsOutOfTime) {
    JobSpec brief = testing::make_job({.limit = std::chrono::minutes(5)});
    const Answer answer = ask({testing::make_job({}), brief});
    const std::uint32_t id = std::get<Submitted>(answer).job.value();
    rig.wait(std::chrono::minutes(6));
    expect_all(id, 2, JobState::completing);
    EXPECT_EQ(rig.job(id).outcome, JobState::timeout);
}

// The agents were suspended when the time limit passed. Either may report first.
TEST_F(Components, DoNotTimeOutIfTheScriptEndedInTime) {
    for (const bool first_reports_first : {true, false}) {
        const std::uint32_t id = submit({8, 8});
        const Time began = rig.now;
        const std::uint32_t host = rig.node_of(id), other = rig.node_of(id + 1);
        ASSERT_NE(host, other);
        rig.wait(std::chrono::hours(1));
        expect_all(id, 2, JobState::completing);
        ASSERT_EQ(rig.job(id + 1).outcome, JobState::timeout);
        AttemptReport script = end_report(id, 1, ExitStatus{3, 0});
        script.ended_at = began + std::chrono::minutes(5);
        rig.now += std::chrono::minutes(30);
        // After so long a silence they register again.
        if (first_reports_first) rig.connect(host, {script});
        rig.connect(other, {end_report(id + 1, 1, std::nullopt)});
        if (!first_reports_first) rig.connect(host, {script});
        for (const std::uint32_t one : {id, id + 1}) {
            EXPECT_EQ(rig.job(one).state, JobState::failed) << one;
            EXPECT_EQ(rig.job(one).state_reason, "NonZeroExitCode") << one;
            EXPECT_EQ(rig.job(one).exit, (ExitStatus{3, 0})) << one;
            EXPECT_EQ(rig.job(one).ended_at, began + std::chrono::minutes(5)) << one;
        }
        rig.restart();
        rig.connect_all();
    }
}

// By itself, but after its limit; or by order.
TEST_F(Components, TimeOutTogetherIfTheScriptDidNotEndInTime) {
    for (const bool by_itself : {true, false}) {
        const std::uint32_t id = submit({8, 8});
        const std::uint32_t host = rig.node_of(id), other = rig.node_of(id + 1);
        rig.wait(std::chrono::hours(1));
        AttemptReport script = end_report(id);
        if (by_itself) script.ended_at = rig.now + std::chrono::minutes(1);
        rig.now += std::chrono::minutes(30);
        rig.connect(host, {script});
        rig.connect(other, {end_report(id + 1, 1, std::nullopt)});
        expect_all(id, 2, JobState::timeout);
    }
}

TEST_F(Components, AreHeldAndReleasedAsAWhole) {
    JobSpec held = testing::make_job({});
    held.hold = true;
    const Answer answer = ask({testing::make_job({}), held});
    const std::uint32_t id = std::get<Submitted>(answer).job.value();
    expect_all(id, 2, JobState::pending);
    EXPECT_EQ(rig.state().schedule().reason(JobId(id)), PendingReason::job_held_user);
    EXPECT_TRUE(is_done(rig.ask(kAnn, HoldJob{{JobId(id), {}}, Hold::none})));
    expect_all(id, 2, JobState::running);
}

TEST_F(Components, AreNotSubmittedWhereOneCannotBe) {
    const Answer answer = ask({testing::make_job({}), testing::make_job({.gpus = 99})});
    EXPECT_EQ(why(answer), Refusal::node_configuration_unavailable);
    EXPECT_TRUE(rig.facts<JobSubmitted>().empty());
    JobSpec array = testing::make_job({});
    array.array = ArraySpec{{0, 1}, 0};
    EXPECT_EQ(why(ask({testing::make_job({}), array})), Refusal::not_supported);
    JobSpec waiting = testing::make_job({});
    waiting.dependencies = {Dependency{.job = JobId(1)}};
    EXPECT_EQ(why(ask({testing::make_job({}), waiting})), Refusal::invalid_dependency);
    EXPECT_EQ(submit({1, 1}), 1U) << "no id was used up";
}

TEST_F(Components, AreAllWithinTheLimitsOfARequest) {
    const auto refusal = [&](void (*spoil)(JobSpec&)) {
        JobSpec spoilt = testing::make_job({});
        spoil(spoilt);
        const Answer answer = ask({testing::make_job({}), testing::make_job({}), spoilt});
        const auto* const refused = std::get_if<Refused>(&answer);
        return refused == nullptr ? "" : refused->message;
    };
    EXPECT_EQ(refusal([](JobSpec& spec) { spec.name = std::string(5000, 'x'); }),
              "Job name is 4.9 KB; the most is 4 KB");
    EXPECT_EQ(
        refusal([](JobSpec& spec) { spec.command.edit().work_dir = std::string("/a\0/b", 5); }),
        "Working directory holds a NUL byte: leave it out");
    EXPECT_EQ(
        refusal([](JobSpec& spec) {
            spec.request.edit().nearness.edit().affinities = {{.name = std::string("a\0b", 3)}};
        }),
        "Name in an affinity holds a NUL byte: leave it out");
    EXPECT_EQ(
        refusal([](JobSpec& spec) { spec.request.edit().nodelist.edit().assign(70'000, "n"); }),
        "Node list has 70000 entries; the most is 65536");
}

// They start together, so that one cannot wait for its turn in another flavor.
TEST(ComponentsInFlavors, NameWhatTheQueueTellsApart) {
    ClusterSpec spec = testing::make_cluster(0);
    testing::add_node(spec, "new1", {.gpu_type = "h100", .features = {"new"}});
    testing::add_node(spec, "old1", {.gpu_type = "h100", .features = {"old"}});
    spec.flavors = {{.name = "new", .nodes = {"new1"}}, {.name = "old", .nodes = {"old1"}}};
    spec.accounts.push_back({.name = "lab", .parent = "root"});
    spec.queues.push_back({.name = "lab", .limit = {{"cpu:new", 8}}});
    spec.scheduling.enforce_limits = true;
    ControlRig rig(spec);
    rig.connect_all();
    const auto ask = [&](const std::string& excluded) {
        SubmitJob command{.spec = testing::make_job({.gpus = 1}), .payload = {"#!/bin/sh\n", {}}};
        command.spec.account = "lab";
        if (!excluded.empty()) command.spec.request.edit().exclude = {excluded};
        command.components = {command.spec};
        return rig.ask(kAnn, std::move(command));
    };
    const Answer refused = ask("");
    ASSERT_TRUE(std::holds_alternative<Refused>(refused));
    EXPECT_EQ(std::get<Refused>(refused).message,
              "a choice between the flavors of queue lab (name the nodes' features and the type of "
              "GPU) is not supported yet in a heterogeneous job");
    EXPECT_TRUE(std::holds_alternative<Submitted>(ask("old1")));
}

}  // namespace
}  // namespace berth
