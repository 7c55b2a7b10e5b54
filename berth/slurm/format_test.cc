// Columns, moments, node states and the output of steps.
#include <gtest/gtest.h>

#include <ctime>
#include <sstream>

#include "berth/api/json.h"
#include "berth/api/json_writer.h"
#include "berth/slurm/columns.h"
#include "berth/slurm/job_environment.h"
#include "berth/slurm/print.h"
#include "berth/slurm/scontrol_update.h"
#include "berth/slurm/squeue_fields.h"
#include "berth/slurm/squeue_order.h"
#include "berth/slurm/step_output.h"
#include "berth/slurm/when.h"

namespace berth::slurm {
namespace {

TEST(Columns, ReadAPercentFormat) {
    const auto format = parse_percent_format("<%.18i|%9P %R>");
    ASSERT_TRUE(format.ok());
    EXPECT_EQ(format.value().prefix, "<");
    ASSERT_EQ(format.value().items.size(), 3U);
    EXPECT_EQ(format.value().items[0].letter, 'i');
    EXPECT_TRUE(format.value().items[0].right);
    EXPECT_EQ(format.value().items[0].width, 18U);
    EXPECT_EQ(format.value().items[0].suffix, "|");
    EXPECT_FALSE(format.value().items[2].width);
    for (const char* wrong : {"%", "%.", "%5", "%-5i", "%%"})
        EXPECT_FALSE(parse_percent_format(wrong).ok()) << wrong;
}

TEST(Columns, PadAndCut) {
    EXPECT_EQ(cell("abc", 5, true), "  abc");
    EXPECT_EQ(cell("abc", 5, false), "abc  ");
    EXPECT_EQ(cell("abcdef", 3, true), "abc");
    EXPECT_EQ(cell("abcdef", std::nullopt, true), "abcdef");
    EXPECT_EQ(cell_with_plus("CANCELLED by 0", 10, true), "CANCELLED+");
}

Time at(const char* text) {
    std::tm civil{};
    strptime(text, "%Y-%m-%dT%H:%M:%S", &civil);
    civil.tm_isdst = -1;
    return Time(std::chrono::seconds(std::mktime(&civil)));
}

TEST(When, ReadsWhatSlurmReads) {
    const Time now = at("2026-08-20T10:00:00");
    struct Case {
        const char* text;
        const char* means;
    };
    const Case cases[] = {
        {"now", "2026-08-20T10:00:00"},
        {"now+2hours", "2026-08-20T12:00:00"},
        {"now+90", "2026-08-20T10:01:30"},
        {"now-1day", "2026-08-19T10:00:00"},
        {"now+3weeks", "2026-09-10T10:00:00"},
        {"16:30", "2026-08-20T16:30:00"},
        {"09:00", "2026-08-21T09:00:00"},
        {"4:30PM", "2026-08-20T16:30:00"},
        {"noon", "2026-08-20T12:00:00"},
        {"tomorrow", "2026-08-21T00:00:00"},
        {"2026-12-24", "2026-12-24T00:00:00"},
        {"2026-12-24T18:00", "2026-12-24T18:00:00"},
        {"2026-12-24T18:00:05", "2026-12-24T18:00:05"},
        {"1224", "2026-12-24T00:00:00"},
        {"12/24/26", "2026-12-24T00:00:00"},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.text);
        const auto when = parse_when(c.text, now, false);
        ASSERT_TRUE(when.ok());
        EXPECT_EQ(local_time(when.value(), ""), c.means);
    }
    for (const char* wrong : {"", "soon", "now+", "now+5parsecs", "25:00", "2026-13-01",
                              "2026-12-24T", "1:2:3:4", "12/"}) {
        EXPECT_FALSE(parse_when(wrong, now).ok()) << wrong;
    }
}

TEST(NodeState, IsShownAsSinfoDoes) {
    struct Case {
        const char* state;
        std::vector<std::string> flags;
        const char* compact;
        const char* full;
    };
    const Case cases[] = {
        {"IDLE", {}, "idle", "idle"},
        {"MIXED", {}, "mix", "mixed"},
        {"ALLOCATED", {"NOT_RESPONDING"}, "alloc*", "allocated*"},
        {"IDLE", {"DRAIN"}, "drain", "drained"},
        {"MIXED", {"DRAIN"}, "drng", "draining"},
        {"IDLE", {"PLANNED"}, "plnd", "planned"},
        {"IDLE", {"COMPLETING"}, "comp", "completing"},
        {"IDLE", {"MAINTENANCE"}, "maint", "maint"},
        {"MIXED", {"MAINTENANCE"}, "mix", "mixed"},
        {"IDLE", {"RESERVED"}, "resv", "reserved"},
        {"ALLOCATED", {"RESERVED"}, "alloc", "allocated"},
        {"DOWN", {"NOT_RESPONDING"}, "down*", "down*"},
        {"UNKNOWN", {"NOT_RESPONDING"}, "unk*", "unknown*"},
    };
    for (const Case& c : cases) {
        api::NodeRow node;
        node.state = c.state;
        node.flags = c.flags;
        EXPECT_EQ(node_state(node, true), c.compact);
        EXPECT_EQ(node_state(node, false), c.full);
    }
}

TEST(Squeue, PutsJobsInSlurmsOrder) {
    const auto job = [](std::uint32_t id, const char* partition, const char* state,
                        std::int64_t priority) {
        api::JobRow row;
        row.id = JobId(id), row.partition = partition, row.state = state, row.priority = priority;
        return row;
    };
    std::vector<api::JobRow> jobs = {job(1, "main", "RUNNING", 5), job(2, "main", "PENDING", 1),
                                     job(3, "main", "PENDING", 9), job(4, "debug", "PENDING", 1)};
    ASSERT_TRUE(sort_jobs(jobs, "P,t,-p").ok());
    std::string order;
    for (const auto& row : jobs) order += to_string(row.id) + " ";
    EXPECT_EQ(order, "4 3 2 1 ");
    EXPECT_FALSE(sort_jobs(jobs, "?").ok());
}

TEST(StepOutput, LabelsWholeLinesAndSaysHowTasksFailed) {
    std::ostringstream out, err;
    StepOutput output({.label = true, .tasks = 12}, out, err);
    output.write({StepFrameKind::standard_out, 3, "hel"});
    output.write({StepFrameKind::standard_out, 11, "x\n"});
    output.write({StepFrameKind::standard_out, 3, "lo\nrest"});
    output.flush();
    EXPECT_EQ(out.str(), "11: x\n 3: hello\n 3: rest\n");
    for (std::uint32_t task = 0; task < 3; ++task) output.task_ended(task, {.code = 3});
    output.task_ended(3, {.code = 0, .signal = 9});
    std::ostringstream said;
    output.print_failures({"n1", "n1", "n1", "n2"}, said);
    EXPECT_EQ(err.str(), "");
    EXPECT_EQ(
        said.str(),
        "srun: error: n1: tasks 0-2: Exited with exit code 3\nsrun: error: n2: task 3: Killed\n");
    EXPECT_EQ(output.exit_code(), 137);
}

TEST(StepOutput, AddsNothingToWhatATaskWrites) {
    std::ostringstream out, err;
    StepOutput output({.tasks = 1}, out, err);
    const std::string bytes(3 * kStepFrameBytesMax + 1, 'x');  // No line end anywhere.
    for (std::size_t at = 0; at < bytes.size(); at += kStepFrameBytesMax)
        output.write({StepFrameKind::standard_out, 0, bytes.substr(at, kStepFrameBytesMax)});
    output.flush();
    EXPECT_EQ(out.str(), bytes);
}

TEST(Environment, IsExportedAsAsked) {
    const Invocation call{
        .name = "sbatch",
        .arguments = {},
        .environment = {{"A", "1"}, {"B", "2"}, {"SLURM_X", "3"}, {"SBATCH_Y", "4"}}};
    using Names = std::vector<std::string>;
    EXPECT_EQ(exported_environment(call, "ALL"), (Names{"A=1", "B=2", "SLURM_X=3"}));
    EXPECT_EQ(exported_environment(call, "NONE"), (Names{"SLURM_X=3"}));
    EXPECT_EQ(exported_environment(call, "NIL"), Names{});
    EXPECT_EQ(exported_environment(call, "A,C=5"), (Names{"A=1", "C=5", "SLURM_X=3"}));
    EXPECT_EQ(exported_environment(call, "ALL,B=7"), (Names{"A=1", "B=7", "SLURM_X=3"}));
}

TEST(Update, ReadsItsKeys) {
    const auto job =
        parse_update({"JobId=3,4", "TimeLimit=+10", "priority=5", "ArrayTaskThrottle=2"}, Time{});
    ASSERT_TRUE(job.ok());
    EXPECT_EQ(job.value().names, (std::vector<std::string>{"3", "4"}));
    EXPECT_EQ(job.value().time_limit_by, std::chrono::minutes(10));
    EXPECT_EQ(job.value().job.priority, 5U);
    const auto node =
        parse_update({"NodeName=gpu[1-2]", "state=undrain", "Reason=bad fan"}, Time{});
    ASSERT_TRUE(node.ok());
    EXPECT_EQ(node.value().names.size(), 2U);
    EXPECT_EQ(node.value().node->state, "RESUME");
    for (const auto& wrong :
         std::vector<std::vector<std::string>>{{},
                                               {"TimeLimit=5"},
                                               {"JobId=1"},
                                               {"JobId=1", "Colour=red"},
                                               {"JobId=1", "nice"},
                                               {"NodeName=a", "State=HAPPY"},
                                               {"PartitionName=p", "State=UP"}}) {
        EXPECT_FALSE(parse_update(wrong, Time{}).ok());
    }
}

// Whoever reads more of a row than it says would print defaults.
TEST(SqueueFields, ReadNoMoreThanTheyAskFor) {
    api::JobRow row{.id = JobId(7), .array_job = JobId(5), .array_task = 3};
    row.owner = {.uid = 1000, .gid = 100, .user = "ann", .group = "users"};
    row.name = "train";
    row.account = "physics";
    row.qos = "high";
    row.partition = "main";
    row.reason = "Resources";
    row.priority = 77;
    row.nice = 5;
    row.dependency = "afterok:1(unfulfilled)";
    row.time_limit = std::chrono::hours(2);
    row.submitted_at = from_seconds(1'000'000);
    row.begin_at = from_seconds(1'000'050);
    row.started_at = from_seconds(1'000'100);
    row.ended_at = from_seconds(1'000'200);
    row.planned_start = from_seconds(1'000'150);
    row.planned_nodes = {"n1", "n2"};
    row.nodes = {"n3", "n4"};
    row.batch_host = "n3";
    row.node_count = 2;
    row.cpus = 16;
    row.tres_per_node = "gres/gpu:2";
    row.comment = "soon";
    const Time now = from_seconds(1'000'300);
    for (const std::string state : {"PENDING", "RUNNING", "COMPLETED"}) {
        row.state = state;
        row.array_pending = state == "PENDING" ? "1-4" : "";
        for (char letter = 'A'; letter <= 'z'; ++letter) {
            const JobField* const field = find_job_field(letter);
            if (field == nullptr || field->reads.empty()) continue;
            const auto choice = api::FieldChoice::of<api::JobRow>(fields_for({&letter, 1}));
            ASSERT_TRUE(choice.ok()) << letter << ": " << choice.error().message;
            std::string text;
            api::JsonWriter writer(text);
            write_json(writer, row, *choice);
            const auto told = api::from_json<api::JobRow>(text, api::UnknownFields::passed_over);
            ASSERT_TRUE(told.ok());
            EXPECT_EQ(field->text(*told, now), field->text(row, now)) << letter << ' ' << state;
        }
    }
    EXPECT_TRUE(fields_for("io").empty()) << "who does not say what it reads gets all";
    EXPECT_EQ(fields_for("jp"), (std::vector<std::string>{"id", "name", "priority"}));
}

TEST(Update, ReadsWhatAWaitingJobAsksFor) {
    const auto update = parse_update(
        {"JobId=3", "Licenses=matlab:2", "TimeMin=10", "ReservationName=course", "Switches=2@1:00",
         "Features=ib", "NumNodes=2-4", "NumTasks=8", "MinMemoryNode=4G", "ExcNodeList=gpu[1-2]",
         "Contiguous=yes", "Deadline=2026-01-01T00:00"},
        Time{});
    ASSERT_TRUE(update.ok()) << update.error().message;
    const api::JobPatch& job = update.value().job;
    EXPECT_EQ(job.licenses, "matlab:2");
    EXPECT_EQ(job.time_min, "10");
    EXPECT_EQ(job.reservation, "course");
    EXPECT_EQ(job.switches, 2U);
    EXPECT_EQ(job.switches_wait, std::chrono::minutes(1));
    EXPECT_EQ(job.features, "ib");
    EXPECT_EQ(job.nodes_min, 2U);
    EXPECT_EQ(job.nodes_max, 4U);
    EXPECT_EQ(job.tasks, 8U);
    EXPECT_EQ(job.memory_per_node, std::int64_t{4} << 30);
    EXPECT_EQ(job.exclude, (std::vector<std::string>{"gpu1", "gpu2"}));
    EXPECT_EQ(job.contiguous, true);
    EXPECT_TRUE(job.deadline);
    for (const char* wrong : {"Licenses=:2", "TimeMin=soon", "Switches=-1", "Switches=1@x",
                              "NumNodes=none", "NumTasks=0", "MinMemoryCPU=much", "Deadline=never",
                              "Contiguous=perhaps", "TresPerNode=gpu:2"}) {
        EXPECT_FALSE(parse_update({"JobId=3", wrong}, Time{}).ok()) << wrong;
    }
}

}  // namespace
}  // namespace berth::slurm
