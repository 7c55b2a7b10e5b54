#include "berth/server/auth/audit_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "berth/api/routes.h"
#include "berth/server/http/server_rig.h"

namespace berth {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

AuditEntry entry(std::string path = "/v1/jobs/12/cancel") {
    return {.at = from_seconds(1'795'283'000) + std::chrono::milliseconds(7),
            .who = {1000, 1000, "ann", "users", Role::user},
            .pid = 77,
            .method = "POST",
            .path = std::move(path),
            .request = R"({"signal":9})",
            .status = 200,
            .reply = "{}"};
}

TEST(AuditLine, SaysWhoWhatFromWhereAndWhatCameOfIt) {
    EXPECT_EQ(audit_line(entry()),
              R"({"time":"2026-11-21T17:43:20.007Z","user":"ann","uid":1000,"gid":1000,)"
              R"("role":"user","from":"unix:pid=77","method":"POST","path":"/v1/jobs/12/cancel",)"
              R"("request":{"signal":9},"status":200,"result":"done","reply":{}})");
}

TEST(AuditLine, IsOneLineOfJsonWhateverIsSent) {
    struct Case {
        std::string path, request;
        std::int32_t status;
        const char* result;
    };
    const std::vector<Case> cases = {
        {"/v1/jobs/\n{\"user\":\"root\"}", "no json\n", 403, "refused"},
        {std::string(100'000, 'p'), std::string(100'000, 'r'), 413, "refused"},
        {"/v1/nodes/\xff\xfe", "{\"a\":\"\xff\"}", 500, "failed"},
        {"/v1/usage", "", 503, "failed"},
    };
    for (const Case& one : cases) {
        AuditEntry wild = entry(one.path);
        wild.request = one.request;
        wild.status = one.status;
        const std::string line = audit_line(wild);
        EXPECT_EQ(line.find('\n'), std::string::npos);
        EXPECT_LT(line.size(), 4 * kAuditBytes);
        const auto json = api::parse_json(line);
        ASSERT_TRUE(json.ok()) << line;
        EXPECT_EQ(*json->find("result")->as<std::string>(), one.result);
        EXPECT_EQ(*json->find("user")->as<std::string>(), "ann");
    }
}

class AuditFile : public ServerRig {
protected:
    AuditFile() : path(folder + "/audit.log") {}
    ~AuditFile() override {
        server.reset();
        for (const char* name : {"/audit.log", "/audit.log.1"})
            std::filesystem::remove(folder + name);
    }
    void open() {
        auto file = open_audit_file(path, log);
        ASSERT_TRUE(file.ok());
        options.audit = std::shared_ptr<AuditLog>(*std::move(file));
        start();
    }
    api::JsonValue only_line() const {
        const auto lines = lines_of(path);
        EXPECT_EQ(lines.size(), 1U);
        return lines.empty() ? api::JsonValue{} : api::parse_json(lines[0]).value_or({});
    }
    std::string path;
};

std::string text(const api::JsonValue& line, const char* field) {
    const api::JsonValue* const value = line.find(field);
    const auto* const string = value == nullptr ? nullptr : value->as<std::string>();
    return string == nullptr ? "" : *string;
}

TEST_F(AuditFile, HasALineForEveryRouteThatChangesSomethingAndForNoOther) {
    open();
    for (const api::Route& route : api::routes()) {
        std::filesystem::resize_file(path, 0);
        const Heard heard = call(api::to_string(route.method), api::path_of(route.id, "1"),
                                 route.request.empty() ? "" : "{}");
        ASSERT_NE(heard.status, 0) << route.path;
        if (route.method == api::Method::get) {
            EXPECT_TRUE(lines_of(path).empty()) << route.path;
            continue;
        }
        const api::JsonValue line = only_line();
        EXPECT_EQ(text(line, "path"), api::path_of(route.id, "1"));
        EXPECT_EQ(text(line, "from"), "unix:pid=" + std::to_string(getpid()));
        EXPECT_EQ(line.find("status")->as<std::int64_t>() == nullptr
                      ? 0
                      : *line.find("status")->as<std::int64_t>(),
                  heard.status);
    }
}

TEST_F(AuditFile, KeepsNoScriptAndNoEnvironment) {
    open();
    call("POST", "/v1/jobs",
         R"({"spec":{"name":"x"},"payload":{"script":"#!/bin/sh\n","environment":["SECRET=1"]}})");
    EXPECT_EQ(lines_of(path).at(0).find("SECRET"), std::string::npos);
    call("PATCH", "/v1/jobs/1", R"({"comment":"seen"})");
    EXPECT_NE(lines_of(path).at(1).find(R"("request":{"comment":"seen"})"), std::string::npos);
}

TEST_F(AuditFile, HasTheChangesOfSlurmrestdsRoutesToo) {
    open();
    call("POST", "/slurm/v0.0.44/job/submit",
         R"({"script":"#!/bin/sh\n","job":{"environment":["SECRET=1"],)"
         R"("current_working_directory":"/"}})");
    EXPECT_EQ(text(only_line(), "path"), "/slurm/v0.0.44/job/submit");
    EXPECT_EQ(lines_of(path).at(0).find("SECRET"), std::string::npos);
    call("POST", "/slurm/v0.0.44/job/1", R"({"comment":"seen"})");
    EXPECT_NE(lines_of(path).at(1).find(R"("request":{"comment":"seen"})"), std::string::npos);
    call("DELETE", "/slurm/v0.0.44/job/1?signal=TERM");
    EXPECT_NE(lines_of(path).at(2).find("signal=TERM"), std::string::npos);
    call("GET", "/slurm/v0.0.44/jobs");
    EXPECT_EQ(lines_of(path).size(), 3U);
}

TEST_F(AuditFile, SaysWhatWasRefusedAndWhatNobodyAnswered) {
    options.answer_timeout = std::chrono::milliseconds(50);
    open();
    controller.answer = Refused{Refusal::unknown_job, "There is no job 9"};
    call("POST", "/v1/jobs/9/cancel", "{}");
    EXPECT_EQ(text(only_line(), "result"), "refused");
    EXPECT_NE(lines_of(path)[0].find("There is no job 9"), std::string::npos);
    controller.silent = true;
    EXPECT_EQ(call("POST", "/v1/jobs/9/cancel", "{}").status, 504);
    EXPECT_NE(lines_of(path).at(1).find(R"("result":"failed")"), std::string::npos);
    EXPECT_EQ(call("DELETE", "/v1/jobs/9").status, 405);
    EXPECT_NE(lines_of(path).at(2).find(R"("method":"DELETE")"), std::string::npos);
}

TEST_F(AuditFile, GoesOnInANewOneWhereTheOldOneWasMovedAway) {
    open();
    call("POST", "/v1/jobs/1/cancel", "{}");
    std::filesystem::rename(path, path + ".1");
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    call("POST", "/v1/jobs/2/cancel", "{}");
    EXPECT_EQ(lines_of(path + ".1").size(), 1U);
    EXPECT_EQ(text(only_line(), "path"), "/v1/jobs/2/cancel");
    EXPECT_EQ(std::filesystem::status(path).permissions() & std::filesystem::perms::others_all,
              std::filesystem::perms::none);
}

TEST_F(AuditFile, ThatCannotBeWrittenIsRefusedWithAWayOut) {
    const auto opened = open_audit_file(folder + "/none/audit.log", log);
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.error().message.find("No such file or directory; --audit-log names another"),
              std::string::npos);
}

}  // namespace
}  // namespace berth
