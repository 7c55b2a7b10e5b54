#include <gtest/gtest.h>

#include "berth/store/accounting_facts.h"
#include "berth/store/reader.h"
#include "berth/store/small_cluster.h"

namespace berth {
namespace {

using testing::at;
using testing::Folder;
using testing::SmallCluster;

using Times = std::vector<std::pair<Time, Time>>;

class Accounting : public ::testing::Test {
protected:
    Accounting() : cluster_(folder_.path()) {
        EXPECT_TRUE(cluster_.ok()) << cluster_.error;
        EXPECT_TRUE(cluster_.become_leader(at(0)).ok());
    }

    void record(std::int64_t second, std::vector<Fact> facts) {
        ASSERT_TRUE(cluster_.record(at(second), std::move(facts)).ok());
    }
    void submit(std::uint32_t id, std::int64_t second, std::string name = "train",
                std::string user = "ada") {
        Job job = testing::pending_job(id, at(second), std::move(name));
        job.owner.edit().user = std::move(user);
        record(second, {JobSubmitted{job}});
    }
    void start(std::uint32_t id, std::int64_t second, std::uint32_t attempt,
               const std::vector<NodeId>& nodes = {NodeId(0)}) {
        ASSERT_TRUE(cluster_.start(id, at(second), attempt, nodes).ok());
    }
    void suspend(std::uint32_t id, std::int64_t second, bool in_force = true,
                 std::uint32_t attempt = 1) {
        record(second,
               {JobSuspended{.job = JobId(id), .attempt = Attempt(attempt), .in_force = in_force}});
    }
    AttemptEnded ended(std::uint32_t id, std::uint32_t attempt, std::optional<ExitStatus> exit,
                       std::uint32_t node = 0) {
        return {.job = JobId(id),
                .attempt = Attempt(attempt),
                .node = NodeId(node),
                .batch_exit = exit};
    }
    std::vector<AccountingRecord> rows(const AccountingFilter& filter = {}) {
        Result<StoreReader> reader = StoreReader::open(folder_.path());
        if (!reader.ok()) return {};
        Result<AccountingAnswer> answer = reader->accounting(filter);
        EXPECT_TRUE(answer.ok());
        return answer.ok() ? answer->records : std::vector<AccountingRecord>();
    }
    AccountingRecord only_row(std::uint32_t id) {
        const std::vector<AccountingRecord> found = rows({.jobs = {JobId(id)}});
        EXPECT_EQ(found.size(), 1u);
        return found.empty() ? AccountingRecord() : found.front();
    }

    Folder folder_;
    SmallCluster cluster_;
};

TEST_F(Accounting, ShowsAJobAsSoonAsItIsSubmitted) {
    submit(1, 10);
    const AccountingRecord row = only_row(1);
    EXPECT_EQ(row.state, JobState::pending);
    EXPECT_EQ(row.submitted_at, at(10));
    EXPECT_EQ(row.owner.user, "ada");
    EXPECT_EQ(row.account, "physics");
    EXPECT_EQ(row.partition, "main");
    EXPECT_EQ(row.qos, "normal");
    EXPECT_EQ(row.cluster, "small");
    EXPECT_EQ(row.time_limit, std::chrono::hours(1));
    EXPECT_FALSE(row.started_at || row.ended_at);
    EXPECT_TRUE(row.steps.empty());
}

TEST_F(Accounting, FollowsAJobToItsEnd) {
    submit(1, 10);
    start(1, 20, 1, {NodeId(0), NodeId(1)});
    AccountingRecord row = only_row(1);
    EXPECT_EQ(row.state, JobState::running);
    EXPECT_EQ(row.attempt, Attempt(1));
    EXPECT_EQ(row.nodes, (std::vector<std::string>{"gpu1", "gpu2"}));
    EXPECT_EQ(row.cpus, 2u);
    ASSERT_EQ(row.steps.size(), 1u);
    EXPECT_EQ(row.steps[0].id, kBatchStep);
    EXPECT_EQ(row.steps[0].nodes, std::vector<std::string>{"gpu1"});
    EXPECT_FALSE(row.steps[0].ended_at);

    record(30, {ended(1, 1, ExitStatus{.code = 3})});
    row = only_row(1);
    EXPECT_EQ(row.state, JobState::failed);
    EXPECT_TRUE(row.completing) << "gpu2 is not clean yet";
    EXPECT_EQ(row.steps[0].ended_at, at(30));
    EXPECT_EQ(row.steps[0].exit, (ExitStatus{.code = 3}));
    EXPECT_EQ(row.steps[0].state, StepState::failed);

    record(40, {ended(1, 1, std::nullopt, 1)});
    row = only_row(1);
    EXPECT_EQ(row.state, JobState::failed);
    EXPECT_FALSE(row.completing);
    EXPECT_EQ(row.ended_at, at(30));
    EXPECT_EQ(row.exit, (ExitStatus{.code = 3}));
    EXPECT_EQ(row.cpus, 2u) << "what it held stays on record";
    EXPECT_EQ(row.nodes.size(), 2u);

    record(400, {JobForgotten{JobId(1)}});
    EXPECT_EQ(only_row(1), row) << "accounting forgets nothing";
}

TEST_F(Accounting, KeepsEachStepWithItsEnd) {
    submit(1, 10);
    start(1, 20, 1);
    Step step{
        .id = StepId(0), .name = "bash", .cpus = 1, .nodes = {NodeId(0)}, .started_at = at(21)};
    step.shares.push_back({.node = NodeId(0), .cores = BitSet(16)});
    record(21, {StepCreated{JobId(1), Attempt(1), step}});
    Step second = step;
    second.id = StepId(1);
    second.name = "left running";
    record(22, {StepCreated{JobId(1), Attempt(1), second}});
    EXPECT_EQ(only_row(1).steps.size(), 3u);
    record(25, {StepEnded{.job = JobId(1),
                          .attempt = Attempt(1),
                          .step = StepId(0),
                          .node = NodeId(0),
                          .exit = {.code = 2}}});
    record(30, {ended(1, 1, ExitStatus{})});
    const AccountingRecord row = only_row(1);
    EXPECT_EQ(row.state, JobState::completed);
    ASSERT_EQ(row.steps.size(), 3u);
    EXPECT_EQ(row.steps[0].id, kBatchStep);
    EXPECT_EQ(row.steps[0].state, StepState::completed);
    EXPECT_EQ(row.steps[1].name, "bash");
    EXPECT_EQ(row.steps[1].state, StepState::failed);
    EXPECT_EQ(row.steps[1].ended_at, at(25));
    EXPECT_EQ(row.steps[1].exit, (ExitStatus{.code = 2}));
    EXPECT_EQ(row.steps[2].state, StepState::cancelled);
    EXPECT_EQ(row.steps[2].ended_at, at(30));
}

TEST_F(Accounting, KeepsEveryStepOfAJobWithMoreThanTheStateRemembers) {
    submit(1, 10);
    start(1, 20, 1);
    constexpr std::uint32_t kSteps = 600;
    for (std::uint32_t id = 0; id < kSteps; ++id) {
        Step step{.id = StepId(id), .nodes = {NodeId(0)}, .started_at = at(21)};
        step.shares.push_back({.node = NodeId(0), .cores = BitSet(16)});
        record(21, {StepCreated{JobId(1), Attempt(1), step}});
        record(22,
               {StepEnded{
                   .job = JobId(1), .attempt = Attempt(1), .step = StepId(id), .node = NodeId(0)}});
    }
    record(30, {ended(1, 1, ExitStatus{})});
    const AccountingRecord row = only_row(1);
    ASSERT_EQ(row.steps.size(), kSteps + 1);
    for (std::size_t i = 1; i < row.steps.size(); ++i) {
        ASSERT_EQ(row.steps[i].state, StepState::completed);
        ASSERT_EQ(row.steps[i].ended_at, at(22));
    }
}

TEST_F(Accounting, KeepsOneRecordOfEveryAttempt) {
    submit(1, 10);
    start(1, 20, 1);
    record(30, {EndJob{.job = JobId(1), .outcome = JobState::pending, .reason = "requeued"}});
    EXPECT_EQ(only_row(1).state, JobState::completing);
    record(31, {ended(1, 1, ExitStatus{.signal = 15})});
    start(1, 40, 2, {NodeId(1)});
    record(50, {ended(1, 2, ExitStatus{}, 1)});

    const std::vector<AccountingRecord> all = rows({.jobs = {JobId(1)}, .duplicates = true});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_TRUE(all[0].requeued);
    EXPECT_EQ(all[0].state, JobState::pending) << "shown as REQUEUED";
    EXPECT_EQ(all[0].attempt, Attempt(1));
    EXPECT_EQ(all[0].started_at, at(20));
    EXPECT_EQ(all[0].ended_at, at(30));
    EXPECT_EQ(all[0].nodes, std::vector<std::string>{"gpu1"});
    EXPECT_EQ(all[0].steps.at(0).ended_at, at(31));
    EXPECT_EQ(all[0].steps.at(0).state, StepState::cancelled);
    EXPECT_FALSE(all[1].requeued);
    EXPECT_EQ(all[1].state, JobState::completed);
    EXPECT_EQ(all[1].attempt, Attempt(2));
    EXPECT_EQ(all[1].restarts, 1u);
    EXPECT_EQ(all[1].nodes, std::vector<std::string>{"gpu2"});

    EXPECT_EQ(only_row(1).attempt, Attempt(2)) << "without -D, only the last";
    const auto requeued = rows({.requeued_only = true, .duplicates = true});
    ASSERT_EQ(requeued.size(), 1u);
    EXPECT_EQ(requeued[0].attempt, Attempt(1));
}

// A run that is preempted is PREEMPTED from the moment it must end, also if its job waits again.
TEST_F(Accounting, ShowsAPreemptedRunAsThat) {
    submit(1, 10);
    submit(2, 10);
    start(1, 20, 1);
    const JobsPreempted decided{.preemptor = JobId(2),
                                .victims = {{JobId(1), Attempt(1), PreemptMode::requeue, at(30)}},
                                .array = {}};
    record(25, {decided});
    EXPECT_EQ(only_row(1).state, JobState::running);
    EXPECT_EQ(only_row(1).reason, "Preempted by job 2");
    const EndJob end{.job = JobId(1),
                     .outcome = JobState::pending,
                     .reason = "Preempted by job 2",
                     .preempted_by = JobId(2)};
    record(30, {end});
    EXPECT_EQ(only_row(1).state, JobState::preempted);
    record(31, {ended(1, 1, ExitStatus{.signal = 15})});
    const std::vector<AccountingRecord> all = rows({.jobs = {JobId(1)}, .duplicates = true});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].state, JobState::preempted);
    EXPECT_EQ(all[0].ended_at, at(30));
    EXPECT_EQ(all[0].reason, "Preempted by job 2");
    EXPECT_EQ(all[1].state, JobState::pending);
}

TEST_F(Accounting, KeepsWhenARunStoodStill) {
    submit(1, 10);
    start(1, 20, 1);
    suspend(1, 30);
    EXPECT_EQ(only_row(1).suspended_since, at(30));
    EXPECT_EQ(only_row(1).stood_still, Times{});
    suspend(1, 40, false);
    EXPECT_EQ(only_row(1).stood_still, (Times{{at(30), at(40)}}));
    suspend(1, 50);
    EXPECT_EQ(only_row(1).stood_still, (Times{{at(30), at(40)}})) << "and what is known stays";
    record(70, {EndJob{.job = JobId(1), .outcome = JobState::cancelled}});
    const Times both{{at(30), at(40)}, {at(50), at(70)}};
    EXPECT_EQ(only_row(1).stood_still, both);
    record(75, {ended(1, 1, ExitStatus{.signal = 15})});
    record(400, {JobForgotten{JobId(1)}});
    EXPECT_EQ(only_row(1).stood_still, both);
    EXPECT_EQ(only_row(1).suspended, std::chrono::seconds(30));
}

TEST_F(Accounting, WhenARunStoodStillIsNotToldOfTheNextRun) {
    submit(1, 10);
    start(1, 20, 1);
    suspend(1, 30);
    suspend(1, 40, false);
    record(50, {EndJob{.job = JobId(1), .outcome = JobState::pending}});
    record(60, {ended(1, 1, ExitStatus{.signal = 15})});
    start(1, 70, 2);
    suspend(1, 80, true, 2);
    suspend(1, 90, false, 2);
    const std::vector<AccountingRecord> all = rows({.duplicates = true});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].stood_still, (Times{{at(30), at(40)}}));
    EXPECT_EQ(all[1].stood_still, (Times{{at(80), at(90)}}));
}

// Runs that take turns stand still thousands of times.
TEST_F(Accounting, OfManyTimesThatARunStoodStillTheSumIsKept) {
    submit(1, 10);
    start(1, 20, 1);
    std::int64_t second = 30;
    for (int i = 0; i < 1000; ++i) {
        suspend(1, second);
        suspend(1, second + 1 + i % 3, false);
        second += 10;
    }
    const AccountingRecord row = only_row(1);
    ASSERT_EQ(row.stood_still.size(), kStoodStillMax);
    Duration sum{};
    Time last = *row.started_at;
    for (const auto& [begin, end] : row.stood_still) {
        EXPECT_LT(last, begin) << "in order, and apart from each other";
        EXPECT_LT(begin, end);
        EXPECT_LT(end - last, std::chrono::seconds(500)) << "of ten thousand";
        sum += end - begin;
        last = end;
    }
    EXPECT_EQ(sum, row.suspended);
    EXPECT_EQ(row.stood_still.back().second, at(second - 10 + 1 + 999 % 3));
}

TEST_F(Accounting, TellsALostNodeFromARequeue) {
    submit(1, 10);
    start(1, 20, 1, {NodeId(0), NodeId(1)});
    AttemptEnded lost = ended(1, 1, std::nullopt);
    lost.lost = true;
    record(30, {lost});
    EXPECT_EQ(only_row(1).state, JobState::node_fail);
    record(35, {ended(1, 1, std::nullopt, 1)});
    const std::vector<AccountingRecord> all = rows({.duplicates = true});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].state, JobState::node_fail);
    EXPECT_TRUE(all[0].requeued);
    EXPECT_EQ(all[0].steps.at(0).state, StepState::node_fail);
    EXPECT_EQ(all[1].state, JobState::pending);
    EXPECT_EQ(all[1].attempt, Attempt(2)) << "the run it waits for";
}

// An agent says that a run is lost whose launch had not arrived when it was told to end it.
TEST_F(Accounting, ARunThatWasEndingIsNotLostWithItsNode) {
    AttemptEnded lost = ended(1, 1, std::nullopt);
    lost.lost = true;
    submit(1, 10);
    start(1, 20, 1);
    record(21, {JobsPreempted{.preemptor = JobId(9),
                              .victims = {{.job = JobId(1),
                                           .attempt = Attempt(1),
                                           .mode = PreemptMode::requeue,
                                           .ends_at = at(21)}}}});
    record(22, {EndJob{.job = JobId(1), .outcome = JobState::pending, .preempted_by = JobId(9)}});
    EXPECT_EQ(only_row(1).state, JobState::preempted);
    record(23, {lost});
    start(1, 30, 2, {NodeId(0), NodeId(1)});
    record(31, {EndJob{.job = JobId(1), .outcome = JobState::cancelled}});
    lost.attempt = Attempt(2);
    record(32, {lost});
    const std::vector<AccountingRecord> all = rows({.duplicates = true});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].state, JobState::preempted);
    EXPECT_TRUE(all[0].requeued);
    EXPECT_EQ(all[1].state, JobState::cancelled) << "while its other node is awaited";
}

TEST_F(Accounting, ALossInTheRecordThatEndsARunDependsOnWhichCameFirst) {
    const auto lost = [&](std::uint32_t id) {
        AttemptEnded fact = ended(id, 1, std::nullopt);
        fact.lost = true;
        return fact;
    };
    for (const std::uint32_t id : {1U, 2U}) {
        submit(id, 10);
        start(id, 20, 1, {NodeId(id - 1)});
    }
    AttemptEnded second = lost(2);
    second.node = NodeId(1);
    const EndJob requeue{.job = JobId(1), .outcome = JobState::pending};
    record(30, {requeue, lost(1), second, EndJob{.job = JobId(2), .outcome = JobState::pending}});
    EXPECT_EQ(rows({.jobs = {JobId(1)}, .duplicates = true}).at(0).state, JobState::pending);
    EXPECT_EQ(rows({.jobs = {JobId(2)}, .duplicates = true}).at(0).state, JobState::node_fail);
}

// A requeued attempt may end and the next one start within one record.
TEST_F(Accounting, SeparatesTwoAttemptsInOneRecord) {
    submit(1, 10);
    start(1, 20, 1);
    record(30, {EndJob{.job = JobId(1), .outcome = JobState::pending}});
    record(31, {ended(1, 1, ExitStatus{.code = 1}),
                StartJob{.job = JobId(1),
                         .attempt = Attempt(2),
                         .allocation =
                             testing::share_of_nodes(cluster_.state().spec(), {NodeId(0)}, 0)}});
    const std::vector<AccountingRecord> all = rows({.duplicates = true});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_TRUE(all[0].requeued);
    EXPECT_EQ(all[0].steps.at(0).exit, (ExitStatus{.code = 1}));
    EXPECT_EQ(all[1].state, JobState::running);
    EXPECT_EQ(all[1].started_at, at(31));
    EXPECT_FALSE(all[1].steps.at(0).ended_at);
}

TEST_F(Accounting, RemembersWhoCancelled) {
    submit(1, 10);
    submit(2, 10);
    start(2, 20, 1);
    record(30, {JobCancelled{.job = JobId(1), .by_uid = 1000},
                EndJob{.job = JobId(2), .outcome = JobState::cancelled, .by_uid = 0}});
    record(31, {ended(2, 1, ExitStatus{.signal = 15})});
    EXPECT_EQ(only_row(1).state, JobState::cancelled);
    EXPECT_EQ(only_row(1).cancelled_by, 1000u);
    EXPECT_EQ(only_row(1).ended_at, at(30));
    EXPECT_FALSE(only_row(1).started_at);
    EXPECT_EQ(only_row(2).state, JobState::cancelled);
    EXPECT_EQ(only_row(2).cancelled_by, 0u);
    EXPECT_EQ(only_row(2).steps.at(0).state, StepState::cancelled);
}

TEST_F(Accounting, ShowsAnArrayAsOneRecordAndItsTasksAsTheirOwn) {
    Job array = testing::pending_job(1, at(10));
    array.spec.array = ArraySpec{.tasks = {0, 1, 2, 3, 7}, .max_running = 2};
    record(10, {JobSubmitted{array}});
    EXPECT_EQ(only_row(1).array_pending, "0-3,7%2");
    EXPECT_EQ(only_row(1).array_job, JobId(1));

    record(20, {StartJob{.job = JobId(1),
                         .array_task = 0,
                         .task_job = JobId(2),
                         .attempt = Attempt(1),
                         .allocation =
                             testing::share_of_nodes(cluster_.state().spec(), {NodeId(0)}, 0)}});
    record(21, {JobCancelled{.job = JobId(1), .array_tasks = {1, 2}, .by_uid = 1000}});
    const std::vector<AccountingRecord> all = rows({.jobs = {JobId(1)}});
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].array_pending, "3,7%2");
    EXPECT_EQ(all[0].state, JobState::pending);
    EXPECT_FALSE(all[0].cancelled_by);
    EXPECT_EQ(all[1].array_task, 0u);
    EXPECT_EQ(all[1].state, JobState::running);
    for (std::size_t i = 2; i < 4; ++i) {
        EXPECT_EQ(all[i].array_job, JobId(1));
        EXPECT_EQ(all[i].array_task, i - 1);
        EXPECT_EQ(all[i].state, JobState::cancelled);
        EXPECT_EQ(all[i].cancelled_by, 1000u);
        EXPECT_TRUE(all[i].array_pending.empty());
    }
}

TEST_F(Accounting, AnswersByUserStateNameAndTime) {
    submit(1, 10, "train", "ada");
    submit(2, 20, "eval", "bob");
    submit(3, 30, "train", "bob");
    record(25 + 15, {JobCancelled{.job = JobId(1)}});
    const auto ids = [&](const AccountingFilter& filter) {
        std::vector<std::uint32_t> found;
        for (const AccountingRecord& row : rows(filter)) found.push_back(row.job.value());
        return found;
    };
    using Ids = std::vector<std::uint32_t>;
    EXPECT_EQ(ids({}), (Ids{1, 2, 3}));
    EXPECT_EQ(ids({.users = {"bob"}}), (Ids{2, 3}));
    EXPECT_EQ(ids({.users = {"bob"}, .names = {"train"}}), (Ids{3}));
    EXPECT_EQ(ids({.accounts = {"chemistry"}}), (Ids{}));
    EXPECT_EQ(ids({.partitions = {"main", "other"}}), (Ids{1, 2, 3}));
    EXPECT_EQ(ids({.states = {JobState::cancelled}}), (Ids{1}));
    EXPECT_EQ(ids({.jobs = {JobId(3), JobId(1), JobId(3), JobId(99)}}), (Ids{1, 3}));
    EXPECT_EQ(ids({.from = at(41)}), (Ids{2, 3})) << "job 1 had ended";
    EXPECT_EQ(ids({.from = at(40)}), (Ids{1, 2, 3}));
    EXPECT_EQ(ids({.until = at(19)}), (Ids{1}));
    EXPECT_EQ(ids({.from = at(0), .until = at(20)}), (Ids{1, 2}));
    EXPECT_EQ(ids({.limit = 2}), (Ids{1, 2}));
}

// Submitted, cancelled and removed before any reader saw it: still on record.
TEST_F(Accounting, MissesNothingOfAJobThatCameAndWentInOneRecord) {
    record(10, {JobSubmitted{testing::pending_job(1, at(10))},
                JobCancelled{.job = JobId(1), .by_uid = 7}, JobForgotten{JobId(1)}});
    const AccountingRecord row = only_row(1);
    EXPECT_EQ(row.state, JobState::cancelled);
    EXPECT_EQ(row.cancelled_by, 7u);
    EXPECT_EQ(row.ended_at, at(10));

    submit(2, 20);
    start(2, 21, 1);
    record(30, {ended(2, 1, ExitStatus{.code = 4}), JobForgotten{JobId(2)}});
    EXPECT_EQ(only_row(2).state, JobState::failed);
    EXPECT_EQ(only_row(2).exit, (ExitStatus{.code = 4}));
    EXPECT_EQ(only_row(2).steps.at(0).ended_at, at(30));
}

}  // namespace
}  // namespace berth
