// The rows of --json: that they are JSON, and that what stands there is what the row says.
#include <gtest/gtest.h>

#include <sstream>

#include "berth/api/json_value.h"
#include "berth/slurm/json/json_rows.h"
#include "berth/slurm/json/slurm_json.h"

namespace berth::slurm {
namespace {

using api::JsonValue;

template <class Put>
JsonValue written(Put put) {
    std::ostringstream out;
    SlurmJson json(out, Notation::json);
    put(json);
    json.flush();
    Result<JsonValue> value = api::parse_json(out.str());
    EXPECT_TRUE(value.ok()) << value.error().message << "\n" << out.str();
    return value.ok() ? std::move(value).value() : JsonValue{};
}

// "a.b" of nested objects, as text: "12", "true", "RUNNING"; lists as "[x,y]".
std::string text_of(const JsonValue& value) {
    if (const auto* text = value.as<std::string>()) return *text;
    if (const auto* number = value.as<std::int64_t>()) return std::to_string(*number);
    if (const auto* truth = value.as<bool>()) return *truth ? "true" : "false";
    const auto* list = value.as<api::JsonArray>();
    if (list == nullptr) return value.is_null() ? "null" : "?";
    std::string all;
    for (const JsonValue& one : *list) all += (all.empty() ? "" : ",") + text_of(one);
    return "[" + all + "]";
}
std::string at(const JsonValue& value, std::string_view path) {
    const JsonValue* here = &value;
    while (here != nullptr && !path.empty()) {
        const std::size_t dot = path.find('.');
        here = here->find(path.substr(0, dot));
        path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
    }
    return here == nullptr ? "(none)" : text_of(*here);
}

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
    return written([&](SlurmJson& json) { put_job(json, job, "test"); });
}

TEST(Json, AJobIsAsItsRowSays) {
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

TEST(Json, AJobWithoutALimitHasAnInfiniteOne) {
    api::JobRow job = running_job();
    job.time_limit.reset();
    const JsonValue json = json_of(job);
    EXPECT_EQ(at(json, "time_limit.infinite"), "true");
    EXPECT_EQ(at(json, "time_limit.set"), "false");
}

TEST(Json, ASuspendedJobSaysSinceWhenAndHowLongItRan) {
    api::JobRow job = running_job();
    job.state = job.outcome = "SUSPENDED";
    job.suspended_at = from_seconds(1'000'160);
    job.ran_before = std::chrono::seconds(60);
    const JsonValue json = json_of(job);
    EXPECT_EQ(at(json, "job_state"), "[SUSPENDED]");
    EXPECT_EQ(at(json, "pre_sus_time.number"), "60");
    EXPECT_EQ(at(json, "suspend_time.number"), "1000160");
}

TEST(Json, APreemptedJobSaysWhen) {
    api::JobRow job = running_job();
    EXPECT_EQ(at(json_of(job), "preempt_time.number"), "0");
    EXPECT_EQ(at(json_of(job), "preemptable_time.number"), "0");
    job.preempted_at = from_seconds(1'000'160);
    job.preemptible_at = from_seconds(1'000'060);
    EXPECT_EQ(at(json_of(job), "preempt_time.number"), "1000160");
    EXPECT_EQ(at(json_of(job), "preemptable_time.number"), "1000060");
}

TEST(Json, ASignalIsToldByNumber) {
    api::JobRow job = running_job();
    job.state = job.outcome = "FAILED";
    job.exit = {.code = 0, .signal = 9};
    const JsonValue json = json_of(job);
    EXPECT_EQ(at(json, "exit_code.status"), "[SIGNALED]");
    EXPECT_EQ(at(json, "exit_code.signal.id.number"), "9");
}

TEST(Json, ANodeIsAsItsRowSays) {
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
    const JsonValue json = written([&](SlurmJson& out) { put_node(out, node, "test"); });
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

TEST(Json, AccountingTakesOffWhatStoodStill) {
    api::AccountingRow job{.job = JobId(12)};
    job.state = "COMPLETED";
    job.submitted_at = from_seconds(1'000'000);
    job.started_at = from_seconds(1'000'100);
    job.ended_at = from_seconds(1'000'200);
    job.suspended = std::chrono::seconds(30);
    const JsonValue json =
        written([&](SlurmJson& out) { put_accounting(out, job, from_seconds(1'000'300)); });
    EXPECT_EQ(at(json, "time.elapsed"), "70");
    EXPECT_EQ(at(json, "time.suspended"), "30");
    EXPECT_EQ(at(json, "job_id"), "12");
}

TEST(Json, AccountingCountsThePauseThatIsOn) {
    api::AccountingRow job{.job = JobId(12)};
    job.state = "SUSPENDED";
    job.submitted_at = from_seconds(1'000'000);
    job.started_at = from_seconds(1'000'100);
    job.suspended = std::chrono::seconds(30);
    job.suspended_since = from_seconds(1'000'200);
    for (const std::int64_t now : {1'000'300, 1'000'400}) {
        const JsonValue json =
            written([&](SlurmJson& out) { put_accounting(out, job, from_seconds(now)); });
        EXPECT_EQ(at(json, "time.elapsed"), "70");
        EXPECT_EQ(at(json, "time.suspended"), std::to_string(30 + now - 1'000'200));
    }
}

TEST(Json, AccountingTellsWhatStepsUsed) {
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
    const JsonValue json = written([&](SlurmJson& out) { put_accounting(out, job, Time{}); });
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

TEST(Json, TheFrameNamesTheShapeThatWasAskedFor) {
    const auto frame = [](std::vector<std::string> arguments) {
        return written([&](SlurmJson& json) {
            json.begin();
            json.finish({.name = "squeue", .arguments = std::move(arguments), .environment = {}},
                        "test");
        });
    };
    EXPECT_EQ(at(frame({"--json"}), "meta.plugin.data_parser"), "data_parser/v0.0.44");
    EXPECT_EQ(at(frame({"--yaml=v0.0.43"}), "meta.plugin.data_parser"), "data_parser/v0.0.43");
    EXPECT_EQ(at(frame({"--json=v0.0.43"}), "meta.plugin.data_parser"), "data_parser/v0.0.43");
    EXPECT_EQ(at(frame({"--me", "--json"}), "meta.command"), "[squeue,--me,--json]");
    EXPECT_EQ(at(frame({}), "meta.slurm.release"), "25.11.0");
    EXPECT_TRUE(check_shape(nullptr).ok());
    EXPECT_TRUE(check_shape("v0.0.44").ok());
    EXPECT_FALSE(check_shape("v0.0.45").ok());
}

// As text, since the reader of tests takes whole numbers alone.
template <class Put>
std::string text_written(Put put) {
    std::ostringstream out;
    SlurmJson json(out, Notation::json);
    put(json);
    json.flush();
    return out.str();
}

TEST(Json, DecimalsAreWrittenAsTheyAre) {
    const std::pair<std::int64_t, const char*> cases[] = {
        {0, R"({"x":0.0})"},
        {1'000'000'000, R"({"x":1.0})"},
        {396'040'000, R"({"x":0.39604})"},
        {12'000'000'001, R"({"x":12.000000001})"},
        {-250'000'000, R"({"x":-0.25})"},
        {-3'250'000'000, R"({"x":-3.25})"},
    };
    for (const auto& [billionths, text] : cases) {
        EXPECT_EQ(text_written([&](SlurmJson& json) {
                      json.begin();
                      json.put_decimal("x", billionths);
                      json.end();
                  }),
                  text);
    }
}

TEST(Json, AnAssociationHasItsLimits) {
    const api::AssociationRow row{.account = "bio",
                                  .parent = "bio",
                                  .user = "ann",
                                  .is_default = true,
                                  .shares = 3,
                                  .priority = 7};
    Limits limits;
    limits.max_jobs = 4;
    limits.group_tres = {{"cpu", 8}, {"gres/gpu", 2}};
    limits.max_wall = std::chrono::hours(2);
    const JsonValue json = written([&](SlurmJson& to) {
        put_association(to, {.row = row,
                             .cluster = "here",
                             .limits = limits,
                             .qos = {"normal"},
                             .default_qos = "normal",
                             .lineage = "/bio/0-ann/"});
    });
    const std::pair<const char*, const char*> expected[] = {
        {"account", "bio"},
        {"user", "ann"},
        {"cluster", "here"},
        {"is_default", "true"},
        {"shares_raw", "3"},
        {"priority.number", "7"},
        {"qos", "[normal]"},
        {"default.qos", "normal"},
        {"lineage", "/bio/0-ann/"},
        {"parent_account", ""},
        {"max.jobs.active.number", "4"},
        {"max.jobs.total.set", "false"},
        {"max.jobs.per.wall_clock.number", "120"},
        {"max.per.account.wall_clock.set", "false"},
    };
    for (const auto& [path, value] : expected) EXPECT_EQ(at(json, path), value) << path;
    const JsonValue* const max = json.find("max");
    ASSERT_NE(max, nullptr);
    const auto* total = max->find("tres")->find("total")->as<api::JsonArray>();
    ASSERT_NE(total, nullptr);
    ASSERT_EQ(total->size(), 2U);
    EXPECT_EQ(at(total->at(1), "type"), "gres");
    EXPECT_EQ(at(total->at(1), "name"), "gpu");
    EXPECT_EQ(at(total->at(1), "count"), "2");
}

TEST(Json, AccountsAndUsersListTheirAssociations) {
    const api::AssociationRow account{.account = "bio", .description = "cells"};
    const api::AssociationRow user{.account = "bio", .user = "ann", .admin_level = "Operator"};
    const JsonValue of_account =
        written([&](SlurmJson& to) { put_account(to, account, "here", {&account, &user}); });
    EXPECT_EQ(at(of_account, "name"), "bio");
    EXPECT_EQ(at(of_account, "description"), "cells");
    EXPECT_EQ(at(of_account, "organization"), "bio") << "as the table has it";
    const auto* own = of_account.find("associations")->as<api::JsonArray>();
    ASSERT_EQ(own->size(), 2U);
    EXPECT_EQ(at(own->at(1), "user"), "ann");
    const JsonValue of_user =
        written([&](SlurmJson& to) { put_user(to, user, "bio", "here", {}); });
    EXPECT_EQ(at(of_user, "administrator_level"), "[Operator]");
    EXPECT_EQ(at(of_user, "default.account"), "bio");
    EXPECT_EQ(at(of_user, "associations"), "[]");
}

TEST(Json, AQosHasItsLimitsAndHowItPreempts) {
    api::QosRow qos{.name = "high", .priority = 10, .deny_on_limit = true};
    qos.preempt = {"low"};
    qos.preempt_mode = "WITHIN,REQUEUE";
    qos.limits.max_jobs = 2;
    qos.max_wall = std::chrono::minutes(30);
    qos.usage_factor_ppm = 500'000;
    const std::string text = text_written([&](SlurmJson& to) { put_qos(to, qos); });
    for (
        const char* part :
        {R"("flags":["DENY_LIMIT"])", R"("list":["low"],"mode":["REQUEUE"])",
         R"("active_jobs":{"per":{"account":{"set":false,"infinite":false,"number":0},"user":{"set":true,"infinite":false,"number":2}}})",
         R"("job":{"set":true,"infinite":false,"number":30})",
         R"("usage_factor":{"set":true,"infinite":false,"number":0.5})"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Json, AShareHasWhatSsharePrints) {
    api::ShareRow share{.cluster = "here", .account = "bio", .user = "ann", .parent = "bio"};
    share.raw_shares = 3;
    share.norm_shares = 500'000'000;
    share.raw_usage = 120;
    share.fair_share = 250'000'000;
    share.level_fs_infinite = true;
    share.tres_minutes = {{"cpu", 2}};
    const std::string text = text_written([&](SlurmJson& to) { put_share(to, share); });
    for (
        const char* part :
        {R"("name":"ann","parent":"bio")",
         R"("shares_normalized":{"set":true,"infinite":false,"number":0.5})",
         R"("shares":{"set":true,"infinite":false,"number":3})",
         R"("usage":[{"name":"cpu","value":120}])", R"("usage":120)",
         R"("fairshare":{"factor":{"set":true,"infinite":false,"number":0.25},"level":{"set":false,"infinite":true,"number":0}})",
         R"("type":["USER"])"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Json, DiagnosticsHaveWhatSdiagPrints) {
    api::DiagnosticsRow row;
    row.since = from_seconds(1000);
    row.now = from_seconds(1120);
    row.jobs_started = 5;
    row.cycles.cycles = 4;
    row.cycles.total = 200;
    row.rounds.cycles = 2;
    row.rounds.total_depth = 10;
    const JsonValue json = written([&](SlurmJson& to) {
        to.begin();
        put_diagnostics(to, row,
                        {{.name = "REQUEST_PING", .id = 1008, .count = 2, .total = 30},
                         {.name = "ann", .id = 1000, .count = 3, .total = 9, .is_user = true}});
        to.end();
    });
    const std::pair<const char*, const char*> expected[] = {
        {"statistics.req_time.number", "1120"},   {"statistics.jobs_started", "5"},
        {"statistics.schedule_cycle_mean", "50"}, {"statistics.schedule_cycle_per_minute", "2"},
        {"statistics.bf_depth_mean", "5"},        {"statistics.bf_exit.state_changed", "0"},
        {"statistics.pending_rpcs", "[]"},
    };
    for (const auto& [path, value] : expected) EXPECT_EQ(at(json, path), value) << path;
    const auto* calls = json.find("statistics")->find("rpcs_by_message_type")->as<api::JsonArray>();
    ASSERT_EQ(calls->size(), 1U);
    EXPECT_EQ(at(calls->at(0), "message_type"), "REQUEST_PING");
    EXPECT_EQ(at(calls->at(0), "average_time.number"), "15");
    const auto* users = json.find("statistics")->find("rpcs_by_user")->as<api::JsonArray>();
    ASSERT_EQ(users->size(), 1U);
    EXPECT_EQ(at(users->at(0), "user_id"), "1000");
}

}  // namespace
}  // namespace berth::slurm
