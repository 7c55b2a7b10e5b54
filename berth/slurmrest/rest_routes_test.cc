#include "berth/slurmrest/rest_routes.h"

#include <gtest/gtest.h>

#include <set>

#include "berth/slurmrest/rest_query.h"

namespace berth::slurmrest {
namespace {

RestCall called(std::string_view method, std::string_view path) {
    const auto match = match_rest(method, path);
    const auto* const call = std::get_if<RestCall>(&match);
    EXPECT_NE(call, nullptr) << method << " " << path;
    return call == nullptr ? RestCall{&rest_routes().front(), {}, {}} : *call;
}

NoRestRoute refused(std::string_view method, std::string_view path) {
    const auto match = match_rest(method, path);
    const auto* const none = std::get_if<NoRestRoute>(&match);
    EXPECT_NE(none, nullptr) << method << " " << path;
    return none == nullptr ? NoRestRoute{} : *none;
}

TEST(RestRoutes, StandForRoutesOfV1) {
    struct Case {
        const char* method;
        const char* path;
        RestId id;
        api::RouteId v1;
        const char* capture;
    };
    const Case cases[] = {
        {"GET", "/slurm/v0.0.44/ping", RestId::ping, api::RouteId::ping, ""},
        {"GET", "/slurm/v0.0.43/ping/", RestId::ping, api::RouteId::ping, ""},
        {"GET", "/slurm/v0.0.44/jobs/", RestId::list_jobs, api::RouteId::list_jobs, ""},
        {"GET", "/slurm/v0.0.44/jobs/state/", RestId::job_states, api::RouteId::list_jobs, ""},
        {"GET", "/slurm/v0.0.44/job/12_3", RestId::show_job, api::RouteId::show_job, "12_3"},
        {"GET", "/slurm/v0.0.44/job/12%2B1", RestId::show_job, api::RouteId::show_job, "12+1"},
        {"POST", "/slurm/v0.0.44/job/submit", RestId::submit_job, api::RouteId::submit_job, ""},
        {"POST", "/slurm/v0.0.44/job/12", RestId::update_job, api::RouteId::update_job, "12"},
        {"DELETE", "/slurm/v0.0.44/job/12", RestId::cancel_job, api::RouteId::cancel_job, "12"},
        {"GET", "/slurm/v0.0.44/node/n1", RestId::show_node, api::RouteId::show_node, "n1"},
        {"GET", "/slurmdb/v0.0.44/jobs/", RestId::db_jobs, api::RouteId::list_accounting, ""},
        {"GET", "/slurmdb/v0.0.44/user/ann", RestId::db_user, api::RouteId::list_associations,
         "ann"},
    };
    for (const Case& c : cases) {
        const RestCall call = called(c.method, c.path);
        EXPECT_EQ(call.route->id, c.id) << c.path;
        EXPECT_EQ(call.route->v1, c.v1) << c.path;
        EXPECT_EQ(call.capture, c.capture) << c.path;
    }
    EXPECT_EQ(called("GET", "/slurm/v0.0.43/ping").data_parser, "v0.0.43");
    EXPECT_EQ(data_parser_of("/slurm/v0.0.43/jobs?flags=ALL"), "v0.0.43");
    EXPECT_EQ(data_parser_of("/slurm/v9/jobs"), "v0.0.44");
}

TEST(RestRoutes, OthersAreRefusedByName) {
    struct Case {
        const char* method;
        const char* path;
        int status;
        const char* says;
    };
    const Case cases[] = {
        {"GET", "/slurm/v0.0.45/jobs/", 404,
         "data_parser v0.0.45 is not supported; there are v0.0.44 and v0.0.43: use "
         "/slurm/v0.0.44/jobs"},
        {"GET", "/slurmdb/v0.0.45/jobs", 404, "use /slurmdb/v0.0.44/jobs"},
        {"GET", "/slurm/", 404, "is not supported"},
        {"POST", "/slurm/v0.0.44/job/allocate", 501, "use salloc"},
        {"DELETE", "/slurm/v0.0.44/jobs/", 501, "scancel"},
        {"GET", "/slurm/v0.0.44/reconfigure/", 501, "POST /v1/reconfigure"},
        {"POST", "/slurm/v0.0.44/node/n1", 501, "PATCH /v1/nodes/{name}"},
        {"POST", "/slurmdb/v0.0.44/accounts", 501, "sacctmgr"},
        {"PUT", "/slurm/v0.0.44/jobs", 405, "is not a method of this path"},
        {"GET", "/slurm/v0.0.44/frobs", 404, "There is no GET /slurm/v0.0.44/frobs here"},
    };
    for (const Case& c : cases) {
        const NoRestRoute none = refused(c.method, c.path);
        EXPECT_EQ(none.problem.status, c.status) << c.path;
        EXPECT_NE(none.problem.detail.find(c.says), std::string::npos) << none.problem.detail;
    }
    EXPECT_EQ(refused("PUT", "/slurm/v0.0.44/job/12").allow, "GET, POST, DELETE");
}

TEST(RestRoutes, EachIsServedOrRefusedAndNotBoth) {
    std::set<std::pair<std::string, std::string>> served;
    for (const RestRoute& route : rest_routes())
        EXPECT_TRUE(served.emplace(route.method, route.path).second) << route.path;
    for (const RefusedRoute& route : refused_routes()) {
        EXPECT_FALSE(route.instead.empty()) << route.path;
        EXPECT_EQ(served.count({std::string(route.methods), std::string(route.path)}), 0U)
            << route.path;
    }
}

Result<RestQuery> query_of(const char* path, std::string_view query) {
    return RestQuery::parse(*called("GET", path).route, query);
}

TEST(RestQuery, TakesWhatItsRouteHas) {
    const auto query = query_of("/slurmdb/v0.0.44/jobs",
                                "users=ann,bob&users=eve&start_time=100&skip_steps=true&"
                                "show_duplicates&step=12,14&state=FAILED&job_name=a%20b");
    ASSERT_TRUE(query.ok()) << query.error().message;
    EXPECT_EQ(query->words("users"), (std::vector<std::string>{"ann", "bob", "eve"}));
    EXPECT_TRUE(query->flag("skip_steps"));
    EXPECT_TRUE(query->takes("users", "EVE"));
    EXPECT_FALSE(query->takes("users", "max"));
    EXPECT_TRUE(query->takes("partition", "any")) << "not given";
    const auto wanted = accounting_query(*query);
    ASSERT_TRUE(wanted.ok());
    EXPECT_EQ(wanted->jobs, (std::vector{JobId(12), JobId(14)}));
    EXPECT_EQ(wanted->states, std::vector<std::string>{"FAILED"});
    EXPECT_EQ(wanted->names, std::vector<std::string>{"a b"});
    EXPECT_EQ(wanted->from, from_seconds(100));
    EXPECT_FALSE(wanted->until);
    EXPECT_TRUE(wanted->duplicates);
}

TEST(RestQuery, RefusesOthersByName) {
    const std::pair<const char*, const char*> cases[] = {
        {"colour=red", "query: colour is not supported; there are update_time, flags"},
        {"update_time=soon", "query: update_time must be seconds since 1970"},
        {"flags=ALL,LOUD", "query: flags must be of ALL, DETAIL"},
    };
    for (const auto& [query, says] : cases) {
        const auto parsed = query_of("/slurm/v0.0.44/jobs", query);
        ASSERT_FALSE(parsed.ok()) << query;
        EXPECT_TRUE(parsed.error().message.starts_with(says)) << parsed.error().message;
    }
    EXPECT_TRUE(query_of("/slurm/v0.0.44/jobs", "update_time=0&flags=ALL,DETAIL").ok());
    EXPECT_FALSE(query_of("/slurm/v0.0.44/ping", "a=b").ok());
}

TEST(RestQuery, SaysWhichSignal) {
    const auto cancel = [](std::string_view query) {
        const auto parsed =
            RestQuery::parse(*called("DELETE", "/slurm/v0.0.44/job/1").route, query);
        EXPECT_TRUE(parsed.ok()) << query;
        return cancel_request(*parsed);
    };
    EXPECT_EQ(cancel("")->signal, 0);
    EXPECT_EQ(cancel("signal=KILL")->signal, 0) << "it ends the job";
    EXPECT_EQ(cancel("signal=SIGUSR1")->signal, 10);
    EXPECT_EQ(cancel("signal=15&flags=BATCH_JOB")->signal, 15);
    EXPECT_TRUE(cancel("signal=15&flags=BATCH_JOB")->batch_only);
    EXPECT_FALSE(cancel("signal=15&flags=BATCH_JOB")->whole_job);
    EXPECT_TRUE(cancel("signal=15")->whole_job) << "script and steps";
    EXPECT_TRUE(cancel("flags=FULL_JOB")->whole_job);
    EXPECT_FALSE(cancel("signal=LOUD").ok());
    EXPECT_FALSE(cancel("flags=HURRY").ok());
    EXPECT_FALSE(cancel("signal=15,16").ok());
}

}  // namespace
}  // namespace berth::slurmrest
