// How runs start and end, fact by fact.
#include <gtest/gtest.h>

#include "berth/engine/state/job_queries.h"
#include "berth/engine/state/snapshot.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/random_facts.h"

namespace berth {
namespace {

class Runs : public ::testing::Test {
protected:
    Runs() {
        state.apply(at(0), ControllerStarted{Epoch(1)});
        state.apply(at(0), SpecInstalled{testing::make_cluster(3)});
    }
    ~Runs() override { state.check_invariants(); }

    JobId submit(std::optional<bool> requeue = std::nullopt, std::uint32_t tasks = 0) {
        Job job;
        job.id = state.next_job_id();
        job.spec.requeue = requeue;
        job.spec.request_id = "request " + to_string(job.id);
        job.time_limit = std::chrono::hours(1);
        if (tasks > 0) job.spec.array.emplace();
        for (std::uint32_t i = 0; i < tasks; ++i) job.spec.array->tasks.push_back(i);
        state.apply(at(1), JobSubmitted{job});
        return job.id;
    }
    StartJob start_fact(JobId id, const std::vector<std::uint32_t>& nodes) {
        StartJob fact{.job = id, .attempt = Attempt(job(id).attempt.value() + 1)};
        for (const std::uint32_t n : nodes) {
            fact.allocation.shares.push_back(testing::free_share(state, NodeId(n), 4, 2));
        }
        return fact;
    }
    void start(JobId id, const std::vector<std::uint32_t>& nodes) {
        state.apply(at(10), start_fact(id, nodes));
    }
    JobId start_task(JobId array, std::uint32_t task) {
        StartJob fact = start_fact(array, {0});
        fact.array_task = task;
        fact.task_job = job(array).spec.array->tasks.size() == 1 ? array : state.next_job_id();
        state.apply(at(10), fact);
        return *fact.task_job;
    }
    void end(AttemptEnded fact) {
        if (fact.attempt == Attempt(0)) fact.attempt = job(fact.job).attempt;
        state.apply(at(20), fact);
    }
    void exit(JobId id, std::uint32_t node, std::int16_t code) {
        end({.job = id, .node = NodeId(node), .batch_exit = ExitStatus{.code = code}});
    }
    // A step that holds nothing on these nodes.
    static Step step(std::uint32_t id, const std::vector<std::uint32_t>& nodes) {
        Step made{.id = StepId(id)};
        for (const std::uint32_t n : nodes) {
            made.nodes.push_back(NodeId(n));
            made.shares.push_back({.node = NodeId(n), .cores = BitSet(64), .tasks = {}});
        }
        return made;
    }
    const Job& job(JobId id) const { return *state.find_job(id); }
    bool all_free() const {
        for (std::uint32_t n = 0; n < 3; ++n) {
            if (state.nodes().free(NodeId(n)) != berth::all_free(state.spec().node(NodeId(n)))) {
                return false;
            }
        }
        return true;
    }

    ClusterState state;
};

TEST_F(Runs, AStartTakesWhatItSaysAndEndsThePromise) {
    const JobId id = submit();
    Resources amount;
    amount.set_cpu(cores(4));
    state.apply(at(2), PlanJob{id, PlannedStart{at(10), at(20), NodeAmounts{{NodeId(0), amount}}}});
    ASSERT_NE(state.schedule().planned(id), nullptr);
    start(id, {0, 1});
    EXPECT_EQ(job(id).state, JobState::running);
    EXPECT_EQ(job(id).cpus, 8U);
    EXPECT_EQ(job(id).nodes, (std::vector{NodeId(0), NodeId(1)}));
    EXPECT_EQ(job(id).allocated->cpu(), cores(8));
    EXPECT_EQ(job(id).started_at, at(10));
    EXPECT_EQ(job(id).eligible_at, at(10));
    EXPECT_EQ(state.schedule().planned(id), nullptr);
    EXPECT_EQ(state.nodes().free(NodeId(0)).amount.cpu(), cores(60));
    EXPECT_EQ(state.nodes().free(NodeId(0)).devices, DeviceMask{0xfc});
    EXPECT_FALSE(state.nodes().free(NodeId(0)).cores.test(3));
    EXPECT_EQ(state.index().on_node(NodeId(1)), std::vector{id});
    EXPECT_TRUE(state.index().on_node(NodeId(2)).empty());
}

TEST_F(Runs, AnExitCodeOfTheSiteSendsTheJobBackToTheQueue) {
    ClusterSpec spec = testing::make_cluster(3);
    spec.scheduling.requeue_exit = {3, 5, 6};
    spec.scheduling.requeue_exit_hold = {7};
    state.apply(at(0), SpecInstalled{spec});
    const JobId again = submit(false), held = submit(), fails = submit();
    for (const auto& [id, code] : {std::pair(again, 5), std::pair(held, 7), std::pair(fails, 4)}) {
        start(id, {0, 1});
        exit(id, 0, static_cast<std::int16_t>(code));
        EXPECT_EQ(job(id).state, JobState::completing);
        end({.job = id, .node = NodeId(1)});
        EXPECT_EQ(job(id).exit.code, code);
    }
    EXPECT_EQ(job(again).state, JobState::pending) << "whatever --no-requeue says";
    EXPECT_EQ(job(again).hold, Hold::none);
    EXPECT_EQ(job(again).spec.begin, at(20) + std::chrono::minutes(2));
    EXPECT_EQ(job(again).restarts, 1U);
    EXPECT_EQ(job(held).state, JobState::pending);
    EXPECT_EQ(job(held).hold, Hold::special_exit);
    EXPECT_FALSE(job(held).spec.begin);
    state.apply(at(30), JobHeld{held, Hold::none});
    EXPECT_EQ(job(held).hold, Hold::none);
    EXPECT_EQ(job(fails).state, JobState::failed);
}

TEST_F(Runs, AnExitCodeOfTheSiteChangesNothingForOtherEnds) {
    ClusterSpec spec = testing::make_cluster(3);
    spec.scheduling.requeue_exit = {1, 9, 125};
    state.apply(at(0), SpecInstalled{spec});
    const JobId killed = submit();
    start(killed, {0});
    end({.job = killed, .node = NodeId(0), .batch_exit = ExitStatus{.code = 0, .signal = 9}});
    EXPECT_EQ(job(killed).state, JobState::failed);
    const JobId ran_out = submit();
    start(ran_out, {0});
    end({.job = ran_out,
         .node = NodeId(0),
         .batch_exit = ExitStatus{.code = 1},
         .out_of_memory = true});
    EXPECT_EQ(job(ran_out).state, JobState::out_of_memory);
    const JobId cancelled = submit();
    start(cancelled, {0});
    state.apply(at(15), EndJob{.job = cancelled, .outcome = JobState::cancelled});
    exit(cancelled, 0, 1);
    EXPECT_EQ(job(cancelled).state, JobState::cancelled);
}

TEST_F(Runs, AJobIsCompletingUntilItsLastNodeIsClean) {
    const JobId id = submit();
    start(id, {0, 1});
    exit(id, 0, 0);
    EXPECT_EQ(job(id).state, JobState::completing);
    EXPECT_EQ(job(id).outcome, JobState::completed);
    EXPECT_EQ(state.nodes().free(NodeId(0)).devices, DeviceMask{0xff});
    EXPECT_EQ(state.nodes().free(NodeId(1)).devices, DeviceMask{0xfc});
    end({.job = id, .node = NodeId(1)});
    EXPECT_EQ(job(id).state, JobState::completed);
    EXPECT_EQ(job(id).ended_at, at(20));
    EXPECT_FALSE(job(id).allocation.has_value());
    EXPECT_EQ(job(id).nodes.size(), 2U);
    EXPECT_TRUE(all_free());
}

TEST_F(Runs, TheExitOfTheScriptDecidesTheState) {
    struct Row {
        ExitStatus exit;
        bool out_of_memory;
        JobState state;
        std::string reason;
        ExitStatus shown;
    };
    for (const Row& row : {Row{{0, 0}, false, JobState::completed, "", {0, 0}},
                           Row{{3, 0}, false, JobState::failed, "NonZeroExitCode", {3, 0}},
                           Row{{0, 9}, false, JobState::failed, "RaisedSignal", {0, 9}},
                           Row{{0, 9}, true, JobState::out_of_memory, "OutOfMemory", {0, 125}}}) {
        const JobId id = submit();
        start(id, {0});
        end({.job = id,
             .node = NodeId(0),
             .batch_exit = row.exit,
             .out_of_memory = row.out_of_memory});
        EXPECT_EQ(job(id).state, row.state);
        EXPECT_EQ(job(id).state_reason, row.reason);
        EXPECT_EQ(job(id).exit, row.shown);
    }
}

TEST_F(Runs, AScriptWhoseFilesCouldNotBeOpenedFailsAndSaysWhich) {
    const JobId id = submit();
    start(id, {0});
    const std::string why = "Could not open stdout file /nosuch/out: No such file or directory";
    end({.job = id, .node = NodeId(0), .batch_exit = kNoFilesExit, .reason = why});
    EXPECT_EQ(job(id).state, JobState::failed);
    EXPECT_EQ(job(id).hold, Hold::none);
    EXPECT_EQ(job(id).exit, kNoFilesExit);
    EXPECT_EQ(job(id).state_reason, why);
}

TEST_F(Runs, AReportOfAnotherAttemptOrNodeOrAgainChangesNothing) {
    const JobId id = submit();
    start(id, {0, 1});
    const std::uint64_t before = state.hash();
    end({.job = id, .attempt = Attempt(7), .node = NodeId(0), .lost = true});
    end({.job = id, .node = NodeId(2), .lost = true});
    end({.job = JobId(99), .attempt = Attempt(1), .node = NodeId(0)});
    EXPECT_EQ(state.hash(), before);
    exit(id, 0, 0);
    const std::uint64_t after = state.hash();
    exit(id, 0, 1);
    EXPECT_EQ(state.hash(), after);
}

TEST_F(Runs, ALostRunGoesBackToTheQueueOrFailsAsTheJobAsked) {
    for (const bool requeue : {true, false}) {
        const JobId id = submit(requeue);
        start(id, {0, 1});
        end({.job = id, .node = NodeId(1), .lost = true});
        EXPECT_EQ(job(id).state, JobState::completing);
        end({.job = id, .node = NodeId(0)});
        EXPECT_EQ(job(id).state, requeue ? JobState::pending : JobState::node_fail);
        EXPECT_EQ(job(id).restarts, requeue ? 1U : 0U);
        EXPECT_EQ(job(id).attempt, Attempt(1));
    }
    EXPECT_TRUE(all_free());
}

TEST_F(Runs, TheSiteDecidesOnRequeueWhereTheJobDoesNot) {
    ClusterSpec spec = state.spec();
    spec.scheduling.requeue_by_default = false;
    state.apply(at(0), SpecInstalled{spec});
    const JobId id = submit();
    start(id, {0});
    end({.job = id, .node = NodeId(0), .lost = true});
    EXPECT_EQ(job(id).state, JobState::node_fail);
}

TEST_F(Runs, ARequeuedJobStartsAfreshWithTheNextAttempt) {
    const JobId id = submit();
    start(id, {0});
    state.apply(at(11), StepCreated{id, Attempt(1), step(0, {0})});
    state.apply(at(15), EndJob{.job = id, .outcome = JobState::pending});
    end({.job = id, .node = NodeId(0)});
    EXPECT_EQ(job(id).state, JobState::pending);
    EXPECT_TRUE(job(id).steps.empty());
    EXPECT_FALSE(job(id).started_at || job(id).ended_at || job(id).eligible_at);
    EXPECT_TRUE(state.index().pending().contains(id));
    start(id, {1});
    EXPECT_EQ(job(id).attempt, Attempt(2));
    EXPECT_EQ(job(id).next_step, 0U);
}

TEST_F(Runs, AFailedLaunchHoldsTheJobForAnAdministrator) {
    const JobId id = submit();
    start(id, {0});
    end({.job = id, .node = NodeId(0), .lost = true, .reason = "no such user"});
    EXPECT_EQ(job(id).state, JobState::pending);
    EXPECT_EQ(job(id).hold, Hold::admin);
    EXPECT_EQ(job(id).state_reason, "launch failed requeued held");
    state.apply(at(30), JobHeld{.job = id, .hold = Hold::none});
    EXPECT_EQ(job(id).state_reason, "");
    start(id, {0});
}

TEST_F(Runs, ABatchHostThatEndsWithoutAnExitCountsAsLost) {
    const JobId id = submit(false);
    start(id, {0});
    end({.job = id, .node = NodeId(0)});
    EXPECT_EQ(job(id).state, JobState::node_fail);
}

TEST_F(Runs, TheFirstDecidedEndStands) {
    const JobId id = submit();
    start(id, {0});
    state.apply(at(15), EndJob{.job = id, .outcome = JobState::timeout, .reason = "TimeLimit"});
    state.apply(at(16), EndJob{.job = id, .outcome = JobState::cancelled});
    exit(id, 0, 3);
    EXPECT_EQ(job(id).state, JobState::timeout);
    EXPECT_EQ(job(id).state_reason, "TimeLimit");
    EXPECT_EQ(job(id).exit, ExitStatus{});
    EXPECT_EQ(job(id).ended_at, at(15));
}

TEST_F(Runs, ACancelOverridesARequeueThatIsUnderWay) {
    const JobId id = submit();
    start(id, {0});
    state.apply(at(15), EndJob{.job = id, .outcome = JobState::pending, .hold = Hold::user});
    state.apply(at(16), EndJob{.job = id, .outcome = JobState::cancelled});
    end({.job = id, .node = NodeId(0)});
    EXPECT_EQ(job(id).state, JobState::cancelled);
    EXPECT_EQ(job(id).hold, Hold::none);
}

TEST_F(Runs, AStepIsOverWhenAllItsNodesAreAndHasTheHighestExit) {
    const JobId id = submit();
    start(id, {0, 1});
    state.apply(at(11), StepCreated{id, Attempt(1), step(0, {0, 1})});
    state.apply(at(12), StepEnded{id, Attempt(1), StepId(0), NodeId(1), {.code = 2}});
    state.apply(at(12), StepEnded{id, Attempt(1), StepId(0), NodeId(1), {.code = 9}});  // Repeated.
    EXPECT_EQ(job(id).steps[0].state, StepState::running);
    state.apply(at(13), StepEnded{id, Attempt(1), StepId(0), NodeId(0), {.code = 1}});
    EXPECT_EQ(job(id).steps[0].state, StepState::failed);
    EXPECT_EQ(job(id).steps[0].exit, ExitStatus{.code = 2});
    EXPECT_EQ(job(id).steps[0].ended_at, at(13));
    EXPECT_EQ(job(id).derived_exit, ExitStatus{.code = 2});
    EXPECT_EQ(job(id).next_step, 1U);
}

TEST_F(Runs, StepsEndWithTheNodesTheyRunOn) {
    const JobId id = submit();
    start(id, {0});
    for (std::uint32_t i = 0; i < 2; ++i) {
        state.apply(at(11), StepCreated{id, Attempt(1), step(i, {0})});
    }
    state.apply(at(12), StepEnded{.job = id,
                                  .attempt = Attempt(1),
                                  .step = StepId(1),
                                  .node = NodeId(0),
                                  .exit = {.signal = 9},
                                  .out_of_memory = true});
    exit(id, 0, 0);
    EXPECT_EQ(job(id).steps[0].state, StepState::cancelled);
    EXPECT_EQ(job(id).steps[1].state, StepState::out_of_memory);
}

TEST_F(Runs, EndedStepsAreKeptUpToALimitAndRunningOnesAlways) {
    const JobId id = submit();
    start(id, {0});
    for (std::uint32_t i = 0; i < 400; ++i) {
        state.apply(at(11), StepCreated{id, Attempt(1), step(i, {0})});
        if (i > 0) state.apply(at(12), StepEnded{id, Attempt(1), StepId(i), NodeId(0), {}});
    }
    EXPECT_LE(job(id).steps.size(), 258U);
    EXPECT_EQ(job(id).steps.front().id, StepId(0));
    EXPECT_EQ(job(id).steps.back().id, StepId(399));
}

TEST_F(Runs, TasksOfAnArrayLeaveItsRecordAndTheLastOneBecomesIt) {
    const JobId array = submit(std::nullopt, 3);
    const JobId second = start_task(array, 1);
    EXPECT_EQ(second, JobId(array.value() + 1));
    EXPECT_EQ(job(second).array_job, array);
    EXPECT_EQ(job(second).array_task, 1U);
    EXPECT_EQ(job(second).spec.request_id, "");
    EXPECT_EQ(job(array).spec.array->tasks, (std::vector<std::uint32_t>{0, 2}));
    EXPECT_EQ(job(array).state, JobState::pending);
    start_task(array, 0);
    EXPECT_EQ(start_task(array, 2), array);
    EXPECT_FALSE(job(array).spec.array.has_value());
    EXPECT_EQ(job(array).array_task, 2U);
    EXPECT_EQ(array_members(state, array),
              (std::vector{array, JobId(array.value() + 1), JobId(array.value() + 2)}));
    EXPECT_EQ(state.index().find_request("request " + to_string(array)), array);
}

TEST_F(Runs, ACancelledTaskIsARecordOfItsOwn) {
    const JobId array = submit(std::nullopt, 4);
    state.apply(at(5), JobCancelled{.job = array, .array_tasks = {1, 3}});
    const std::vector<JobId> members = array_members(state, array);
    ASSERT_EQ(members.size(), 3U);
    EXPECT_EQ(job(members[1]).state, JobState::cancelled);
    EXPECT_EQ(job(members[1]).array_task, 1U);
    EXPECT_EQ(job(members[2]).array_task, 3U);
    EXPECT_EQ(job(array).spec.array->tasks, (std::vector<std::uint32_t>{0, 2}));
    state.apply(at(6), JobCancelled{.job = array});
    EXPECT_EQ(job(array).state, JobState::cancelled);
    EXPECT_EQ(array_members(state, array).size(), 3U);
}

TEST_F(Runs, CancellingThousandsOfTasksMakesALimitedNumberOfRecords) {
    const JobId array = submit(std::nullopt, 3000);
    JobCancelled most{.job = array};
    for (std::uint32_t i = 0; i < 2900; ++i) most.array_tasks.push_back(i);
    state.apply(at(5), most);
    EXPECT_EQ(job(array).spec.array->tasks.size(), 100U);
    const std::vector<JobId> members = array_members(state, array);
    ASSERT_EQ(members.size(), 1002U);
    EXPECT_EQ(job(members.back()).spec.array->tasks.size(), 1900U);
    EXPECT_EQ(job(members.back()).state, JobState::cancelled);
}

TEST_F(Runs, AForgottenJobLeavesEveryIndex) {
    const JobId id = submit();
    state.apply(at(5), JobCancelled{.job = id});
    ASSERT_EQ(state.index().finished().size(), 1U);
    state.apply(at(6), JobForgotten{id});
    EXPECT_EQ(state.find_job(id), nullptr);
    EXPECT_FALSE(state.index().find_request("request " + to_string(id)).has_value());
    EXPECT_TRUE(state.index().finished().empty());
}

TEST_F(Runs, AForgottenJobsRequestIsKnownForADay) {
    const JobId id = submit();
    const std::string request = "request " + to_string(id);
    state.apply(at(5), JobCancelled{.job = id});
    EXPECT_EQ(state.past_requests().find(request), nullptr);
    const ClusterState::Mark mark = state.checkpoint();
    state.apply(at(6), JobForgotten{id});
    state.rollback(mark);
    EXPECT_EQ(state.past_requests().find(request), nullptr);
    state.apply(at(6), JobForgotten{id});
    const auto again = state_from(slices_of(state, 100));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->hash(), state.hash());
    for (const ClusterState* one : {&again.value(), static_cast<const ClusterState*>(&state)}) {
        ASSERT_NE(one->past_requests().find(request), nullptr);
        EXPECT_EQ(one->past_requests().find(request)->job, id);
    }
}

using RunsDeathTest = Runs;

TEST_F(RunsDeathTest, AStartThatDoesNotFitIsABug) {
    const JobId first = submit(), second = submit();
    StartJob taken = start_fact(first, {0});
    start(first, {0});
    taken.job = second;
    EXPECT_DEATH(state.apply(at(11), taken), "is_subset_of");
}

}  // namespace
}  // namespace berth
