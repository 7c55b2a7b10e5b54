// slurmrestd's routes without any network: what each gives, what it asks of the controller, and
// that authorization and PrivateData are those of /v1.
#include <gtest/gtest.h>

#include "berth/server/service/played_archive.h"
#include "berth/server/service/service.h"
#include "berth/server/snapshot/sample_cluster.h"
#include "berth/slurmrest/rest_routes.h"
#include "berth/slurmrest/shape_rig.h"

namespace berth {
namespace {

using slurmrest::JsonValue;

const Principal kOwner{
    .uid = 1000, .gid = 1000, .user = "user1000", .group = "users", .role = Role::user};
const Principal kStranger{
    .uid = 1001, .gid = 1001, .user = "user1001", .group = "users", .role = Role::user};
const Principal kRoot{.uid = 0, .gid = 0, .user = "root", .group = "root", .role = Role::admin};

constexpr const char* kSubmission =
    R"({"script":"#!/bin/sh\necho","job":{"name":"train","environment":["PATH=/bin"],)"
    R"("current_working_directory":"/home","tasks":2,"tres_per_node":"gres/gpu:1"}})";

struct Got {
    int status = 0;
    std::string type;
    JsonValue body;
    std::string at(std::string_view path) const { return slurmrest::at(body, path); }
    std::size_t size(std::string_view list) const {
        const JsonValue* const found = body.find(list);
        const auto* const items = found == nullptr ? nullptr : found->as<api::JsonArray>();
        return items == nullptr ? 999 : items->size();
    }
};

class Rest : public ::testing::Test {
protected:
    Rest() : Rest(spec_of(0)) {}
    explicit Rest(ClusterSpec spec) : cluster_(std::move(spec)) {
        cluster_.submit(SampleCluster::job(1));
        cluster_.submit(SampleCluster::job(2, 1001));
        cluster_.start(1, 0);
        cluster_.apply(ReservationSet{{.name = "r1",
                                       .start = from_seconds(1),
                                       .end = from_seconds(9'000'000),
                                       .users = {"user1000"}}});
        (void)cluster_.publish(read_model_);
    }
    static ClusterSpec spec_of(std::uint32_t private_data) {
        ClusterSpec spec = sample_spec();
        spec.private_data = private_data;
        Limits limits;
        limits.max_jobs = 5;
        spec.accounts = {
            {.name = "physics", .parent = "root", .description = "of matter", .limits = limits}};
        spec.associations = {{.account = "physics", .user = "user1000"},
                             {.account = "physics", .user = "user1001"}};
        return spec;
    }
    std::variant<ApiResponse, ForController, SlowRead> serve(const Principal& who,
                                                             const std::string& method,
                                                             const std::string& target,
                                                             const std::string& body = {}) {
        return service_.serve(
            {.method = method, .target = target, .body = body, .principal = who, .refused = {}});
    }
    static Got got(ApiResponse response) {
        std::string part;
        while (response.parts && response.parts->next(part)) response.body += part;
        Got got{response.status, response.content_type, {}};
        auto value = api::parse_json(response.body);
        EXPECT_TRUE(value.ok()) << response.body;
        if (value.ok()) got.body = std::move(value).value();
        return got;
    }
    Got get(const std::string& target, const Principal& who = kRoot) {
        auto outcome = serve(who, "GET", target);
        if (auto* const slow = std::get_if<SlowRead>(&outcome)) return got((*slow)());
        auto* const response = std::get_if<ApiResponse>(&outcome);
        return response == nullptr ? Got{} : got(std::move(*response));
    }
    // A change: the command that it comes to.
    template <class Asked>
    std::optional<Asked> command(const std::string& method, const std::string& target,
                                 const std::string& body = {}, const Principal& who = kOwner) {
        auto outcome = serve(who, method, target, body);
        auto* const asked = std::get_if<ForController>(&outcome);
        if (asked == nullptr) return std::nullopt;
        last_ = asked->asked;
        auto* const right = std::get_if<Asked>(&asked->command);
        return right == nullptr ? std::nullopt : std::optional(std::move(*right));
    }
    Got refusal(const std::string& method, const std::string& target, const std::string& body = {},
                const Principal& who = kOwner) {
        auto outcome = serve(who, method, target, body);
        auto* const response = std::get_if<ApiResponse>(&outcome);
        return response == nullptr ? Got{} : got(std::move(*response));
    }

    // Each target, and what stands at which path of its answer.
    using Cases =
        std::vector<std::pair<const char*, std::vector<std::pair<const char*, const char*>>>>;
    void check_shapes(const Cases& cases) {
        for (const auto& [target, expected] : cases) {
            const Got answer = get(target);
            EXPECT_EQ(answer.status, 200) << target;
            EXPECT_EQ(answer.type, "application/json") << target;
            EXPECT_EQ(answer.at("errors"), "[]") << target;
            for (const auto& [path, value] : expected)
                EXPECT_EQ(answer.at(path), value) << target << " " << path;
        }
    }

    SampleCluster cluster_;
    ReadModel read_model_;
    PlayedArchive archive_;
    Service service_{{"0.1.0", "here", from_seconds(1), 42}, read_model_, archive_};
    AskedRoute last_;
};

TEST_F(Rest, GivesTheShapesOfDataParser) {
    check_shapes({
        {"/slurm/v0.0.44/ping",
         {{"pings.0.hostname", "here"},
          {"pings.0.responding", "true"},
          {"meta.plugin.data_parser", "data_parser/v0.0.44"},
          {"meta.plugin.type", "openapi/slurmctld"},
          {"meta.slurm.cluster", "sample"},
          {"meta.slurm.release", "25.11.0"},
          {"meta.client.user", "root"},
          {"errors", "[]"},
          {"warnings", "[]"}}},
        {"/slurm/v0.0.43/jobs/",
         {{"meta.plugin.data_parser", "data_parser/v0.0.43"},
          {"jobs.0.job_id", "1"},
          {"jobs.0.job_state", "[RUNNING]"},
          {"jobs.0.user_name", "user1000"},
          {"jobs.0.time_limit.number", "30"},
          {"jobs.1.job_state", "[PENDING]"},
          {"last_update.number", "2000"}}},
        {"/slurm/v0.0.44/job/2", {{"jobs.0.job_id", "2"}, {"jobs.1", "(none)"}}},
        {"/slurm/v0.0.44/jobs/state?job_id=2,9",
         {{"jobs.0.job_id", "2"}, {"jobs.0.job_state", "[PENDING]"}, {"jobs.1", "(none)"}}},
        {"/slurm/v0.0.44/nodes/",
         {{"nodes.0.name", "gpu1"}, {"nodes.0.cpus", "32"}, {"nodes.3.name", "gpu4"}}},
        {"/slurm/v0.0.44/node/gpu2", {{"nodes.0.name", "gpu2"}, {"nodes.1", "(none)"}}},
        {"/slurm/v0.0.44/partitions/",
         {{"partitions.0.name", "main"}, {"partitions.0.partition.state", "[UP]"}}},
        {"/slurm/v0.0.44/partition/debug", {{"partitions.0.name", "debug"}}},
        {"/slurm/v0.0.44/reservations/",
         {{"reservations.0.name", "r1"}, {"reservations.0.users", "user1000"}}},
        {"/slurm/v0.0.44/reservation/r1", {{"reservations.0.end_time.number", "9000000"}}},
        {"/slurm/v0.0.44/licenses/", {{"licenses", "[]"}}},
        {"/slurm/v0.0.44/diag/",
         {{"statistics.jobs_submitted", "0"}, {"statistics.parts_packed", "1"}}},
    });
}

TEST_F(Rest, GivesTheShapesOfSlurmdbd) {
    check_shapes({
        {"/slurmdb/v0.0.44/ping/", {{"pings.0.primary", "true"}}},
        {"/slurmdb/v0.0.44/diag/", {{"statistics.rollups.hourly.count", "0"}}},
        {"/slurmdb/v0.0.44/accounts/",
         {{"accounts.0.name", "root"},
          {"accounts.0.organization", "root"},
          {"accounts.1.name", "physics"},
          {"accounts.1.description", "of matter"}}},
        {"/slurmdb/v0.0.44/account/physics", {{"accounts.0.name", "physics"}}},
        {"/slurmdb/v0.0.44/users/", {{"users.0.name", "user1000"}, {"users.1.name", "user1001"}}},
        {"/slurmdb/v0.0.44/user/user1001",
         {{"users.0.default.account", "physics"}, {"users.0.associations.0.account", "physics"}}},
        {"/slurmdb/v0.0.44/associations/?user=user1001",
         {{"associations.0.user", "user1001"},
          {"associations.0.parent_account", ""},
          {"associations.0.max.jobs.active.number", "5"},
          {"associations.0.qos", "[normal]"},
          {"associations.0.lineage", "/physics/0-user1001/"},
          {"associations.1", "(none)"}}},
        {"/slurmdb/v0.0.44/associations/?parent_account=root",
         {{"associations.0.account", "physics"},
          {"associations.0.user", ""},
          {"associations.1", "(none)"}}},
        {"/slurmdb/v0.0.44/qos/", {{"qos.0.name", "normal"}}},
        {"/slurmdb/v0.0.44/qos/normal", {{"qos.0.usage_factor.number", "1.0"}}},
        {"/slurmdb/v0.0.44/tres/", {{"TRES.0.type", "cpu"}, {"TRES.0.id", "1"}}},
        {"/slurmdb/v0.0.44/clusters/",
         {{"clusters.0.name", "sample"}, {"clusters.0.associations.root.user", ""}}},
        {"/slurmdb/v0.0.44/cluster/sample", {{"clusters.0.name", "sample"}}},
        {"/slurmdb/v0.0.44/instances/", {{"instances", "[]"}}},
        {"/slurmdb/v0.0.44/wckeys/", {{"wckeys", "[]"}}},
    });
}

TEST_F(Rest, SharesAreChosenByAccountAndUser) {
    // As `sshare -a` lists them: of an account first its users, then the accounts below it. The
    // user root is always one of root's.
    const Got all = get("/slurm/v0.0.44/shares");
    std::string rows;
    for (const std::string row : {"0", "1", "2", "3", "4", "5"}) {
        const std::string at = "shares.shares." + row;
        rows += all.at(at + ".parent") + "/" + all.at(at + ".name") + " ";
    }
    EXPECT_EQ(rows,
              "/root root/root root/physics physics/user1000 physics/user1001 (none)/(none) ");
    const Got one = get("/slurm/v0.0.44/shares?accounts=physics&users=user1001");
    EXPECT_EQ(one.at("shares.shares.0.name"), "physics");
    EXPECT_EQ(one.at("shares.shares.1.name"), "user1001");
    EXPECT_EQ(one.at("shares.shares.2"), "(none)");
}

TEST_F(Rest, ReadsAccounting) {
    AccountingRecord record;
    record.job = JobId(5);
    record.name = "old";
    record.state = JobState::failed;
    record.owner = {1000, 1000, "user1000", "users"};
    archive_.records = {record};
    const Got answer = get("/slurmdb/v0.0.44/jobs/?users=user1000&start_time=100&state=FAILED");
    EXPECT_EQ(answer.at("jobs.0.job_id"), "5");
    EXPECT_EQ(answer.at("jobs.0.state.current"), "[FAILED]");
    EXPECT_EQ(answer.at("meta.plugin.type"), "openapi/slurmdbd");
    EXPECT_EQ(archive_.filters.back().users, std::vector<std::string>{"user1000"});
    EXPECT_EQ(archive_.filters.back().from, from_seconds(100));
    EXPECT_EQ(get("/slurmdb/v0.0.44/job/5").at("jobs.0.name"), "old");
    EXPECT_EQ(archive_.filters.back().jobs, std::vector{JobId(5)});
    EXPECT_EQ(get("/slurmdb/v0.0.44/jobs/?cluster=other").at("jobs"), "[]");
    EXPECT_EQ(get("/slurmdb/v0.0.44/jobs/?state=LATE").status, 400);
}

TEST_F(Rest, RefusalsAreErrorsInSlurmsShape) {
    struct Case {
        const char* method;
        const char* target;
        const char* body;
        int status;
        const char* number;
        const char* says;
    };
    const Case cases[] = {
        {"GET", "/slurm/v0.0.45/jobs/", "", 404, "9000", "data_parser v0.0.45 is not supported"},
        {"GET", "/slurm/v0.0.44/job/99", "", 404, "2017", "There is no job 99"},
        {"GET", "/slurm/v0.0.44/job/x", "", 400, "2017", ""},
        {"GET", "/slurm/v0.0.44/node/n9", "", 404, "2018", "Failure to query node n9"},
        {"GET", "/slurm/v0.0.44/partition/p", "", 404, "2000", "Failure to query partition p"},
        {"GET", "/slurm/v0.0.44/jobs/?colour=red", "", 400, "9000", "colour is not supported"},
        {"POST", "/slurm/v0.0.44/job/allocate", "{}", 501, "2036", "use salloc"},
        {"POST", "/slurm/v0.0.44/job/submit", "{}", 400, "9000", "the body must have"},
        {"POST", "/slurm/v0.0.44/job/submit", "{", 400, "9000", ""},
        {"POST", "/slurm/v0.0.44/job/2", R"({"comment":"x"})", 403, "2002", "may not POST"},
        {"DELETE", "/slurm/v0.0.44/job/2", "", 403, "2002", "may not DELETE"},
        {"DELETE", "/slurm/v0.0.44/job/1", "{}", 400, "9000", "takes no body"},
        {"PUT", "/slurm/v0.0.44/jobs", "", 405, "9007", "is not a method"},
    };
    for (const Case& c : cases) {
        const Got answer = refusal(c.method, c.target, c.body);
        EXPECT_EQ(answer.status, c.status) << c.target;
        EXPECT_EQ(answer.type, "application/json") << c.target;
        EXPECT_EQ(answer.at("errors.0.error_number"), c.number) << c.target;
        EXPECT_NE(answer.at("errors.0.description").find(c.says), std::string::npos)
            << answer.at("errors.0.description");
        EXPECT_NE(answer.at("errors.0.error"), "") << c.target;
        EXPECT_EQ(answer.at("meta.slurm.cluster"), "sample") << c.target;
        EXPECT_EQ(answer.at("warnings"), "[]") << c.target;
    }
}

TEST_F(Rest, WhoIsNotKnownIsToldSo) {
    auto outcome = service_.serve({.method = "GET",
                                   .target = "/slurm/v0.0.44/jobs",
                                   .body = {},
                                   .principal = {},
                                   .refused = "there is no token"});
    const Got answer = got(std::get<ApiResponse>(std::move(outcome)));
    EXPECT_EQ(answer.status, 401);
    EXPECT_EQ(answer.at("errors.0.error_number"), "9008");
    EXPECT_EQ(answer.at("errors.0.description"), "there is no token");
}

TEST_F(Rest, SubmitsAsV1Does) {
    const auto submitted =
        command<SubmitJob>("POST", "/slurm/v0.0.43/job/submit", kSubmission, kStranger);
    ASSERT_TRUE(submitted);
    EXPECT_EQ(*submitted->spec.name, "train");
    EXPECT_EQ(submitted->spec.request->tasks, 2U);
    EXPECT_EQ(submitted->payload.script, "#!/bin/sh\necho");
    const Got answer = got(service_.respond_to(last_, kStranger, Submitted{JobId(7), {"slow"}}));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.at("job_id"), "7");
    EXPECT_EQ(answer.at("warnings.0.description"), "slow");
    EXPECT_EQ(answer.at("meta.plugin.data_parser"), "data_parser/v0.0.43");
    EXPECT_EQ(answer.at("meta.client.user"), "user1001");
    EXPECT_EQ(answer.at("warnings.1"), "(none)");
    std::string held = kSubmission;
    held.insert(held.find("\"tasks\""), R"("priority":{"set":true,"number":0},)");
    ASSERT_TRUE(command<SubmitJob>("POST", "/slurm/v0.0.43/job/submit", held));
    EXPECT_NE(got(service_.respond_to(last_, kOwner, Submitted{JobId(8), {}}))
                  .at("warnings.0.description")
                  .find("the job is held"),
              std::string::npos);
    const Got no = got(service_.respond_to(
        last_, kStranger, Refused{Refusal::unknown_partition, "There is no partition x", {}}));
    EXPECT_EQ(no.status, 422);
    EXPECT_EQ(no.at("errors.0.error_number"), "2000");
    EXPECT_EQ(no.at("errors.0.description"), "There is no partition x");
}

TEST_F(Rest, CancelsChangesHoldsAndReleases) {
    const auto cancelled =
        command<CancelJob>("DELETE", "/slurm/v0.0.44/job/1?signal=USR1&flags=BATCH_JOB");
    ASSERT_TRUE(cancelled);
    EXPECT_EQ(cancelled->job.job, JobId(1));
    EXPECT_EQ(cancelled->signal, 10);
    EXPECT_TRUE(cancelled->batch_only);
    EXPECT_EQ(got(service_.respond_to(last_, kOwner, Done{})).at("status"), "[]");
    const auto changed = command<UpdateJob>(
        "POST", "/slurm/v0.0.44/job/1", R"({"comment":"x","time_limit":{"set":true,"number":5}})");
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->change.comment, "x");
    EXPECT_EQ(changed->change.time_limit, std::chrono::minutes(5));
    const Got result = got(service_.respond_to(last_, kOwner, Done{}));
    EXPECT_EQ(result.at("results.0.job_id"), "1");
    EXPECT_EQ(result.at("results.0.error_code"), "0");
    const auto held = command<HoldJob>("POST", "/slurm/v0.0.44/job/1", R"({"hold":true})");
    ASSERT_TRUE(held);
    EXPECT_EQ(held->hold, Hold::user);
    const auto released = command<HoldJob>("POST", "/slurm/v0.0.44/job/1", R"({"hold":false})");
    ASSERT_TRUE(released);
    EXPECT_EQ(released->hold, Hold::none);
}

// Each route of slurmrestd with a body and without: never a crash, and always JSON in its shape.
TEST_F(Rest, EveryRouteAnswersInItsShape) {
    for (const slurmrest::RestRoute& route : slurmrest::rest_routes()) {
        for (const Principal& who : {kOwner, kRoot}) {
            std::string target(route.path);
            target.insert(target.find('/', 1), "/v0.0.44");
            const std::size_t open = target.find('{');
            if (open != std::string::npos) target.replace(open, std::string::npos, "1");
            auto outcome = serve(who, std::string(route.method), target, "");
            if (auto* const slow = std::get_if<SlowRead>(&outcome)) outcome = (*slow)();
            auto* const response = std::get_if<ApiResponse>(&outcome);
            if (response == nullptr) continue;
            const Got answer = got(std::move(*response));
            EXPECT_EQ(answer.at("meta.slurm.cluster"), "sample") << target;
            EXPECT_NE(answer.at("errors"), "(none)") << target;
        }
    }
}

class PrivateRest : public Rest {
protected:
    PrivateRest()
        : Rest(spec_of(bit_of(PrivateKind::jobs) | bit_of(PrivateKind::users) |
                       bit_of(PrivateKind::accounts) | bit_of(PrivateKind::nodes) |
                       bit_of(PrivateKind::partitions) | bit_of(PrivateKind::reservations) |
                       bit_of(PrivateKind::usage))) {}
};

TEST_F(PrivateRest, HidesWhatV1Hides) {
    EXPECT_EQ(get("/slurm/v0.0.44/jobs", kStranger).size("jobs"), 1U);
    EXPECT_EQ(get("/slurm/v0.0.44/jobs").size("jobs"), 2U);
    EXPECT_EQ(get("/slurm/v0.0.44/jobs/state?job_id=1,2", kStranger).size("jobs"), 1U);
    EXPECT_EQ(get("/slurm/v0.0.44/job/1", kStranger).status, 404);
    EXPECT_EQ(get("/slurm/v0.0.44/job/2", kStranger).status, 200);
    for (const char* hidden : {"nodes", "node/gpu1", "partitions", "partition/main"})
        EXPECT_EQ(get(std::string("/slurm/v0.0.44/") + hidden, kStranger).status, 403) << hidden;
    EXPECT_EQ(get("/slurm/v0.0.44/reservations", kStranger).size("reservations"), 0U);
    EXPECT_EQ(get("/slurm/v0.0.44/reservation/r1", kStranger).status, 404);
    EXPECT_EQ(get("/slurmdb/v0.0.44/accounts", kStranger).size("accounts"), 0U);
    EXPECT_EQ(get("/slurmdb/v0.0.44/users", kStranger).size("users"), 1U);
    EXPECT_EQ(get("/slurmdb/v0.0.44/user/user1000", kStranger).status, 404);
    AccountingRecord others;
    others.job = JobId(1);
    others.owner = {1000, 1000, "user1000", "users"};
    archive_.records = {others};
    EXPECT_EQ(get("/slurmdb/v0.0.44/jobs", kStranger).size("jobs"), 0U);
    EXPECT_EQ(get("/slurmdb/v0.0.44/jobs").size("jobs"), 1U);
}

}  // namespace
}  // namespace berth
