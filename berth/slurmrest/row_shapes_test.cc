// That the shapes are JSON, and that what stands there is what the row says.
#include "berth/slurmrest/row_shapes.h"

#include "berth/slurmrest/shape_rig.h"

namespace berth::slurmrest {
namespace {

api::JobRow running_job() {
    api::JobRow job{.id = JobId(12), .array_job = JobId(10), .array_task = 3};
    job.owner = {.uid = 1000, .gid = 100, .user = "ann", .group = "users"};
    job.name = "tra\"in\n";
    job.account = "physics";
    job.qos = "normal";
    job.partition = "main";
    job.state = job.outcome = "RUNNING";
    job.priority = 77;
    job.time_limit = std::chrono::minutes(90);
    job.submitted_at = from_seconds(1'000'000);
    job.started_at = from_seconds(1'000'100);
    job.ended_at = from_seconds(1'005'500);
    job.nodes = {"n1", "n2"};
    job.node_count = 2;
    job.cpus = 16;
    job.tasks = 2;
    job.allocated_tres = "cpu=16,mem=4G,node=2,billing=16,gres/gpu=4";
    return job;
}

JsonValue json_of(const api::JobRow& job) {
    return written([&](ShapeWriter& json) { put_job(json, job, "test"); });
}

TEST(RowShapes, AJobIsAsItsRowSays) {
    const JsonValue job = json_of(running_job());
    const std::pair<const char*, const char*> expected[] = {
        {"job_id", "12"},
        {"array_job_id.number", "10"},
        {"array_task_id.set", "true"},
        {"array_task_id.number", "3"},
        {"name", "tra\"in\n"},
        {"job_state", "[RUNNING]"},
        {"user_name", "ann"},
        {"group_id", "100"},
        {"account", "physics"},
        {"partition", "main"},
        {"priority.number", "77"},
        {"hold", "false"},
        {"time_limit.set", "true"},
        {"time_limit.number", "90"},
        {"start_time.number", "1000100"},
        {"end_time.number", "1005500"},
        {"nodes", "n[1-2]"},
        {"cpus.number", "16"},
        {"node_count.number", "2"},
        {"tres_alloc_str", "cpu=16,mem=4G,node=2,billing=16,gres/gpu=4"},
        {"cluster", "test"},
        {"pre_sus_time.number", "0"},
        {"suspend_time.number", "0"},
    };
    for (const auto& [path, value] : expected) EXPECT_EQ(at(job, path), value) << path;
}

TEST(RowShapes, AJobWithoutALimitHasAnInfiniteOne) {
    api::JobRow job = running_job();
    job.time_limit.reset();
    const JsonValue json = json_of(job);
    EXPECT_EQ(at(json, "time_limit.infinite"), "true");
    EXPECT_EQ(at(json, "time_limit.set"), "false");
}

TEST(RowShapes, ASuspendedJobSaysSinceWhenAndHowLongItRan) {
    api::JobRow job = running_job();
    job.state = job.outcome = "SUSPENDED";
    job.suspended_at = from_seconds(1'000'160);
    job.ran_before = std::chrono::seconds(60);
    const JsonValue json = json_of(job);
    EXPECT_EQ(at(json, "job_state"), "[SUSPENDED]");
    EXPECT_EQ(at(json, "pre_sus_time.number"), "60");
    EXPECT_EQ(at(json, "suspend_time.number"), "1000160");
}

TEST(RowShapes, APreemptedJobSaysWhen) {
    api::JobRow job = running_job();
    EXPECT_EQ(at(json_of(job), "preempt_time.number"), "0");
    EXPECT_EQ(at(json_of(job), "preemptable_time.number"), "0");
    job.preempted_at = from_seconds(1'000'160);
    job.preemptible_at = from_seconds(1'000'060);
    EXPECT_EQ(at(json_of(job), "preempt_time.number"), "1000160");
    EXPECT_EQ(at(json_of(job), "preemptable_time.number"), "1000060");
}

TEST(RowShapes, ASignalIsToldByNumber) {
    api::JobRow job = running_job();
    job.state = job.outcome = "FAILED";
    job.exit = {.code = 0, .signal = 9};
    const JsonValue json = json_of(job);
    EXPECT_EQ(at(json, "exit_code.status"), "[SIGNALED]");
    EXPECT_EQ(at(json, "exit_code.signal.id.number"), "9");
}

// So does Slurm: its exit code is 0 until there is another.
TEST(RowShapes, AJobThatRunsHasSucceededSoFar) {
    for (const char* state : {"PENDING", "RUNNING"}) {
        api::JobRow job = running_job();
        job.state = job.outcome = state;
        const JsonValue json = json_of(job);
        EXPECT_EQ(at(json, "exit_code.status"), "[SUCCESS]") << state;
        EXPECT_EQ(at(json, "exit_code.return_code.set"), "true") << state;
        EXPECT_EQ(at(json, "exit_code.return_code.number"), "0") << state;
    }
}

TEST(RowShapes, ANodeIsAsItsRowSays) {
    api::NodeRow node;
    node.name = node.hostname = "n1";
    node.state = "MIXED";
    node.flags = {"DRAIN"};
    node.cpus = 32;
    node.allocated_cpus = 8;
    node.memory = std::int64_t{256} << 30;
    node.gres = "gpu:a100:8";
    node.features = {"a100", "ib"};
    node.partitions = {"main", "debug"};
    node.weight = 3;
    const JsonValue json = written([&](ShapeWriter& out) { put_node(out, node, "test"); });
    EXPECT_EQ(at(json, "name"), "n1");
    EXPECT_EQ(at(json, "state"), "[MIXED,DRAIN]");
    EXPECT_EQ(at(json, "cpus"), "32");
    EXPECT_EQ(at(json, "alloc_cpus"), "8");
    EXPECT_EQ(at(json, "real_memory"), "262144");
    EXPECT_EQ(at(json, "gres"), "gpu:a100:8");
    EXPECT_EQ(at(json, "features"), "[a100,ib]");
    EXPECT_EQ(at(json, "partitions"), "[main,debug]");
    EXPECT_EQ(at(json, "weight"), "3");
}

TEST(RowShapes, AccountingTakesOffWhatStoodStill) {
    api::AccountingRow job{.job = JobId(12)};
    job.state = "COMPLETED";
    job.submitted_at = from_seconds(1'000'000);
    job.started_at = from_seconds(1'000'100);
    job.ended_at = from_seconds(1'000'200);
    job.suspended = std::chrono::seconds(30);
    const JsonValue json =
        written([&](ShapeWriter& out) { put_accounting(out, job, from_seconds(1'000'300)); });
    EXPECT_EQ(at(json, "time.elapsed"), "70");
    EXPECT_EQ(at(json, "time.suspended"), "30");
    EXPECT_EQ(at(json, "job_id"), "12");
}

TEST(RowShapes, AccountingCountsThePauseThatIsOn) {
    api::AccountingRow job{.job = JobId(12)};
    job.state = "SUSPENDED";
    job.submitted_at = from_seconds(1'000'000);
    job.started_at = from_seconds(1'000'100);
    job.suspended = std::chrono::seconds(30);
    job.suspended_since = from_seconds(1'000'200);
    for (const std::int64_t now : {1'000'300, 1'000'400}) {
        const JsonValue json =
            written([&](ShapeWriter& out) { put_accounting(out, job, from_seconds(now)); });
        EXPECT_EQ(at(json, "time.elapsed"), "70");
        EXPECT_EQ(at(json, "time.suspended"), std::to_string(30 + now - 1'000'200));
    }
}

TEST(RowShapes, AccountingTellsWhatStepsUsed) {
    api::AccountingRow job{.job = JobId(12)};
    job.state = "COMPLETED";
    job.submitted_at = from_seconds(1'000'000);
    const StepTotals used{.user_ms = 2500,
                          .system_ms = 501,
                          .rss_max = 4096,
                          .rss_max_node = "n2",
                          .rss_sum = 6144,
                          .cpu_min_ms = 700,
                          .cpu_min_node = "n1",
                          .tasks = 2,
                          .nodes = 2};
    job.steps.push_back({.id = StepId(0), .state = "COMPLETED", .used = used});
    job.steps.push_back({.id = StepId(1), .state = "COMPLETED", .used = used});
    job.steps.push_back({.id = StepId(2), .state = "COMPLETED"});
    const JsonValue json = written([&](ShapeWriter& out) { put_accounting(out, job, Time{}); });
    EXPECT_EQ(at(json, "time.user.seconds"), "5");
    EXPECT_EQ(at(json, "time.user.microseconds"), "0");
    EXPECT_EQ(at(json, "time.system.seconds"), "1");
    EXPECT_EQ(at(json, "time.system.microseconds"), "2000");
    EXPECT_EQ(at(json, "time.total.seconds"), "6");
    const JsonValue& step = json.find("steps")->as<api::JsonArray>()->at(0);
    EXPECT_EQ(at(step, "time.total.seconds"), "3");
    EXPECT_EQ(at(step, "time.total.microseconds"), "1000");
    const auto entry = [&](const char* how, std::size_t which) -> const JsonValue& {
        return step.find("tres")->find("requested")->find(how)->as<api::JsonArray>()->at(which);
    };
    EXPECT_EQ(at(entry("total", 0), "type"), "cpu");
    EXPECT_EQ(at(entry("total", 0), "count"), "3001");
    EXPECT_EQ(at(entry("average", 1), "count"), "3072");
    EXPECT_EQ(at(entry("max", 1), "count"), "4096");
    EXPECT_EQ(at(entry("max", 1), "node"), "n2");
    EXPECT_EQ(at(entry("min", 0), "node"), "n1");
    const JsonValue& third = json.find("steps")->as<api::JsonArray>()->at(2);
    EXPECT_EQ(at(third, "tres.requested.total"), "[]");
}

}  // namespace
}  // namespace berth::slurmrest
