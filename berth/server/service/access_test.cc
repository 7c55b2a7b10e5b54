#include <algorithm>

#include "berth/server/auth/access.h"

#include <gtest/gtest.h>

#include "berth/server/service/service.h"
#include "berth/server/snapshot/sample_cluster.h"

namespace berth {
namespace {

using api::RouteId;

// The promise, written out once more: the least role for what is one's own, and for another's.
struct Promise {
    RouteId route;
    Role own, others;
};
constexpr Role kAnyone = Role::none, kUser = Role::user, kOp = Role::op, kAdmin = Role::admin;
constexpr Promise kPromises[] = {
    {RouteId::health, kAnyone, kAnyone},
    {RouteId::openapi, kAnyone, kAnyone},
    {RouteId::ping, kUser, kUser},
    {RouteId::config, kUser, kUser},
    {RouteId::state_hash, kOp, kOp},
    {RouteId::list_jobs, kUser, kUser},
    {RouteId::submit_job, kUser, kUser},
    {RouteId::test_job, kUser, kUser},
    {RouteId::show_job, kUser, kUser},
    {RouteId::update_job, kUser, kOp},
    {RouteId::cancel_job, kUser, kOp},
    {RouteId::hold_job, kUser, kOp},
    {RouteId::release_job, kUser, kOp},
    {RouteId::requeue_job, kUser, kOp},
    {RouteId::create_step, kUser, kAdmin},
    {RouteId::complete_job, kUser, kAdmin},
    {RouteId::explain_job, kUser, kUser},
    {RouteId::show_script, kUser, kAdmin},
    {RouteId::list_nodes, kUser, kUser},
    {RouteId::show_node, kUser, kUser},
    {RouteId::update_node, kOp, kOp},
    {RouteId::list_partitions, kUser, kUser},
    {RouteId::list_licenses, kUser, kUser},
    {RouteId::list_accounting, kUser, kUser},
    {RouteId::list_priorities, kUser, kUser},
    {RouteId::list_shares, kUser, kUser},
    {RouteId::list_queues, kUser, kUser},
    {RouteId::set_usage, kAdmin, kAdmin},
    {RouteId::show_usage, kUser, kUser},
    {RouteId::list_node_events, kUser, kUser},
    {RouteId::list_reservations, kUser, kUser},
    {RouteId::create_reservation, kOp, kOp},
    {RouteId::update_reservation, kOp, kOp},
    {RouteId::delete_reservation, kOp, kOp},
    {RouteId::list_associations, kUser, kUser},
    {RouteId::list_qos, kUser, kUser},
    {RouteId::edit_accounting, kUser, kOp},
    {RouteId::show_diagnostics, kUser, kUser},
    {RouteId::reset_diagnostics, kOp, kOp},
    {RouteId::reconfigure, kAdmin, kAdmin},
    {RouteId::metrics, kUser, kUser},
    {RouteId::metrics_jobs, kUser, kUser},
    {RouteId::metrics_nodes, kUser, kUser},
    {RouteId::metrics_partitions, kUser, kUser},
    {RouteId::metrics_scheduler, kUser, kUser},
    {RouteId::create_join_token, kAdmin, kAdmin},
    {RouteId::revoke_certificates, kAdmin, kAdmin},
    {RouteId::keep_alive, kUser, kAdmin},
    {RouteId::join, kAnyone, kAnyone},  // The token in its body decides.
    {RouteId::create_token, kUser, kUser},
    {RouteId::suspend_job, kOp, kOp},
    {RouteId::resume_job, kOp, kOp},
    {RouteId::notify_job, kUser, kOp},
    {RouteId::attach_step, kUser, kAdmin},
    {RouteId::update_step, kUser, kOp},
    {RouteId::checkpoint_job, kUser, kAdmin},
    {RouteId::top_jobs, kUser, kUser},  // The controller looks at whose the jobs are.
    {RouteId::create_partition, kOp, kOp},
    {RouteId::update_partition, kOp, kOp},
    {RouteId::create_nodes, kAdmin, kAdmin},
    {RouteId::delete_node, kAdmin, kAdmin},
    {RouteId::delete_partition, kOp, kOp},
};

class EmptyArchive : public Archive {
public:
    Result<AccountingAnswer> accounting(const AccountingFilter&) override {
        return AccountingAnswer{};
    }
    Status each_run(const RunFilter&,
                    const std::function<void(const AccountingRecord&)>&) override {
        return Done{};
    }
    Result<Spans> spans(Time, Time) override { return Spans{}; }
    Result<std::vector<NodeEventSpan>> node_events(Time, Time) override {
        return std::vector<NodeEventSpan>{};
    }
    Result<JobPayload> payload(JobId, std::optional<JobId>) override { return JobPayload{}; }
};

// Job 1 is of user 1000, job 2 of user 2000.
class Access : public ::testing::Test {
protected:
    Access() {
        cluster.submit(SampleCluster::job(1, 1000));
        cluster.submit(SampleCluster::job(2, 2000));
        (void)cluster.publish(read_model);
    }
    std::int32_t status(const api::Route& route, Role role, const char* job) {
        const bool of_job = route.path.find("{ref}") != std::string_view::npos;
        ApiRequest request{.method = std::string(api::to_string(route.method)),
                           .target = api::path_of(route.id, of_job ? job : "gpu1"),
                           .body = route.request.empty() ? "" : "{}",
                           .principal = {1000, 1000, "user1000", "users", role}};
        const auto outcome = service.serve(request);
        const auto* const response = std::get_if<ApiResponse>(&outcome);
        return response == nullptr ? 200 : response->status;
    }
    SampleCluster cluster;
    ReadModel read_model;
    EmptyArchive archive;
    Service service{{}, read_model, archive};
};

TEST_F(Access, OfEveryRouteIsAsPromisedForEveryRoleOnOnesOwnAndOnOthers) {
    for (const Promise& promise : kPromises) {
        const api::Route& route = api::route(promise.route);
        for (const Role role : {Role::none, Role::user, Role::op, Role::admin}) {
            EXPECT_EQ(status(route, role, "1") != 403, role >= promise.own)
                << route.path << " " << name(role) << " on his own";
            EXPECT_EQ(status(route, role, "2") != 403,
                      role >= (route.path.find("{ref}") == std::string_view::npos ? promise.own
                                                                                  : promise.others))
                << route.path << " " << name(role) << " on another's";
        }
    }
}

TEST_F(Access, LeavesNoRouteOut) {
    std::size_t named = 0;
    for (const api::Route& route : api::routes()) {
        named += static_cast<std::size_t>(std::ranges::count(kPromises, route.id, &Promise::route));
        if (!route.verb.empty()) {
            const auto verbs = all_verbs();
            EXPECT_TRUE(
                std::ranges::any_of(verbs, [&](Verb verb) { return name(verb) == route.verb; }))
                << route.path << " names a verb that is not in the table: " << route.verb;
        }
    }
    EXPECT_EQ(named, api::routes().size());
    EXPECT_EQ(std::size(kPromises), api::routes().size());
}

TEST_F(Access, ToAVerbThatNobodyKnowsIsDeniedToAll) {
    api::Route route = api::route(RouteId::ping);
    route.verb = "no_such_verb";
    for (const Role role : {Role::none, Role::user, Role::op, Role::admin})
        EXPECT_FALSE(may_use(route, role, true));
}

}  // namespace
}  // namespace berth
