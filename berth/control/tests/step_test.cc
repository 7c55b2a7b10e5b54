// Steps: laid out within their job, launched on its nodes, and ended there.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using std::chrono::seconds;

class Steps : public ::testing::Test {
protected:
    Steps() {
        rig.connect_all();
        job = rig.run({.nodes = 2, .gpus = 8, .cpus = 16});
    }
    CreateStep wanted(std::uint32_t tasks = 2) const {
        CreateStep step{.job = {JobId(job), {}}};
        step.request.name = "train";
        step.request.tasks = tasks;
        step.request.nodes = 2;
        step.launch.arguments = {"./train"};
        step.launch.environment = {"A=1"};
        return step;
    }
    Step create() {
        const Answer answer = rig.ask(kAnn, wanted());
        if (const auto* no = std::get_if<Refused>(&answer)) {
            throw std::runtime_error(no->message);
        }
        return std::get<StepPlaced>(answer).step;
    }
    StepReport ended(StepId step, ExitStatus exit = {}) const {
        return {.job = JobId(job), .attempt = Attempt{1}, .step = step, .exit = exit};
    }

    ControlRig rig{2};
    std::uint32_t job = 0;
};

TEST_F(Steps, AreLaunchedOnEachOfTheirNodes) {
    const Step step = create();
    EXPECT_EQ(rig.facts<StepCreated>().size(), 1U);
    const auto launches = rig.orders<LaunchStep>();
    ASSERT_EQ(launches.size(), 2U);
    std::uint32_t index = 0;
    for (const auto& [node, launch] : launches) {
        EXPECT_EQ(launch.step, step.id);
        EXPECT_EQ(launch.attempt, Attempt{1});
        EXPECT_EQ(launch.node_index, index++);
        EXPECT_EQ(launch.share.node, NodeId(node));
        EXPECT_EQ(launch.share.tasks.size(), 1U);
        EXPECT_EQ(launch.tasks, 2U);
        EXPECT_EQ(launch.tasks_per_node, (std::vector<std::uint32_t>{1, 1}));
        EXPECT_EQ(launch.node_names, (std::vector<std::string>{"node1", "node2"}));
        EXPECT_EQ(launch.arguments, std::vector<std::string>{"./train"});
        EXPECT_EQ(launch.name, "train");
    }
}

TEST_F(Steps, AreRefusedBeyondMaxStepCountAndMaxTasksPerNode) {
    ClusterSpec spec = testing::make_cluster(2);
    spec.launch.max_step_count = 2;
    spec.launch.max_tasks_per_node = 1;
    ControlRig bounded(spec);
    bounded.connect_all();
    const JobId id(bounded.run({.nodes = 2, .gpus = 8, .cpus = 16}));
    const auto why = [&](std::uint32_t tasks) {
        CreateStep step = wanted(tasks);
        step.job = {id, {}};
        step.request.cpus_per_task = 1;
        step.request.overlap = true;
        const Answer answer = bounded.ask(kAnn, step);
        const auto* const no = std::get_if<Refused>(&answer);
        return no == nullptr ? std::nullopt : std::optional(no->why);
    };
    EXPECT_EQ(why(4), Refusal::too_many_tasks);
    EXPECT_EQ(why(2), std::nullopt);
    EXPECT_EQ(why(2), std::nullopt);
    EXPECT_EQ(why(2), Refusal::too_many_steps);
}

TEST_F(Steps, TellTheirNodesThatTheyAreNotBound) {
    for (const std::string bind : {"none", "No", "cores", "map_cpu:0"}) {
        CreateStep step = wanted();
        step.request.cpu_bind = bind;
        step.request.overlap = true;
        ASSERT_TRUE(std::holds_alternative<StepPlaced>(rig.ask(kAnn, step)));
        const LaunchStep launch = rig.orders<LaunchStep>().back().second;
        EXPECT_EQ(launch.is_unbound, bind != "cores");
        EXPECT_EQ(launch.cpu_bind, bind == "map_cpu:0" ? bind : "");
    }
}

TEST_F(Steps, AreToldWhatServesTheirMpiAndWhereTheirRanksAre) {
    const auto first_launch = [&](const CreateStep& step) {
        const Answer answer = rig.ask(kAnn, step);
        const auto* const no = std::get_if<Refused>(&answer);
        EXPECT_EQ(no, nullptr) << no->message;
        return rig.orders<LaunchStep>().front().second;
    };
    CreateStep step = wanted(4);
    step.request.overlap = true;
    step.request.cpus_per_task = 1;
    EXPECT_EQ(first_launch(step).mpi, "");
    EXPECT_EQ(first_launch(step).process_mapping, "");
    step.launch.mpi = "none";
    EXPECT_EQ(first_launch(step).mpi, "");
    step.launch.mpi = "pmi2";
    const LaunchStep launch = first_launch(step);
    EXPECT_EQ(launch.mpi, "pmi2");
    EXPECT_EQ(launch.process_mapping, "(vector,(0,2,2))");
    step.request.task_order = TaskOrder::cyclic;
    EXPECT_EQ(first_launch(step).process_mapping, "(vector,(0,2,1),(0,2,1))");
    step.launch.mpi = "pmi3";
    EXPECT_EQ(why(rig.ask(kAnn, step)), Refusal::invalid_request);
}

TEST_F(Steps, TellTheirOwnerWhereToAttach) {
    CreateStep wants = wanted();
    wants.launch.io_address = "10.0.0.1:40123";
    wants.launch.io_token = "secret";
    rig.ask(kAnn, wants);
    const AttachStep attach{.job = {JobId(job), {}}, .step = StepId{0}};
    const Answer answer = rig.ask(kAnn, attach);
    ASSERT_TRUE(std::holds_alternative<StepAttached>(answer));
    const auto& attached = std::get<StepAttached>(answer);
    EXPECT_EQ(attached.io_address, "10.0.0.1:40123");
    EXPECT_EQ(attached.io_token, "secret");
    EXPECT_EQ(attached.placed.step.tasks, 2U);
    EXPECT_EQ(attached.placed.node_names, (std::vector<std::string>{"node1", "node2"}));
    // Once the step runs on a node, its launch is dropped; address and token are kept.
    rig.orders<LaunchStep>();
    for (const std::uint32_t node : {0U, 1U}) {
        rig.report(node, StepStarted{JobId(job), Attempt{1}, StepId{0}});
    }
    EXPECT_TRUE(std::holds_alternative<StepAttached>(rig.ask(kAnn, attach)));
    EXPECT_EQ(why(rig.ask(kBob, attach)), Refusal::not_allowed);
    EXPECT_EQ(why(rig.ask(kOperator, attach)), Refusal::not_allowed);
    EXPECT_EQ(why(rig.ask(kAnn, AttachStep{.job = {JobId(job), {}}, .step = StepId{1}})),
              Refusal::unknown_step);
    for (const std::uint32_t node : {0U, 1U}) rig.report(node, ended(StepId{0}));
    EXPECT_EQ(why(rig.ask(kAnn, attach)), Refusal::job_finished);
}

TEST_F(Steps, AreRefused) {
    EXPECT_EQ(why(rig.ask(kBob, wanted())), Refusal::not_allowed);
    EXPECT_EQ(why(rig.ask(kOperator, wanted())), Refusal::not_allowed);
    CreateStep unknown = wanted();
    unknown.job.job = JobId{99};
    EXPECT_EQ(why(rig.ask(kAnn, unknown)), Refusal::unknown_job);
    CreateStep large = wanted();
    large.launch.environment.assign(2048, "A=" + std::string(1021, 'x'));
    EXPECT_EQ(why(rig.ask(kAnn, large)), Refusal::invalid_request);
    JobSpec held = testing::make_job();
    held.hold = true;
    CreateStep early = wanted();
    early.job.job = JobId(rig.submit(held));
    EXPECT_EQ(why(rig.ask(kAnn, early)), Refusal::job_not_running);
    rig.ask(kAnn, CancelJob{.job = {JobId(job), {}}});
    EXPECT_EQ(why(rig.ask(kAnn, wanted())), Refusal::job_finished);
}

TEST_F(Steps, WaitWhereOthersHoldWhatTheyNeed) {
    create();  // All of the job's GPUs.
    EXPECT_EQ(why(rig.ask(kAnn, wanted())), Refusal::step_resources_busy);
}

TEST_F(Steps, AreRepeatedUntilTheyAreReported) {
    const Step step = create();
    rig.report(0, StepStarted{JobId(job), Attempt{1}, step.id});
    rig.wait(seconds(5));
    ASSERT_EQ(rig.orders<LaunchStep>().size(), 1U);
    EXPECT_EQ(rig.orders<LaunchStep>()[0].first, 1U);
    rig.report(1, StepStarted{JobId(job), Attempt{1}, step.id});
    rig.wait(seconds(60));
    EXPECT_TRUE(rig.orders<LaunchStep>().empty());
}

TEST_F(Steps, EndOnceOnEachNodeAndAreAcknowledgedEachTime) {
    const Step step = create();
    for (int times = 0; times < 2; ++times) {
        rig.report(0, ended(step.id, {3, 0}));
        EXPECT_EQ(rig.facts<StepEnded>().size(), times == 0 ? 1U : 0U);
        ASSERT_EQ(rig.orders<AcknowledgeEnd>().size(), 1U);
        EXPECT_EQ(rig.orders<AcknowledgeEnd>()[0].second.step, step.id);
    }
    EXPECT_EQ(rig.job(job).steps[0].state, StepState::running);
    rig.report(1, ended(step.id));
    EXPECT_EQ(rig.job(job).steps[0].state, StepState::failed);
    EXPECT_EQ(rig.job(job).steps[0].exit.code, 3);
}

TEST_F(Steps, ThatCouldNotStartHaveNotSucceeded) {
    const Step step = create();
    StepReport failed = ended(step.id);
    failed.failure = "no such file: ./train";
    rig.report(0, failed);
    rig.report(1, ended(step.id));
    EXPECT_EQ(rig.job(job).steps[0].state, StepState::failed);
}

TEST_F(Steps, WaitForTheirJobsStartOnEachNode) {
    ControlRig other(2);
    other.connect_all();
    const std::uint32_t id = other.submit({.nodes = 2, .gpus = 8, .cpus = 16});
    other.started(0, id);
    CreateStep step = wanted();
    step.job.job = JobId(id);
    ASSERT_TRUE(std::holds_alternative<StepPlaced>(other.ask(kAnn, step)));
    ASSERT_EQ(other.orders<LaunchStep>().size(), 1U);
    EXPECT_EQ(other.orders<LaunchStep>()[0].first, 0U);
    other.started(1, id);
    EXPECT_EQ(other.orders<LaunchStep>().size(), 1U);
}

TEST_F(Steps, AreLaunchedAgainAfterALostLink) {
    create();
    rig.lose_link(0);
    rig.connect(0, {live_report(job)});
    EXPECT_EQ(rig.orders<LaunchStep>().size(), 1U);
}

TEST_F(Steps, AreNotLaunchedWhileTheirRunStandsStill) {
    create();
    const JobRef whole{JobId(job), {}};
    rig.ask(kOperator, SuspendJob{whole});
    rig.lose_link(0);
    rig.connect(0, {live_report(job)});
    EXPECT_TRUE(rig.orders<LaunchStep>().empty());
    rig.report(0, AttemptFrozen{JobId(job), Attempt{1}, 1});
    rig.report(1, AttemptFrozen{JobId(job), Attempt{1}, 1});
    ASSERT_TRUE(rig.last.wake_at);
    EXPECT_GT(*rig.last.wake_at, rig.now) << "Nothing is due.";
    rig.wait(std::chrono::minutes(2));
    EXPECT_TRUE(rig.orders<LaunchStep>().empty());
    rig.connect(0, {live_report(job)});
    rig.connect(1, {live_report(job)});
    rig.ask(kOperator, SuspendJob{whole, true});
    EXPECT_EQ(rig.orders<LaunchStep>().size(), 2U);
}

TEST_F(Steps, ThatRunOutliveTheController) {
    const Step step = create();
    rig.restart();
    rig.connect(0, {live_report(job, 1, {step.id})});
    EXPECT_TRUE(rig.facts<StepEnded>().empty());
    rig.connect(1, {live_report(job, 1, {step.id})});
    EXPECT_EQ(rig.job(job).steps[0].state, StepState::running);
    rig.report(0, ended(step.id));
    rig.report(1, ended(step.id));
    EXPECT_EQ(rig.job(job).steps[0].state, StepState::completed);
}

// A step's launch is not recorded: a new controller cannot launch it, and says so.
TEST_F(Steps, ThatDidNotStartBeforeTheControllerDiedAreOver) {
    create();
    rig.restart();
    rig.connect(0, {live_report(job)});
    rig.connect(1, {live_report(job)});
    EXPECT_EQ(rig.job(job).steps[0].state, StepState::cancelled);
    EXPECT_EQ(rig.job(job).state, JobState::running);
}

TEST_F(Steps, AreTakenFromTheSpoolWhenTheirNodeRegisters) {
    const Step step = create();
    rig.restart();
    rig.connect(0, {live_report(job)}, {ended(step.id)});
    rig.connect(1, {live_report(job)}, {ended(step.id)});
    EXPECT_EQ(rig.job(job).steps[0].state, StepState::completed);
}

TEST_F(Steps, AreCancelledAndSignalled) {
    const Step step = create();
    rig.report(0, StepStarted{JobId(job), Attempt{1}, step.id});
    rig.report(1, StepStarted{JobId(job), Attempt{1}, step.id});
    rig.ask(kAnn, CancelJob{.job = {JobId(job), {}}, .step = step.id, .signal = 10});
    ASSERT_EQ(rig.orders<SignalAttempt>().size(), 2U);
    EXPECT_EQ(rig.orders<SignalAttempt>()[0].second.step, step.id);
    rig.ask(kAnn, CancelJob{.job = {JobId(job), {}}, .step = step.id});
    ASSERT_EQ(rig.orders<EndStep>().size(), 2U);
    EXPECT_EQ(rig.orders<EndStep>()[0].second.reason, EndReason::cancelled);
    rig.report(0, ended(step.id, {0, 15}));
    rig.wait(seconds(5));
    EXPECT_EQ(rig.orders<EndStep>().size(), 1U) << "until it is reported";
    rig.report(1, ended(step.id, {0, 15}));
    EXPECT_EQ(rig.job(job).steps[0].state, StepState::cancelled);
    EXPECT_EQ(why(rig.ask(kAnn, CancelJob{.job = {JobId(job), {}}, .step = step.id})),
              Refusal::job_finished);
    EXPECT_EQ(rig.job(job).state, JobState::running);
}

}  // namespace
}  // namespace berth
