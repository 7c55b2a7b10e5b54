// PrivateData: what users see of others, and that operators see all.
#include "berth/server/auth/privacy.h"

#include <gtest/gtest.h>

#include "berth/server/service/played_archive.h"
#include "berth/server/service/service.h"
#include "berth/server/snapshot/sample_cluster.h"

namespace berth {
namespace {

const Principal kAnn{
    .uid = 1000, .gid = 1000, .user = "user1000", .group = "users", .role = Role::user};
const Principal kOperator{
    .uid = 50, .gid = 50, .user = "games", .group = "games", .role = Role::op};

class Privately : public ::testing::Test {
protected:
    static ClusterSpec spec_with(std::uint32_t kinds) {
        ClusterSpec spec = sample_spec();
        spec.private_data = kinds;
        spec.accounts = {{.name = "physics", .parent = "root"}};
        spec.associations = {{.account = "physics", .user = "user1000"},
                             {.account = "physics", .user = "user2000"}};
        return spec;
    }
    // What this user gets, with one kind private.
    ApiResponse ask(PrivateKind kind, const Principal& who, const std::string& target) {
        SampleCluster cluster(spec_with(bit_of(kind)));
        cluster.submit(SampleCluster::job(1, 1000));
        cluster.submit(SampleCluster::job(2, 2000));
        cluster.apply(JobsEligible{{JobId(1), JobId(2)}});
        for (const char* user : {"user1000", "user2000"}) {
            cluster.apply(ReservationSet{{.name = std::string("of_") + user,
                                          .start = from_seconds(1),
                                          .end = from_seconds(9'000'000),
                                          .users = {user}}});
        }
        ReadModel read_model;
        (void)cluster.publish(read_model);
        AccountingRecord own, others;
        own.job = JobId(1);
        own.owner = {1000, 1000, "user1000", "users"};
        others.job = JobId(2);
        others.owner = {2000, 2000, "user2000", "users"};
        own.started_at = others.started_at = from_seconds(1000);
        own.ended_at = others.ended_at = from_seconds(2000);
        archive_.records = {own, others};
        archive_.known_spans.reservations.clear();
        for (const char* user : {"user1000", "user2000"}) {
            const std::string name = std::string("of_") + user;
            archive_.known_spans.reservations.push_back(
                {.name = name,
                 .began = from_seconds(1),
                 .ended = from_seconds(9'000),
                 .standing = {.reservation = {.name = name,
                                              .start = from_seconds(1),
                                              .end = from_seconds(9'000),
                                              .users = {user}}}});
        }
        const Service service({}, read_model, archive_);
        auto outcome = service.serve(
            {.method = "GET", .target = target, .body = {}, .principal = who, .refused = {}});
        if (auto* slow = std::get_if<SlowRead>(&outcome)) return whole((*slow)());
        return whole(std::get<ApiResponse>(std::move(outcome)));
    }
    static ApiResponse whole(ApiResponse response) {
        std::string part;
        while (response.parts && response.parts->next(part)) response.body += part;
        return response;
    }
    PlayedArchive archive_;
};

TEST_F(Privately, ShortensListsToWhatIsTheUsersOwn) {
    struct Case {
        PrivateKind kind;
        const char *target, *own, *others;
    };
    const Case cases[] = {
        {PrivateKind::jobs, "/v1/jobs", R"("name":"job1")", R"("name":"job2")"},
        {PrivateKind::jobs, "/v1/jobs?job=1&job=2", R"("name":"job1")", R"("name":"job2")"},
        {PrivateKind::jobs, "/v1/jobs?user=user1000&user=user2000", R"("name":"job1")",
         R"("name":"job2")"},
        {PrivateKind::jobs, "/v1/priorities", R"("user":"user1000")", R"("user":"user2000")"},
        {PrivateKind::jobs, "/v1/accounting", R"("user":"user1000")", R"("user":"user2000")"},
        {PrivateKind::jobs, "/v1/usage?from=900&until=3000", R"("user":"user1000")",
         R"("user":"user2000")"},
        {PrivateKind::reservations, "/v1/usage?from=900&until=3000&reservations=true",
         "of_user1000", "of_user2000"},
        {PrivateKind::usage, "/v1/shares", R"("user":"user1000")", R"("user":"user2000")"},
        {PrivateKind::users, "/v1/associations", R"("user":"user1000")", R"("user":"user2000")"},
        {PrivateKind::accounts, "/v1/associations", R"("user":"user1000")", R"("user":"")"},
        {PrivateKind::reservations, "/v1/reservations", "of_user1000", "of_user2000"},
    };
    for (const Case& one : cases) {
        const std::string seen = ask(one.kind, kAnn, one.target).body;
        EXPECT_NE(seen.find(one.own), std::string::npos) << one.target << ": " << seen;
        EXPECT_EQ(seen.find(one.others), std::string::npos) << one.target << ": " << seen;
        const std::string all = ask(one.kind, kOperator, one.target).body;
        EXPECT_NE(all.find(one.others), std::string::npos) << one.target << ": " << all;
        const PrivateKind another =
            one.kind == PrivateKind::jobs ? PrivateKind::users : PrivateKind::jobs;
        const std::string open = ask(another, kAnn, one.target).body;
        EXPECT_NE(open.find(one.others), std::string::npos) << one.target << ": " << open;
    }
}

TEST_F(Privately, RefusesWhatIsNobodysOwn) {
    struct Case {
        PrivateKind kind;
        const char* target;
        int status;
    };
    const Case cases[] = {
        {PrivateKind::nodes, "/v1/nodes", 403},
        {PrivateKind::nodes, "/v1/nodes/gpu1", 403},
        {PrivateKind::partitions, "/v1/partitions", 403},
        {PrivateKind::events, "/v1/node-events", 403},
        {PrivateKind::jobs, "/v1/jobs/2", 404},
        {PrivateKind::jobs, "/v1/jobs/2/explain", 404},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(ask(one.kind, kAnn, one.target).status, one.status) << one.target;
        if (one.status == 403) {
            EXPECT_EQ(ask(one.kind, kOperator, one.target).status, 200);
        }
    }
    EXPECT_EQ(ask(PrivateKind::jobs, kAnn, "/v1/jobs/1").status, 200);
    EXPECT_EQ(ask(PrivateKind::jobs, kOperator, "/v1/jobs/2").status, 200);
}

}  // namespace
}  // namespace berth
