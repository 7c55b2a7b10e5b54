// What clients may ask, its effects, and why it is refused.
#include "berth/control/commands/commands.h"

#include <numeric>

#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

JobRef ref(std::uint32_t job, std::vector<std::uint32_t> tasks = {}) {
    return {JobId(job), std::move(tasks)};
}

JobSpec array_of(std::vector<std::uint32_t> tasks, std::int64_t gpus = 8) {
    JobSpec spec = testing::make_job({.gpus = gpus});
    spec.array = ArraySpec{std::move(tasks), 0};
    return spec;
}

class Commands : public ::testing::Test {
protected:
    Commands() { rig.connect_all(); }

    ControlRig rig{2};
};

// ---- submit

TEST_F(Commands, SubmitRefusesWhatIsTooLargeOrEmpty) {
    struct Case {
        const char* what;
        void (*spoil)(SubmitJob&);
        Refusal why;
        std::string message;
    };
    const Case cases[] = {
        {"script", [](SubmitJob& job) { job.payload.script.assign(std::size_t{5} << 20, 'x'); },
         Refusal::script_too_large, "Script is 5 MB; the most is 4 MB"},
        {"script by one",
         [](SubmitJob& job) { job.payload.script.assign((std::size_t{4} << 20) + 1, 'x'); },
         Refusal::script_too_large, "Script is 4.1 MB; the most is 4 MB"},
        {"no script", [](SubmitJob& job) { job.payload.script.clear(); }, Refusal::invalid_request,
         "A batch job needs a script, and the script is empty"},
        {"environment",
         [](SubmitJob& job) {
             job.payload.environment.assign(2048, "A=" + std::string(1021, 'x'));
         },
         Refusal::invalid_request, "Environment is 2 MB; the most is 1 MB"},
        {"variable", [](SubmitJob& job) { job.payload.environment = {"no value"}; },
         Refusal::invalid_request, "An environment variable must read NAME=value, not 'no value'"},
        {"name", [](SubmitJob& job) { job.spec.name = std::string(5000, 'x'); },
         Refusal::invalid_request, "Job name is 4.9 KB; the most is 4 KB"},
        {"a NUL in the name", [](SubmitJob& job) { job.spec.name = std::string("a\0b", 3); },
         Refusal::invalid_request, "Job name holds a NUL byte: leave it out"},
        {"a NUL in the comment", [](SubmitJob& job) { job.spec.comment = std::string("\0", 1); },
         Refusal::invalid_request, "Comment holds a NUL byte: leave it out"},
        {"a NUL in a path",
         [](SubmitJob& job) { job.spec.command.edit().std_out = std::string("/a\0/b", 5); },
         Refusal::invalid_request, "Output file name holds a NUL byte: leave it out"},
        {"a NUL in an argument",
         [](SubmitJob& job) { job.spec.command.edit().arguments = {std::string("\0", 1)}; },
         Refusal::invalid_request, "The script's list of arguments holds a NUL byte: leave it out"},
        {"arguments",
         [](SubmitJob& job) {
             job.spec.command.edit().arguments.assign(1100, std::string(1023, 'x'));
         },
         Refusal::invalid_request, "The script's list of arguments is 1.1 MB; the most is 1 MB"},
        {"dependencies", [](SubmitJob& job) { job.spec.dependencies.edit().resize(70'000); },
         Refusal::invalid_request, "List of dependencies has 70000 entries; the most is 65536"},
    };
    for (const Case& one : cases) {
        SubmitJob job{testing::make_job(), {"#!/bin/sh\n", {}}};
        one.spoil(job);
        const Answer answer = rig.ask(kAnn, job);
        EXPECT_EQ(why(answer), one.why) << one.what;
        EXPECT_EQ(std::get<Refused>(answer).message, one.message);
        EXPECT_TRUE(rig.last.record.facts.empty());
    }
}

TEST_F(Commands, SubmitTakesAScriptOfExactlyTheMost) {
    const Answer answer =
        rig.ask(kAnn, SubmitJob{testing::make_job(), {std::string(std::size_t{4} << 20, 'x'), {}}});
    EXPECT_TRUE(std::holds_alternative<Submitted>(answer));
}

TEST_F(Commands, SubmitPassesOnWhyAdmissionRefuses) {
    JobSpec spec = testing::make_job();
    spec.partition = "nosuch";
    EXPECT_EQ(why(rig.ask(kAnn, SubmitJob{spec, {"#!/bin/sh\n", {}}})), Refusal::unknown_partition);
    EXPECT_EQ(why(rig.ask(kNobody, SubmitJob{testing::make_job(), {"#!/bin/sh\n", {}}})),
              Refusal::not_allowed);
}

TEST_F(Commands, SubmitWithARequestIdIsOneJobHoweverOftenItIsSent) {
    JobSpec spec = testing::make_job();
    spec.request_id = "0123456789abcdef0123456789abcdef";
    const std::uint32_t id = rig.submit(spec);
    EXPECT_EQ(rig.submit(spec), id);
    EXPECT_TRUE(rig.last.record.facts.empty());
    rig.restart();
    EXPECT_EQ(rig.submit(spec), id) << "a new controller knows it, too";
    rig.has_room = false;
    EXPECT_EQ(rig.submit(spec), id) << "it is no new work";
    rig.has_room = true;
    EXPECT_EQ(rig.state().jobs().size(), 1U);
}

TEST_F(Commands, SubmitSentAgainAfterItsJobIsForgottenMakesNoSecondOne) {
    JobSpec spec = testing::make_job();
    spec.hold = true;
    spec.request_id = "0123456789abcdef0123456789abcdef";
    const std::uint32_t id = rig.submit(spec);
    rig.ask(kAnn, CancelJob{.job = ref(id)});
    rig.wait(std::chrono::hours(1));
    ASSERT_FALSE(rig.knows(id));
    EXPECT_EQ(rig.submit(spec), id);
    EXPECT_EQ(why(rig.ask(kBob, SubmitJob{spec, {"#!/bin/sh\n", {}}})), Refusal::invalid_request);
    rig.restart();
    EXPECT_EQ(rig.submit(spec), id);
    EXPECT_TRUE(rig.state().jobs().empty());
}

TEST_F(Commands, SubmitDoesNotRevealAnothersRequestId) {
    JobSpec spec = testing::make_job();
    spec.request_id = "0123456789abcdef0123456789abcdef";
    rig.submit(spec);
    const Answer answer = rig.ask(kBob, SubmitJob{spec, {"#!/bin/sh\n", {}}});
    EXPECT_EQ(why(answer), Refusal::invalid_request);
    EXPECT_EQ(std::get<Refused>(answer).message.find("1 of"), std::string::npos);
    EXPECT_FALSE(std::get<Refused>(answer).job.has_value());
}

// ---- cancel

TEST_F(Commands, CancelOfAPendingJobEndsItAtOnce) {
    JobSpec spec = testing::make_job();
    spec.hold = true;
    const std::uint32_t id = rig.submit(spec);
    EXPECT_TRUE(is_done(rig.ask(kAnn, CancelJob{.job = ref(id)})));
    EXPECT_EQ(rig.job(id).state, JobState::cancelled);
    EXPECT_EQ(rig.facts<JobCancelled>().at(0).by_uid, kAnn.uid);
    EXPECT_TRUE(rig.last.orders.empty());
}

TEST_F(Commands, CancelOfARunningJobEndsItOnAllItsNodes) {
    const std::uint32_t id = rig.run({.nodes = 2, .gpus = 1});
    EXPECT_TRUE(is_done(rig.ask(kOperator, CancelJob{.job = ref(id)})));
    EXPECT_EQ(rig.job(id).state, JobState::completing);
    EXPECT_EQ(rig.facts<EndJob>().at(0).by_uid, kOperator.uid);
    EXPECT_EQ(rig.orders<EndAttempt>().size(), 2U);
}

TEST_F(Commands, CancelIsRefusedWithSlurmsWords) {
    const std::uint32_t id = rig.run();
    EXPECT_EQ(why(rig.ask(kBob, CancelJob{.job = ref(id)})), Refusal::not_allowed);
    EXPECT_EQ(why(rig.ask(kAnn, CancelJob{.job = ref(99)})), Refusal::unknown_job);
    EXPECT_EQ(why(rig.ask(kAnn, CancelJob{.job = ref(id), .signal = 65})),
              Refusal::invalid_request);
    EXPECT_EQ(why(rig.ask(kAnn, CancelJob{.job = ref(id), .step = StepId{5}})),
              Refusal::unknown_step);
    rig.report(rig.job(id).nodes[0].value(), end_report(id));
    const Answer answer = rig.ask(kAnn, CancelJob{.job = ref(id)});
    EXPECT_EQ(why(answer), Refusal::job_finished);
    EXPECT_EQ(slurm_text(why(answer)), "Job/step already completing or completed");
}

TEST_F(Commands, CancelWithKillEndsAtOnce) {
    const std::uint32_t id = rig.run();
    EXPECT_TRUE(is_done(rig.ask(kAnn, CancelJob{.job = ref(id), .signal = 9})));
    EXPECT_EQ(rig.job(id).state, JobState::completing);
    EXPECT_EQ(rig.orders<EndAttempt>().at(0).second.signal, 9);
}

TEST_F(Commands, CancelWithASignalOnlySendsIt) {
    const std::uint32_t id = rig.run({.nodes = 2});
    const std::uint32_t batch_host = rig.job(id).nodes[0].value();
    struct Case {
        CancelJob command;
        std::size_t nodes;
        std::optional<StepId> step;
        bool whole_job;
    };
    const Case cases[] = {
        {{.job = ref(id), .signal = 10}, 2, std::nullopt, false},
        {{.job = ref(id), .signal = 10, .whole_job = true}, 2, std::nullopt, true},
        {{.job = ref(id), .signal = 10, .batch_only = true}, 1, kBatchStep, false},
        {{.job = ref(id), .signal = 9, .batch_only = true}, 1, kBatchStep, false},
        {{.job = ref(id), .step = kBatchStep, .signal = 10}, 1, kBatchStep, false},
    };
    for (const Case& one : cases) {
        EXPECT_TRUE(is_done(rig.ask(kAnn, one.command)));
        const auto signals = rig.orders<SignalAttempt>();
        ASSERT_EQ(signals.size(), one.nodes);
        EXPECT_EQ(signals[0].first, batch_host);
        EXPECT_EQ(signals[0].second.signal, one.command.signal);
        EXPECT_EQ(signals[0].second.step, one.step);
        EXPECT_EQ(signals[0].second.whole_job, one.whole_job);
        EXPECT_EQ(rig.job(id).state, JobState::running);
    }
}

TEST_F(Commands, CancelOfAPendingJobWithASignalIsRefused) {
    JobSpec spec = testing::make_job();
    spec.hold = true;
    const std::uint32_t id = rig.submit(spec);
    EXPECT_EQ(why(rig.ask(kAnn, CancelJob{.job = ref(id), .signal = 10})),
              Refusal::job_not_running);
}

TEST_F(Commands, CancelKeepsToTheStateThatItIsToldOf) {
    const std::uint32_t running = rig.run();
    JobSpec spec = testing::make_job();
    spec.hold = true;
    const std::uint32_t pending = rig.submit(spec);
    EXPECT_TRUE(is_done(rig.ask(kAnn, CancelJob{.job = ref(running), .only_pending = true})));
    EXPECT_EQ(rig.job(running).state, JobState::running);
    EXPECT_TRUE(is_done(rig.ask(kAnn, CancelJob{.job = ref(pending), .only_running = true})));
    EXPECT_EQ(rig.job(pending).state, JobState::pending);
}

TEST_F(Commands, CancelReachesTasksOfAnArrayThatWaitAndThatRun) {
    const std::uint32_t array = rig.submit(array_of({0, 1, 2, 3, 4, 5}));
    ASSERT_EQ(rig.orders<LaunchAttempt>().size(), 2U);  // Tasks 0 and 1.
    EXPECT_TRUE(is_done(rig.ask(kAnn, CancelJob{.job = ref(array, {1, 4})})));
    EXPECT_EQ(rig.facts<EndJob>().size(), 1U);
    ASSERT_EQ(rig.facts<JobCancelled>().size(), 1U);
    EXPECT_EQ(rig.facts<JobCancelled>()[0].array_tasks, std::vector<std::uint32_t>{4});
    EXPECT_EQ(rig.job(array).spec.array->tasks, (std::vector<std::uint32_t>{2, 3, 5}));
    EXPECT_EQ(why(rig.ask(kAnn, CancelJob{.job = ref(array, {77})})), Refusal::unknown_job);
    EXPECT_TRUE(is_done(rig.ask(kAnn, CancelJob{.job = ref(array)})));
    EXPECT_EQ(rig.job(array).state, JobState::cancelled);
    EXPECT_EQ(rig.orders<EndAttempt>().size(), 1U) << "task 0; task 1 was told before";
}

TEST_F(Commands, CancelStopsARequeueThatIsUnderWay) {
    const std::uint32_t id = rig.run();
    EXPECT_TRUE(is_done(rig.ask(kAnn, RequeueJob{.job = ref(id)})));
    EXPECT_EQ(rig.job(id).outcome, JobState::pending);
    EXPECT_TRUE(is_done(rig.ask(kAnn, CancelJob{.job = ref(id)})));
    rig.report(rig.job(id).nodes[0].value(), end_report(id, 1, ExitStatus{0, 15}));
    EXPECT_EQ(rig.job(id).state, JobState::cancelled);
}

// ---- hold, release

TEST_F(Commands, HoldAndReleaseByTheOwner) {
    const std::uint32_t blocker = rig.run({.nodes = 2, .gpus = 8});
    const std::uint32_t id = rig.submit({.gpus = 8});
    EXPECT_TRUE(is_done(rig.ask(kAnn, HoldJob{.job = ref(id)})));
    EXPECT_EQ(rig.job(id).hold, Hold::user);
    EXPECT_EQ(why(rig.ask(kBob, HoldJob{.job = ref(id), .hold = Hold::none})),
              Refusal::not_allowed);
    EXPECT_TRUE(is_done(rig.ask(kAnn, HoldJob{.job = ref(id), .hold = Hold::none})));
    EXPECT_EQ(rig.job(id).hold, Hold::none);
    EXPECT_EQ(why(rig.ask(kAnn, HoldJob{.job = ref(blocker)})), Refusal::job_not_pending);
}

TEST_F(Commands, HoldByAnOperatorIsNotTheOwnersToRelease) {
    JobSpec spec = testing::make_job({.gpus = 8});
    spec.hold = true;
    const std::uint32_t id = rig.submit(spec);
    EXPECT_TRUE(is_done(rig.ask(kAnn, HoldJob{.job = ref(id), .hold = Hold::admin})));
    EXPECT_EQ(rig.job(id).hold, Hold::user) << "a user's hold is a user's";
    EXPECT_TRUE(is_done(rig.ask(kOperator, HoldJob{.job = ref(id), .hold = Hold::admin})));
    EXPECT_EQ(rig.job(id).hold, Hold::admin);
    EXPECT_TRUE(is_done(rig.ask(kAnn, HoldJob{.job = ref(id)})));
    EXPECT_EQ(rig.job(id).hold, Hold::admin) << "and makes that one no weaker";
    EXPECT_EQ(why(rig.ask(kAnn, HoldJob{.job = ref(id), .hold = Hold::none})),
              Refusal::not_allowed);
    EXPECT_TRUE(is_done(rig.ask(kOperator, HoldJob{.job = ref(id), .hold = Hold::none})));
    EXPECT_EQ(rig.job(id).state, JobState::running);
}

TEST_F(Commands, HoldOfTasksThatHaveNotStartedGivesThemRecordsOfTheirOwn) {
    rig.run({.nodes = 2, .gpus = 8});
    const std::uint32_t array = rig.submit(array_of({0, 1, 2}));
    EXPECT_TRUE(is_done(rig.ask(kAnn, HoldJob{.job = ref(array, {1})})));
    EXPECT_EQ(rig.job(array).hold, Hold::none);
    EXPECT_EQ(rig.job(array).spec.array->tasks, (std::vector<std::uint32_t>{0, 2}));
    EXPECT_EQ(rig.job(array + 1).hold, Hold::user);
    EXPECT_EQ(rig.job(array + 1).array_task, 1U);
    EXPECT_TRUE(is_done(rig.ask(kAnn, HoldJob{.job = ref(array, {1}), .hold = Hold::none})));
    EXPECT_EQ(rig.job(array + 1).hold, Hold::none);
    EXPECT_TRUE(is_done(rig.ask(kAnn, HoldJob{.job = ref(array, {0, 1, 2})})));
    EXPECT_EQ(rig.job(array).hold, Hold::user);
    EXPECT_EQ(rig.job(array + 1).hold, Hold::user);
}

TEST_F(Commands, HoldOfVeryManyTasksAtOnceIsRefused) {
    rig.run({.nodes = 2, .gpus = 8});
    std::vector<std::uint32_t> all(300);
    std::iota(all.begin(), all.end(), 0U);
    const std::uint32_t array = rig.submit(array_of(all));
    all.pop_back();
    EXPECT_EQ(why(rig.ask(kAnn, HoldJob{.job = ref(array, all)})), Refusal::invalid_request);
}

TEST_F(Commands, UpdateOfOneTaskLeavesTheOthers) {
    rig.run({.nodes = 2, .gpus = 8});
    const std::uint32_t array = rig.submit(array_of({0, 1, 2}));
    const Duration before = rig.job(array).time_limit;
    UpdateJob shorter{.job = ref(array, {2})};
    shorter.change.time_limit = Duration(std::chrono::minutes(1));
    EXPECT_TRUE(is_done(rig.ask(kAnn, shorter)));
    EXPECT_EQ(rig.job(array).time_limit, before);
    EXPECT_EQ(rig.job(array + 1).time_limit, Duration(std::chrono::minutes(1)));
    shorter.job = ref(array, {0});
    shorter.change.partition = "nosuch";
    EXPECT_EQ(why(rig.ask(kAnn, shorter)), Refusal::unknown_partition);
    EXPECT_EQ(rig.job(array).spec.array->tasks, (std::vector<std::uint32_t>{0, 1}));
}

// ---- requeue

TEST_F(Commands, RequeueOfARunningJobRunsItAgainOnceItIsGone) {
    const std::uint32_t id = rig.run({.gpus = 1});
    const std::uint32_t node = rig.job(id).nodes[0].value();
    EXPECT_TRUE(is_done(rig.ask(kAnn, RequeueJob{.job = ref(id)})));
    EXPECT_EQ(rig.job(id).state, JobState::completing);
    EXPECT_EQ(rig.orders<EndAttempt>().size(), 1U);
    rig.report(node, end_report(id, 1, ExitStatus{0, 15}));
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_EQ(rig.job(id).attempt, Attempt{2});
    EXPECT_EQ(rig.job(id).restarts, 1U);
}

TEST_F(Commands, RequeueAndHoldKeepsItFromStarting) {
    const std::uint32_t id = rig.run({.gpus = 1});
    const std::uint32_t node = rig.job(id).nodes[0].value();
    EXPECT_TRUE(is_done(rig.ask(kOperator, RequeueJob{.job = ref(id), .hold = true})));
    rig.report(node, end_report(id, 1, ExitStatus{0, 15}));
    EXPECT_EQ(rig.job(id).state, JobState::pending);
    EXPECT_EQ(rig.job(id).hold, Hold::admin);
}

TEST_F(Commands, RequeueInSpecialExitIsHeldUntilItsUserReleasesIt) {
    const std::uint32_t id = rig.run({.gpus = 1});
    const std::uint32_t node = rig.job(id).nodes[0].value();
    const RequeueJob special{.job = ref(id), .hold = true, .special_exit = true};
    EXPECT_TRUE(is_done(rig.ask(kOperator, special)));
    rig.report(node, end_report(id, 1, ExitStatus{0, 15}));
    EXPECT_EQ(rig.job(id).hold, Hold::special_exit);
    EXPECT_EQ(why(rig.ask(kAnn, special)), Refusal::job_not_running) << "it waits already";
    EXPECT_TRUE(is_done(rig.ask(kAnn, HoldJob{ref(id), Hold::user})));
    EXPECT_EQ(rig.job(id).hold, Hold::special_exit) << "a user's hold changes nothing";
    EXPECT_TRUE(is_done(rig.ask(kAnn, HoldJob{ref(id), Hold::none})));
    EXPECT_EQ(rig.job(id).state, JobState::running);
}

TEST_F(Commands, RequeueOfTheIncompleteLeavesOthersAlone) {
    const std::uint32_t id = rig.run({.gpus = 1});
    rig.report(rig.job(id).nodes[0].value(), end_report(id, 1, ExitStatus{1, 0}));
    ASSERT_EQ(rig.job(id).state, JobState::failed);
    const RequeueJob incomplete{.job = ref(id), .incomplete = true};
    EXPECT_TRUE(is_done(rig.ask(kAnn, incomplete)));
    EXPECT_EQ(rig.job(id).state, JobState::failed);
}

TEST_F(Commands, RequeueOfAFinishedJobPutsItBack) {
    const std::uint32_t id = rig.run({.gpus = 1});
    rig.report(rig.job(id).nodes[0].value(), end_report(id, 1, ExitStatus{1, 0}));
    ASSERT_EQ(rig.job(id).state, JobState::failed);
    EXPECT_TRUE(is_done(rig.ask(kAnn, RequeueJob{.job = ref(id)})));
    EXPECT_EQ(rig.job(id).state, JobState::running);
    EXPECT_EQ(rig.job(id).attempt, Attempt{2});
}

TEST_F(Commands, RequeueIsRefused) {
    JobSpec spec = testing::make_job();
    spec.requeue = false;
    const std::uint32_t never = rig.submit(spec);
    EXPECT_EQ(why(rig.ask(kAnn, RequeueJob{.job = ref(never)})), Refusal::job_not_requeueable);
    EXPECT_EQ(why(rig.ask(kBob, RequeueJob{.job = ref(never)})), Refusal::not_allowed);
    spec.requeue.reset();
    spec.hold = true;
    const std::uint32_t pending = rig.submit(spec);
    EXPECT_EQ(why(rig.ask(kAnn, RequeueJob{.job = ref(pending)})), Refusal::job_not_running);
    rig.ask(kAnn, CancelJob{.job = ref(pending)});
    EXPECT_EQ(why(rig.ask(kAnn, RequeueJob{.job = ref(pending)})), Refusal::job_not_requeueable);
    const std::uint32_t ending = rig.run();
    rig.ask(kAnn, CancelJob{.job = ref(ending)});
    EXPECT_EQ(why(rig.ask(kAnn, RequeueJob{.job = ref(ending)})), Refusal::job_finished);
}

// ---- update

TEST_F(Commands, UpdateChangesWhatIsNamed) {
    const std::uint32_t id = rig.run({.limit = hours(2)});
    UpdateJob update{.job = ref(id)};
    update.change.time_limit = std::optional(Duration(hours(1)));
    update.change.comment = "shorter";
    EXPECT_TRUE(is_done(rig.ask(kAnn, update)));
    EXPECT_EQ(rig.job(id).time_limit, Duration(hours(1)));
    EXPECT_EQ(rig.job(id).spec.comment, "shorter");
}

TEST_F(Commands, UpdateSaysWhetherTheJobMayBeRequeued) {
    const std::uint32_t id = rig.run();
    UpdateJob update{.job = ref(id)};
    update.change.requeue = false;
    EXPECT_TRUE(is_done(rig.ask(kAnn, update)));
    EXPECT_EQ(why(rig.ask(kAnn, RequeueJob{.job = ref(id)})), Refusal::job_not_requeueable);
    update.change.requeue = true;
    EXPECT_TRUE(is_done(rig.ask(kAnn, update)));
    EXPECT_TRUE(is_done(rig.ask(kAnn, RequeueJob{.job = ref(id)})));
}

TEST_F(Commands, UpdateBoundsEveryText) {
    const std::uint32_t id = rig.submit();
    // Sets the text fields of this name, or of all names to collect these.
    const auto with_nul = [&](std::string_view name, std::vector<std::string_view>* names) {
        UpdateJob update{.job = ref(id)};
        JobChange::fields(update.change, [&](std::string_view field, auto& value) {
            if constexpr (requires { value = std::string(); }) {
                if (names != nullptr) names->push_back(field);
                if (field == name) value = std::string("a\0b", 3);
            }
        });
        return update;
    };
    std::vector<std::string_view> names;
    with_nul("", &names);
    EXPECT_GT(names.size(), 8U);
    for (const std::string_view name : names)
        EXPECT_EQ(why(rig.ask(kAnn, with_nul(name, nullptr))), Refusal::invalid_request) << name;
}

TEST_F(Commands, UpdateOfARunLeavesWhatItRunsOn) {
    const std::uint32_t id = rig.run();
    UpdateJob update{.job = ref(id)};
    update.change.work_dir = "/tmp";
    EXPECT_EQ(why(rig.ask(kAnn, update)), Refusal::job_not_pending);
    update.change.work_dir.reset();
    update.change.name = "other";
    EXPECT_TRUE(is_done(rig.ask(kAnn, update)));
}

TEST_F(Commands, UpdateIsRefused) {
    const std::uint32_t id = rig.run({.limit = hours(1)});
    UpdateJob longer{.job = ref(id)};
    longer.change.time_limit = std::optional(Duration(hours(2)));
    EXPECT_EQ(why(rig.ask(kAnn, longer)), Refusal::not_allowed);
    EXPECT_TRUE(is_done(rig.ask(kOperator, longer))) << "more time is an operator's to give";
    EXPECT_EQ(why(rig.ask(kBob, UpdateJob{.job = ref(id)})), Refusal::not_allowed);
    UpdateJob unknown{.job = ref(id)};
    unknown.change.partition = "nosuch";
    EXPECT_EQ(why(rig.ask(kAnn, unknown)), Refusal::unknown_partition);
    unknown.change.partition.reset();
    unknown.change.qos = "nosuch";
    EXPECT_EQ(why(rig.ask(kAnn, unknown)), Refusal::unknown_qos);
    UpdateJob large{.job = ref(id)};
    large.change.comment = std::string(5000, 'x');
    EXPECT_EQ(why(rig.ask(kAnn, large)), Refusal::invalid_request);
}

// ---- nodes

// ---- explain

TEST_F(Commands, ExplainTellsWhyAJobWaits) {
    const std::uint32_t running = rig.run({.nodes = 2, .gpus = 8});
    const std::uint32_t id = rig.submit({.gpus = 8});
    const Answer answer = rig.ask(kBob, ExplainJob{ref(id)});
    ASSERT_TRUE(std::holds_alternative<Explanation>(answer));
    EXPECT_EQ(std::get<Explanation>(answer).reason, PendingReason::resources);
    EXPECT_TRUE(std::get<Explanation>(answer).planned_start.has_value());
    EXPECT_EQ(why(rig.ask(kAnn, ExplainJob{ref(running)})), Refusal::job_not_pending);
    EXPECT_EQ(why(rig.ask(kAnn, ExplainJob{ref(77)})), Refusal::unknown_job);
    EXPECT_EQ(why(rig.ask(kNobody, ExplainJob{ref(id)})), Refusal::not_allowed);
}

// A principal without a role is refused everything.
TEST_F(Commands, RefuseEverythingToWhoeverHasNoRole) {
    const std::uint32_t id = rig.run();
    const Command commands[] = {SubmitJob{testing::make_job(), {"#!/bin/sh\n", {}}},
                                CancelJob{.job = ref(id)},
                                HoldJob{.job = ref(id)},
                                RequeueJob{.job = ref(id)},
                                UpdateJob{.job = ref(id)},
                                UpdateNode{"node1", NodeAction::drain, "x"},
                                CreateStep{.job = ref(id)},
                                ExplainJob{ref(id)},
                                HashState{}};
    for (const Command& command : commands) {
        EXPECT_EQ(why(rig.ask(kNobody, command)), Refusal::not_allowed) << command.index();
        EXPECT_TRUE(rig.last.record.facts.empty());
        EXPECT_TRUE(rig.last.orders.empty());
    }
}

}  // namespace
}  // namespace berth
