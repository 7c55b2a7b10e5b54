#include "berth/slurm/tables/squeue_fields.h"

#include <gtest/gtest.h>

#include "berth/api/json.h"
#include "berth/api/json_writer.h"

namespace berth::slurm {
namespace {

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

// As Debian's Slurm prints them.
TEST(SqueueFields, PrintThePriorityAsAPartOfOne) {
    const auto text = [](char letter, std::int64_t priority) {
        return find_job_field(letter)->text(api::JobRow{.priority = priority}, Time{});
    };
    EXPECT_EQ(text('p', 4294901760), "0.99998474144376");
    EXPECT_EQ(text('p', 0), "0.00000000000000");
    EXPECT_EQ(find_job_field('p')->header, std::string("PRIORITY"));
    EXPECT_EQ(text('J', 1), "*");
    EXPECT_EQ(find_job_field('J')->header, std::string("THREADS_PER_CORE"));
}

TEST(SqueueFields, OfAStepPrintItsDevices) {
    const auto text = [](const char* tres) {
        api::StepRow step;
        step.tres = tres;
        return find_step_field('b')->text(api::JobRow{}, step, Time{});
    };
    EXPECT_EQ(text("cpu=8,gres/gpu=2,gres/gpu:a100=2,mem=16000M,node=1"),
              "gres/gpu:2,gres/gpu:a100:2");
    EXPECT_EQ(text("cpu=8,node=1"), "(null)");
}

}  // namespace
}  // namespace berth::slurm
