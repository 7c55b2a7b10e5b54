#include "berth/server/service/service.h"

#include <gtest/gtest.h>

#include <map>

#include "berth/api/json.h"
#include "berth/server/http/server_rig.h"

namespace berth {
namespace {

std::vector<std::int64_t> ids_in(const Heard& heard) {
    std::vector<std::int64_t> ids;
    const api::JsonValue list = heard.json();
    for (const api::JsonValue& row : *list.find("jobs")->as<api::JsonArray>())
        ids.push_back(*row.find("id")->as<std::int64_t>());
    return ids;
}

class Routes : public ServerRig {
protected:
    Routes() {
        cluster.submit(SampleCluster::job(1));
        cluster.submit(SampleCluster::job(2, 0));
        Job array = SampleCluster::job(10);
        array.spec.array = ArraySpec{.tasks = {0, 1, 2}, .max_running = 2};
        cluster.submit(array);
        cluster.apply(StartJob{.job = JobId(10),
                               .array_task = 0,
                               .task_job = JobId(11),
                               .attempt = Attempt(1),
                               .allocation = SampleCluster::allocation(1)});
        cluster.start(1, 0);
    }
    template <class Asked>
    Asked asked() {
        return std::get<Asked>(controller.last().command);
    }
};

TEST_F(Routes, ReadJobs) {
    start();
    using Ids = std::vector<std::int64_t>;
    EXPECT_EQ(ids_in(call("GET", "/v1/jobs")), (Ids{1, 2, 10, 11}));
    EXPECT_EQ(ids_in(call("GET", "/v1/jobs?state=RUNNING")), (Ids{1, 11}));
    EXPECT_EQ(ids_in(call("GET", "/v1/jobs?state=pending&user=user0")), (Ids{2}));
    EXPECT_EQ(ids_in(call("GET", "/v1/jobs?user=0&user=none")), (Ids{2}));
    EXPECT_EQ(ids_in(call("GET", "/v1/jobs?job=10&job=2&job=99")), (Ids{2, 10, 11}));
    EXPECT_EQ(ids_in(call("GET", "/v1/jobs?node=gpu2&node=gpu9")), (Ids{11}));
    EXPECT_EQ(ids_in(call("GET", "/v1/jobs?node=gpu9")), Ids{});
    EXPECT_EQ(ids_in(call("GET", "/v1/jobs?name=job1&account=physics&partition=main")), Ids{1});
    EXPECT_EQ(ids_in(call("GET", "/v1/jobs?partition=debug")), Ids{});
    EXPECT_EQ(call("GET", "/v1/jobs?job=1&field=id&field=state").body,
              R"({"sequence":1,"now":2000,"jobs":[{"id":1,"state":"RUNNING"}]})");
    EXPECT_EQ(call("GET", "/v1/jobs?state=SLEEPING").status, 400);
    EXPECT_EQ(call("GET", "/v1/jobs?field=nmae").status, 400);
    EXPECT_EQ(call("GET", "/v1/jobs?colour=red").text("detail"),
              "query: this route has no parameter colour");
    EXPECT_EQ(ids_in(call("GET", "/v1/jobs/10")), (Ids{10, 11}));
    EXPECT_EQ(ids_in(call("GET", "/v1/jobs/10_0")), (Ids{11}));
    EXPECT_EQ(ids_in(call("GET", "/v1/jobs/10_%5B1-2%5D")), (Ids{10}));
    EXPECT_EQ(call("GET", "/v1/jobs/10_7").text("code"), "unknown_job");
    EXPECT_EQ(call("GET", "/v1/jobs/99").status, 404);
    EXPECT_EQ(call("GET", "/v1/jobs/99").text("slurm"), "Invalid job id specified");
    EXPECT_EQ(call("GET", "/v1/jobs/x").status, 400);
}

TEST_F(Routes, SayHowAJobWentThatDoesNotWait) {
    start();
    AccountingRecord failed;
    failed.job = JobId(77);
    failed.state = JobState::failed;
    failed.exit = {3, 0};
    archive.records = {failed};
    const Heard heard = call("GET", "/v1/jobs/77/explain");
    EXPECT_EQ(heard.status, 200);
    EXPECT_NE(heard.body.find("job 77 failed: its script ended with exit code 3"),
              std::string::npos)
        << heard.body;
    EXPECT_EQ(api::from_json<Explanation>(heard.body)->phase, "Failed");
    EXPECT_EQ(controller.asked(), 0U) << "accounting knows";
    EXPECT_EQ(call("GET", "/v1/jobs/78/explain").text("code"), "unknown_job");
    // One that runs, and so is in the state.
    AccountingRecord running;
    running.job = JobId(1);
    running.state = JobState::running;
    archive.records = {running};
    const auto said = api::from_json<Explanation>(call("GET", "/v1/jobs/1/explain").body);
    EXPECT_EQ(said->phase, "Running");
    ASSERT_EQ(said->conditions.size(), 1U);
    EXPECT_EQ(said->conditions[0].message, "All pod group members have been scheduled");
    EXPECT_NE(call("GET", "/v1/jobs?job=1&field=phase&field=conditions")
                  .body.find(R"({"phase":"Running","conditions":[{"type":"Scheduled",)"
                             R"("status":"True","reason":"AllMembersScheduled",)"
                             R"("message":"All pod group members have been scheduled",)"
                             R"("changed_at":)"),
              std::string::npos);
}

TEST_F(Routes, ReadTheClusterAndTheScript) {
    start();
    EXPECT_EQ(call("GET", "/v1/nodes/gpu1").text("state"), "MIXED");
    EXPECT_EQ(call("GET", "/v1/nodes/gpu9").text("code"), "unknown_node");
    EXPECT_EQ(call("GET", "/v1/nodes").json().find("nodes")->as<api::JsonArray>()->size(), 4U);
    EXPECT_EQ(call("GET", "/v1/partitions").json().find("partitions")->as<api::JsonArray>()->size(),
              2U);
    EXPECT_EQ(call("GET", "/v1/config").status, 200);
    EXPECT_EQ(call("GET", "/v1/ping").text("cluster"), "sample");
    EXPECT_EQ(call("GET", "/v1/jobs/1/script").text("script"), "#!/bin/sh\necho 1\n");
    EXPECT_EQ(call("GET", "/v1/jobs/1/script").body.find("SECRET"), std::string::npos);
    EXPECT_EQ(call("GET", "/v1/jobs/99/script").status, 404);
    EXPECT_EQ(call("GET", "/openapi.json").text("openapi"), "3.1.0");
}

TEST_F(Routes, ReadAccounting) {
    archive.records.push_back({.job = JobId(5), .name = "old", .state = JobState::failed});
    start();
    const Heard heard = call("GET", "/v1/accounting?job=5&state=FAILED&from=100&duplicates=true");
    ASSERT_EQ(heard.status, 200) << heard.body;
    const AccountingFilter asked_for = archive.filters.back();
    EXPECT_EQ(asked_for.jobs, std::vector{JobId(5)});
    EXPECT_EQ(asked_for.states, std::vector{JobState::failed});
    EXPECT_EQ(asked_for.from, from_seconds(100));
    EXPECT_TRUE(asked_for.duplicates);
    const api::JsonValue list = heard.json();
    const auto& rows = *list.find("records")->as<api::JsonArray>();
    EXPECT_EQ(*rows.at(0).find("state")->as<std::string>(), "FAILED");
    EXPECT_EQ(call("GET", "/v1/accounting?state=LATE").status, 400);
}

TEST_F(Routes, TellWhatWasUsed) {
    AccountingRecord run{.job = JobId(5), .account = "physics", .partition = "main", .cpus = 8};
    run.started_at = from_seconds(1000);
    run.ended_at = from_seconds(1100);
    archive.records.push_back(run);
    start();
    const Heard heard = call("GET", "/v1/usage?from=1050&until=2000");
    ASSERT_EQ(heard.status, 200) << heard.body;
    EXPECT_EQ(heard.text("cluster"), "sample");
    EXPECT_NE(heard.body.find(R"({"name":"cpu","amount":400})"), std::string::npos) << heard.body;
    EXPECT_EQ(archive.run_filters.back().from, from_seconds(1050));
    for (const char* wrong : {"", "?from=1", "?from=5&until=5", "?from=1&until=2&state=PENDING"})
        EXPECT_EQ(call("GET", std::string("/v1/usage") + wrong).status, 400) << wrong;
}

TEST_F(Routes, AskTheControllerForWhatChangesSomething) {
    start();
    EXPECT_EQ(call("POST", "/v1/jobs/10_[1-2]/cancel", R"({"signal":15,"state":"PENDING"})").status,
              200);
    const auto cancelled = asked<CancelJob>();
    EXPECT_EQ(cancelled.job, (JobRef{JobId(10), {1, 2}}));
    EXPECT_EQ(cancelled.signal, 15);
    EXPECT_TRUE(cancelled.only_pending);
    EXPECT_EQ(call("POST", "/v1/jobs/1/hold").status, 200);
    EXPECT_EQ(asked<HoldJob>().hold, ::getuid() == 1000 ? Hold::user : Hold::admin);
    EXPECT_EQ(call("POST", "/v1/jobs/1/hold", R"({"user":true})").status, 200);
    EXPECT_EQ(asked<HoldJob>().hold, Hold::user);
    EXPECT_EQ(call("POST", "/v1/jobs/1/release").status, 200);
    EXPECT_EQ(asked<HoldJob>().hold, Hold::none);
    EXPECT_EQ(call("POST", "/v1/jobs/1/requeue", R"({"hold":true})").status, 200);
    EXPECT_TRUE(asked<RequeueJob>().hold);
    EXPECT_EQ(call("PATCH", "/v1/nodes/gpu1", R"({"state":"DRAIN","reason":"bad fan"})").status,
              200);
    EXPECT_EQ(asked<UpdateNode>().action, NodeAction::drain);
    EXPECT_EQ(asked<UpdateNode>().reason, "bad fan");
    EXPECT_EQ(call("PATCH", "/v1/nodes/gpu1", R"({"state":"BROKEN"})").status, 400);
}

// A field of JobPatch that is not carried on would be accepted and ignored.
TEST_F(Routes, CarryEachFieldOfAnUpdate) {
    start();
    const std::map<std::string_view, std::string_view> texts = {
        {"time_limit", "1:00"}, {"dependency", "afterok:1"}, {"licenses", "a:1"},
        {"gres", "gpu:1"},      {"time_min", "1:00"},        {"mail_type", "END"}};
    const api::JobPatch all;
    api::JobPatch::fields(all, [&](std::string_view name, const auto& value) {
        using Value = typename std::remove_cvref_t<decltype(value)>::value_type;
        std::string json = "1";
        if constexpr (std::is_same_v<Value, std::string>) {
            const auto text = texts.find(name);
            json = '"' + std::string(text == texts.end() ? "text" : text->second) + '"';
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            json = R"(["n1"])";
        } else if constexpr (std::is_same_v<Value, bool>) {
            json = "true";
        }
        const std::string body = "{\"" + std::string(name) + "\":" + json + "}";
        ASSERT_EQ(call("PATCH", "/v1/jobs/1", body).status, 200) << body;
        EXPECT_NE(asked<UpdateJob>().change, JobChange{}) << name << " is accepted and ignored";
    });
}

TEST_F(Routes, UpdateJobsInSlurmsWords) {
    start();
    EXPECT_EQ(call("PATCH", "/v1/jobs/1",
                   R"({"time_limit":"2:00:00","dependency":"afterok:12:13_4,after:14+5,singleton",)"
                   R"("nodelist":[],"nice":-5,"comment":""})")
                  .status,
              200);
    const JobChange update = asked<UpdateJob>().change;
    ASSERT_TRUE(update.time_limit.has_value());
    EXPECT_EQ(*update.time_limit, std::chrono::hours(2));
    ASSERT_EQ(update.dependencies->size(), 4U);
    EXPECT_EQ(update.dependencies->at(1),
              (Dependency{.kind = DependencyKind::afterok, .job = JobId(13), .array_task = 4}));
    EXPECT_EQ(update.dependencies->at(2).delay, std::chrono::minutes(5));
    EXPECT_EQ(update.nodelist, std::vector<std::string>{});
    EXPECT_EQ(update.comment, "");
    EXPECT_EQ(update.partition, std::nullopt);
    EXPECT_EQ(call("PATCH", "/v1/jobs/1", R"({"time_limit":"UNLIMITED"})").status, 200);
    EXPECT_EQ(asked<UpdateJob>().change.time_limit, Duration::max());
    EXPECT_EQ(call("PATCH", "/v1/jobs/1", R"({"dependency":"afterok:1?afterok:2"})").status, 200);
    EXPECT_EQ(asked<UpdateJob>().change.any_dependency, true);
    for (const char* wrong :
         {R"({"time_limit":"soon"})", R"({"dependency":"before:3"})", R"({"dependency":"afterok"})",
          R"({"dependency":"afterok:1?afterok:2,after:3"})", R"({"dependency":"afterok:1+5"})",
          R"({"dependency":"afterok:1_[1-2]"})", R"({"dependency":"singleton:1"})",
          R"({"priority":-1})", R"({"colour":"red"})"}) {
        const Heard heard = call("PATCH", "/v1/jobs/1", wrong);
        EXPECT_EQ(heard.status, 400) << wrong;
        EXPECT_NE(heard.text("detail"), "") << wrong;
    }
}

TEST_F(Routes, AnswerWithWhatTheControllerSays) {
    start();
    controller.answer = Refused{.why = Refusal::node_configuration_unavailable,
                                .message = "No node has 16 GPUs; the largest has 8",
                                .details = {"CPU count per node can not be satisfied"}};
    const Heard refused = call("POST", "/v1/jobs", "{}");
    EXPECT_EQ(refused.status, 422);
    EXPECT_NE(refused.head.find("Content-Type: application/problem+json"), std::string::npos);
    const auto problem = api::from_json<api::Problem>(refused.body);
    EXPECT_EQ(problem->code, "node_configuration_unavailable");
    EXPECT_EQ(problem->slurm, "Requested node configuration is not available");
    EXPECT_EQ(problem->details.at(0), "CPU count per node can not be satisfied");
    controller.answer = StateHashed{0x1234abcd, 9};
    EXPECT_EQ(call("GET", "/v1/state-hash").body, R"({"hash":"000000001234abcd","sequence":9})");
    controller.answer = Explanation{.job = JobId(1), .advice = {"wait"}};
    EXPECT_EQ(api::from_json<Explanation>(call("GET", "/v1/jobs/2/explain").body)->advice.at(0),
              "wait");
}

TEST_F(Routes, PlaceSteps) {
    start();
    Step step{
        .id = StepId(3), .name = "train", .tasks = 3, .cpus = 6, .nodes = {NodeId(0), NodeId(1)}};
    step.shares = {{.node = NodeId(0), .tasks = {{.rank = 0}, {.rank = 1}}},
                   {.node = NodeId(1), .tasks = {{.rank = 2}}}};
    controller.answer = StepPlaced{JobId(1), step, {"gpu1", "gpu2"}};
    const Heard heard =
        call("POST", "/v1/jobs/1/steps",
             R"({"request":{"tasks":3},"arguments":["a","b"],"io_address":"h:1","io_token":"t"})");
    ASSERT_EQ(heard.status, 201) << heard.body;
    const auto reply = api::from_json<api::StepReply>(heard.body);
    EXPECT_EQ(reply->step.id, StepId(3));
    EXPECT_EQ(reply->tasks_per_node, (std::vector<std::uint32_t>{2, 1}));
    EXPECT_EQ(reply->task_nodes, (std::vector<std::string>{"gpu1", "gpu1", "gpu2"}));
    EXPECT_EQ(asked<CreateStep>().request.tasks, 3U);
    EXPECT_EQ(asked<CreateStep>().launch.io_token, "t");
}

TEST_F(Routes, ThatAreNotThereAndMethodsThatDoNotFitAreProblems) {
    start();
    for (const char* path : {"/", "/v1", "/v1/", "/v1/jobs/", "/v1/jobs/1/dance", "/v2/jobs", "*",
                             "/v1/jobs/%zz", "//v1/jobs"}) {
        const Heard heard = call("GET", path);
        EXPECT_EQ(heard.status, 404) << path;
        EXPECT_EQ(heard.text("code"), "not_found") << path;
    }
    const Heard wrong = call("DELETE", "/v1/jobs/1");
    EXPECT_EQ(wrong.status, 405);
    EXPECT_NE(wrong.head.find("Allow: GET, PATCH\r\n"), std::string::npos) << wrong.head;
    EXPECT_EQ(call("GET", "/v1/jobs/1/cancel").status, 405);
    EXPECT_EQ(call("FETCH", "/v1/jobs").status, 405);
    const Heard cut = call("POST", "/v1/jobs", R"({"spec":)");
    EXPECT_EQ(cut.status, 400);
    EXPECT_EQ(cut.text("detail"), "not valid JSON at byte 8: Invalid value.");
    EXPECT_EQ(call("POST", "/v1/jobs").status, 400);
    EXPECT_EQ(call("GET", "/v1/nodes?x=1").status, 400);
    EXPECT_EQ(controller.asked(), 0U);
}

TEST_F(Routes, ReadTheirOwnWrites) {
    start();
    EXPECT_EQ(call("GET", "/v1/jobs/3").status, 404);
    cluster.submit(SampleCluster::job(3));
    (void)cluster.publish(read_model);
    EXPECT_EQ(call("GET", "/v1/jobs/3").status, 200);
}

}  // namespace
}  // namespace berth
