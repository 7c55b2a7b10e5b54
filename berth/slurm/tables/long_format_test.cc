// -O and --Format: the list of names, their widths, and the fields of squeue that have no letter.
#include <gtest/gtest.h>

#include "berth/slurm/tables/squeue_fields.h"
#include "berth/slurm/text/columns.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

TEST(LongFormat, ReadsNamesWidthsAndWhatStandsBetween) {
    const PercentFormat format = parse_long_format("JobID,name:30,state:.12,workdir:,nodelist:5 |");
    ASSERT_EQ(format.items.size(), 5U);
    EXPECT_EQ(format.items[0].name, "jobid");
    EXPECT_EQ(format.items[0].width, 20U);
    EXPECT_EQ(format.items[1].width, 30U);
    EXPECT_FALSE(format.items[1].right);
    EXPECT_EQ(format.items[2].width, 12U);
    EXPECT_TRUE(format.items[2].right);
    EXPECT_EQ(format.items[3].width, std::nullopt);
    EXPECT_EQ(format.items[4].width, 5U);
    EXPECT_EQ(format.items[4].suffix, " |");
}

TEST(LongFormat, NamesOfLettersAreTheLetters) {
    EXPECT_EQ(letter_of_long_name("jobid", false), 'A');
    EXPECT_EQ(letter_of_long_name("timeused", false), 'M');
    EXPECT_EQ(letter_of_long_name("timeused", true), 'M');
    EXPECT_EQ(letter_of_long_name("stepid", true), 'i');
    EXPECT_EQ(letter_of_long_name("stepid", false), '\0');
    EXPECT_EQ(letter_of_long_name("nosuch", false), '\0');
}

// Each name leads to a field; a letter that none has would print nothing.
TEST(LongFormat, EveryNameHasAField) {
    for (const char* name :
         {"account",       "batchhost",  "dependency",    "endtime",     "feature",
          "groupname",     "jobarrayid", "minmemory",     "nice",        "numcpus",
          "oversubscribe", "qos",        "reasonlist",    "reservation", "starttime",
          "statecompact",  "timeleft",   "tres-per-node", "username",    "wckey",
          "workdir"}) {
        const char letter = letter_of_long_name(name, false);
        ASSERT_NE(letter, '\0') << name;
        EXPECT_NE(find_job_field(letter), nullptr) << name;
    }
}

TEST(LongFormat, FieldsWithoutALetterSayWhatTheRowSays) {
    api::JobRow job{.id = JobId(7)};
    job.state = "RUNNING";
    job.submitted_at = from_seconds(1'000'000);
    job.eligible_at = from_seconds(1'000'010);
    job.started_at = from_seconds(1'000'040);
    job.restarts = 2;
    job.tasks = 8;
    job.exit = {.code = 3, .signal = 0};
    job.requested_tres = "cpu=8";
    job.allocated_tres = "cpu=16";
    job.std_out = "/home/ann/out";
    const std::pair<const char*, const char*> expected[] = {
        {"pendingtime", "40"},  {"restartcnt", "2"},      {"numtasks", "8"},
        {"exit_code", "768"},   {"tres-alloc", "cpu=16"}, {"stdout", "/home/ann/out"},
        {"stdin", "/dev/null"}, {"hetjobid", "N/A"},
    };
    for (const auto& [name, text] : expected) {
        const LongField* const field = find_long_field(name);
        ASSERT_NE(field, nullptr) << name;
        EXPECT_EQ(field->text(job, from_seconds(1'000'100)), text) << name;
    }
    job.state = "PENDING";
    EXPECT_EQ(find_long_field("pendingtime")->text(job, from_seconds(1'000'100)), "100");
    EXPECT_EQ(find_long_field("nosuch"), nullptr);
}

TEST(RunTime, DoesNotCountWhatStoodStill) {
    api::JobRow job{.id = JobId(7)};
    job.state = "RUNNING";
    job.started_at = from_seconds(1000);
    EXPECT_EQ(run_time(job, from_seconds(1100)), std::chrono::seconds(100));
    job.state = "SUSPENDED";
    job.suspended_at = from_seconds(1030);
    job.ran_before = std::chrono::seconds(30);
    EXPECT_EQ(run_time(job, from_seconds(1100)), std::chrono::seconds(30));
    job.state = "RUNNING";
    job.suspended_at = from_seconds(1090);
    EXPECT_EQ(run_time(job, from_seconds(1100)), std::chrono::seconds(40));
    job.state = "COMPLETED";
    job.ended_at = from_seconds(1095);
    EXPECT_EQ(run_time(job, from_seconds(1100)), std::chrono::seconds(35));
    job.state = "PENDING";
    EXPECT_EQ(run_time(job, from_seconds(1100)), Duration{});
}

}  // namespace
}  // namespace berth::slurm
