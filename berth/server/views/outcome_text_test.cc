#include "berth/server/views/outcome_text.h"

#include <gtest/gtest.h>

#include "berth/base/text.h"
#include "berth/model/preempted_by.h"

namespace berth {
namespace {

using std::chrono::minutes;

AccountingRecord record(JobState state, ExitStatus exit = {}, std::string reason = "") {
    AccountingRecord one;
    one.job = JobId(7);
    one.state = state;
    one.exit = exit;
    one.reason = std::move(reason);
    one.started_at = from_seconds(1000);
    one.ended_at = from_seconds(1000) + minutes(5);
    one.time_limit = minutes(60);
    one.nodes = {"gpu1", "gpu2"};
    one.allocated.set_memory(gib(32));
    return one;
}

std::string told(const AccountingRecord& one) {
    return join(outcome_of(one, from_seconds(2000)), "\n");
}

TEST(OutcomeText, SaysHowAJobEndedWithItsNumbers) {
    const std::string ran = "\n  it ran for 00:05:00 on gpu[1-2], with its time limit of 01:00:00";
    EXPECT_EQ(told(record(JobState::failed, {3, 0}, "NonZeroExitCode")),
              "job 7 failed: its script ended with exit code 3" + ran);
    EXPECT_EQ(told(record(JobState::failed, {0, 11}, "RaisedSignal")),
              "job 7 failed: signal 11 (SIGSEGV) ended its script" + ran);
    EXPECT_EQ(told(record(JobState::completed)),
              "job 7 completed: its script ended with exit code 0" + ran);
    EXPECT_EQ(told(record(JobState::timeout, {0, 15}, "TimeLimit")),
              "job 7 timed out: it reached its time limit of 01:00:00" + ran +
                  "\n  → ask for more time with --time, up to the partition's MaxTime");
    EXPECT_EQ(told(record(JobState::timeout, {0, 15}, "AssocGrpGRESMinutes")),
              "job 7 timed out: its account or association has used up its minutes (GrpTRESMins)" +
                  ran +
                  "\n  reason: AssocGrpGRESMinutes"
                  "\n  → `sshare -l` shows the minutes, and who used them");
    EXPECT_EQ(told(record(JobState::timeout, {0, 15}, "AssocGrpWallLimit")),
              "job 7 timed out: its account or association has used up its minutes (GrpWall)" +
                  ran +
                  "\n  reason: AssocGrpWallLimit"
                  "\n  → `scontrol show assoc_mgr` shows the minutes");
    EXPECT_EQ(told(record(JobState::failed, {0, 53}, "cannot open /no/such/out: no such file")),
              "job 7 failed: its working directory, input or output could not be opened (exit "
              "code 0:53)" +
                  ran + "\n  reason: cannot open /no/such/out: no such file");
    AccountingRecord cancelled = record(JobState::cancelled);
    cancelled.cancelled_by = 1000;
    cancelled.started_at.reset();
    cancelled.array_job = JobId(5);
    cancelled.array_task = 3;
    EXPECT_EQ(told(cancelled), "job 5_3 was cancelled by uid 1000\n  it never started");
    AccountingRecord waited = record(JobState::deadline, {0, 1}, "Failed to schedule within 10m0s");
    waited.started_at.reset();
    EXPECT_EQ(told(waited),
              "job 7 was given up: Failed to schedule within 10m0s (--berth-max-wait)\n"
              "  it never started");
    const std::string late =
        told(record(JobState::preempted, {0, 9}, "Preempted by job 12: checkpoint timeout"));
    EXPECT_EQ(late, "job 7 was preempted by job 12 (checkpoint timeout)" + ran);
}

TEST(OutcomeText, SaysWhatARunSaves) {
    Job job;
    job.state = JobState::running;
    job.spec.command.edit().checkpoint = "model.pt";
    job.allocation = Allocation{};
    const Time now = from_seconds(2000);
    EXPECT_TRUE(checkpoint_lines(job, now).empty());
    job.allocation->checkpoint = RunCheckpoint{now - minutes(3), minutes(1)};
    job.allocation->preempted =
        PreemptedRun{JobId(9), PreemptMode::checkpoint, now, now + std::chrono::seconds(30)};
    EXPECT_EQ(join(checkpoint_lines(job, now), "\n"),
              "  it has 00:00:30 to save its checkpoint, model.pt\n"
              "  its last checkpoint was seen 00:03:00 ago");
    job.allocation->preempted->saved = true;
    EXPECT_EQ(checkpoint_lines(job, now).size(), 1U);
}

// Of a job that the controller has forgotten.
TEST(OutcomeText, HasThePhaseAndItsCondition) {
    AccountingRecord waited = record(JobState::deadline, {0, 1}, "Failed to schedule within 10m0s");
    waited.started_at.reset();
    EXPECT_EQ(phase_of(course_of(waited)), "Timeout");
    ASSERT_EQ(conditions_of(course_of(waited)).size(), 1U);
    EXPECT_EQ(conditions_of(course_of(waited))[0].type, "SchedulingTimeout");
    EXPECT_EQ(conditions_of(course_of(waited))[0].changed_at, waited.ended_at);
    const AccountingRecord completed = record(JobState::completed);
    EXPECT_EQ(phase_of(course_of(completed)), "Succeeded");
    ASSERT_EQ(conditions_of(course_of(completed)).size(), 1U);
    EXPECT_EQ(conditions_of(course_of(completed))[0].reason, "AllMembersScheduled");
    AccountingRecord ending = record(JobState::completed);
    ending.completing = true;
    EXPECT_EQ(phase_of(course_of(ending)), "Running");
}

TEST(OutcomeText, SaysHowMuchMemoryThereWasAndWasUsed) {
    AccountingRecord one = record(JobState::out_of_memory, {0, 125}, "OutOfMemory");
    AccountedStep batch{.id = kBatchStep};
    batch.used = StepTotals{.rss_max = gib(15).count(), .rss_max_node = "gpu2"};
    one.steps = {batch};
    EXPECT_NE(told(one).find("16G of memory on each node were allocated, 15G were measured at "
                             "most (on gpu2)"),
              std::string::npos)
        << told(one);
}

TEST(OutcomeText, NamesTheStepsThatFailed) {
    AccountingRecord one = record(JobState::failed, {1, 0}, "NonZeroExitCode");
    one.steps = {{.id = StepId(0), .name = "prepare", .nodes = {"gpu1"}},
                 {.id = StepId(1), .name = "train", .nodes = {"gpu1", "gpu2"}, .exit = {1, 0}}};
    EXPECT_NE(told(one).find("\n  step 7.1 (train) ended with exit code 1 on gpu[1-2]"),
              std::string::npos)
        << told(one);
    EXPECT_EQ(told(one).find("prepare"), std::string::npos);
}

TEST(OutcomeText, SaysOfARunningJobHowFarItIs) {
    AccountingRecord one = record(JobState::running);
    one.ended_at.reset();
    EXPECT_EQ(told(one),
              "job 7 is running\n  it has run for 00:16:40 on gpu[1-2], with its time limit of "
              "01:00:00");
}

TEST(OutcomeText, NamesThePreemptor) {
    const std::string ran = "\n  it ran for 00:05:00 on gpu[1-2], with its time limit of 01:00:00";
    EXPECT_EQ(told(record(JobState::preempted, {}, "Preempted by job 900")),
              "job 7 was preempted by job 900" + ran);
    EXPECT_EQ(told(record(JobState::preempted)), "job 7 was preempted by another job" + ran);
    AccountingRecord running = record(JobState::running, {}, "Preempted by job 900");
    running.ended_at.reset();
    EXPECT_EQ(outcome_of(running, from_seconds(2000)).front(),
              "job 7 is running, and must end: job 900 preempts it");
    running.suspended_since = from_seconds(1500);
    EXPECT_EQ(outcome_of(running, from_seconds(2000)).front(),
              "job 7 is suspended: it lends its cores to job 900, and goes on when nobody needs "
              "them any more");
    running.reason = kAwaitsTurn;
    EXPECT_EQ(outcome_of(running, from_seconds(2000)).front(),
              "job 7 is suspended: it takes turns with others on its cores, and goes on when its "
              "turn comes");
    EXPECT_EQ(outcome_of(record(JobState::pending, {}, "Preempted by job 9"), {}).front(),
              "job 7 was preempted by job 9 and waits to run again");
}

}  // namespace
}  // namespace berth
