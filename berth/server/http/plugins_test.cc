// JobSubmitPlugins over the network: what the controller is asked, and what the caller hears.
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "berth/api/json.h"
#include "berth/server/http/server_rig.h"

namespace berth {
namespace {

constexpr const char* kRules = R"lua(
function slurm_job_submit(job_desc, part_list, uid)
    slurm.log_user("hello %s", job_desc.name)
    if job_desc.name == "bad" then return slurm.ESLURM_INVALID_QOS end
    if job_desc.name == "slow" then for i = 1, 1000000 do end end
    job_desc.comment = "seen"
    return slurm.SUCCESS
end
function slurm_job_modify(job_desc, job_rec, part_list, uid)
    if job_desc.priority == 0 then return slurm.ESLURM_ACCESS_DENIED end
    slurm.log_user("as you like")
    if job_desc.priority == slurm.INFINITE then return slurm.SUCCESS end
    job_desc.comment = "changed by " .. uid
    return slurm.SUCCESS
end
)lua";

class Plugins : public ServerRig {
protected:
    Plugins() {
        ClusterSpec spec = sample_spec();
        spec.job_submit = {{"lua"}, kRules};
        cluster.apply(SpecInstalled{std::move(spec)});
        Job own = SampleCluster::job(1, ::getuid());
        cluster.submit(std::move(own));
        options.job_submit = std::make_shared<JobSubmit>(log);
        controller.answer = Submitted{JobId(7), {}};
    }
    static std::string named(const char* name) {
        api::SubmitRequest request;
        request.spec.name = std::string(name);
        request.payload.script = "#!/bin/sh\n";
        return api::to_json(request);
    }
};

TEST_F(Plugins, ChangeWhatTheControllerIsAsked) {
    start();
    const Heard heard = call("POST", "/v1/jobs", named("good"));
    EXPECT_EQ(heard.status, 201) << heard.body;
    EXPECT_EQ(std::get<SubmitJob>(controller.last().command).spec.comment, "seen");
    const auto reply = api::from_json<api::SubmitReply>(heard.body);
    EXPECT_EQ(reply->job, JobId(7));
    EXPECT_EQ(reply->messages, std::vector<std::string>{"hello good"});
}

TEST_F(Plugins, RefuseBeforeTheControllerIsAsked) {
    start();
    const Heard heard = call("POST", "/v1/jobs", named("bad"));
    EXPECT_EQ(heard.status, 422);
    EXPECT_EQ(heard.text("code"), "refused_by_site");
    EXPECT_EQ(heard.text("slurm"), "Invalid qos specification");
    EXPECT_EQ(api::from_json<api::Problem>(heard.body, api::UnknownFields::passed_over)->details,
              std::vector<std::string>{"hello bad"});
    EXPECT_EQ(call("POST", "/v1/jobs/test", named("bad")).status, 422);
    EXPECT_EQ(controller.asked(), 0U);
}

TEST_F(Plugins, SayTheirPartWhereTheControllerRefuses) {
    start();
    controller.answer = Refused{.why = Refusal::unknown_account, .message = "no"};
    const Heard heard = call("POST", "/v1/jobs", named("good"));
    EXPECT_EQ(heard.text("code"), "unknown_account");
    EXPECT_EQ(api::from_json<api::Problem>(heard.body, api::UnknownFields::passed_over)->details,
              std::vector<std::string>{"hello good"});
}

TEST_F(Plugins, SeeChangesAndHolds) {
    start();
    controller.answer = Done{};
    EXPECT_EQ(call("PATCH", "/v1/jobs/1", R"({"name":"x"})").status, 200);
    EXPECT_EQ(std::get<UpdateJob>(controller.last().command).change.comment,
              "changed by " + std::to_string(::getuid()));
    EXPECT_EQ(call("POST", "/v1/jobs/1/hold", "{}").text("slurm"), "Access/permission denied");
    EXPECT_EQ(controller.asked(), 1U);
    EXPECT_EQ(call("POST", "/v1/jobs/1/cancel", "{}").body, "{}") << "none of theirs";
}

TEST_F(Plugins, SayTheirPartOfChanges) {
    start();
    controller.answer = Done{};
    const std::vector<std::string> said{"as you like"};
    for (const Heard& heard : {call("PATCH", "/v1/jobs/1", R"({"name":"x"})"),
                               call("POST", "/v1/jobs/1/release", "{}")}) {
        EXPECT_EQ(api::from_json<api::ChangeReply>(heard.body)->messages, said) << heard.body;
    }
    const Heard rest = call("POST", "/slurm/v0.0.43/job/1", R"({"name":"x"})");
    EXPECT_NE(rest.body.find(R"("description":"as you like")"), std::string::npos) << rest.body;
}

TEST_F(Plugins, SeeSlurmrestdsSubmissions) {
    start();
    const std::string body = R"({"script":"#!/bin/sh\n","job":{"name":"good",)"
                             R"("environment":["A=1"],"current_working_directory":"/"}})";
    const Heard heard = call("POST", "/slurm/v0.0.43/job/submit", body);
    EXPECT_EQ(heard.status, 200) << heard.body;
    EXPECT_NE(heard.body.find(R"("job_submit_user_msg":"hello good")"), std::string::npos)
        << heard.body;
    EXPECT_EQ(std::get<SubmitJob>(controller.last().command).spec.comment, "seen");
}

TEST_F(Plugins, DelayNothingElse) {
    start();
    std::vector<std::thread> slow;
    slow.reserve(8);
    for (int i = 0; i < 8; ++i)
        slow.emplace_back([&] { EXPECT_EQ(call("POST", "/v1/jobs", named("slow")).status, 201); });
    for (int i = 0; i < 20; ++i) EXPECT_EQ(call("GET", "/v1/jobs").status, 200);
    for (std::thread& one : slow) one.join();
    EXPECT_EQ(controller.asked(), 8U);
}

// A log that a script's line waits in until it is let go.
class SlowLog final : public LogSink {
public:
    void write(LogLevel, std::string_view component, std::string_view) override {
        if (component != "job_submit") return;
        entered.count_down();
        go_on.wait();
    }
    std::latch entered{1}, go_on{1};
};

TEST_F(Plugins, KeepTheRoomOfTheBodyThatWaitsForThem) {
    ClusterSpec spec = sample_spec();
    spec.job_submit = {{"lua"}, R"lua(
function slurm_job_submit(job_desc)
    if job_desc.name == "first" then slurm.log_info("here") end
    return 0
end
function slurm_job_modify() return 0 end
)lua"};
    cluster.apply(SpecInstalled{std::move(spec)});
    SlowLog slow;
    options.job_submit = std::make_shared<JobSubmit>(slow);
    options.bodies_bytes = 1 << 20, options.body_bytes = 1 << 20;
    start();
    const auto long_body = [](const char* name) {
        return R"({"spec":{"name":")" + std::string(name) + R"("},"payload":{"script":")" +
               std::string(600'000, 'x') + R"("}})";
    };
    const auto send = [&](RawClient& client, const std::string& body) {
        EXPECT_TRUE(client.send("POST /v1/jobs HTTP/1.1\r\nContent-Length: " +
                                std::to_string(body.size()) + "\r\n\r\n" + body));
    };
    {
        RawClient first(options.socket);
        send(first, long_body("first"));
        slow.entered.wait();
        EXPECT_EQ(call("POST", "/v1/jobs", long_body("second")).status, 503);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(call("POST", "/v1/jobs", long_body("second")).status, 503)
        << "who has gone has left his body there";
    slow.go_on.count_down();
    int status = 503;
    for (int i = 0; status == 503 && i < 500; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        status = call("POST", "/v1/jobs", long_body("second")).status;
    }
    EXPECT_EQ(status, 201);
}

}  // namespace
}  // namespace berth
