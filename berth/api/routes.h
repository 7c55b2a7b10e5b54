// The routes of /v1 in one table: the server serves these, the OpenAPI file describes these, and
// the client calls these.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::api {

enum class Method : std::uint8_t { get, post, patch };
std::string_view to_string(Method method);  // "GET"

enum class RouteId : std::uint8_t {
    health,
    openapi,
    ping,
    config,
    state_hash,
    list_jobs,
    submit_job,
    show_job,
    update_job,
    cancel_job,
    hold_job,
    release_job,
    requeue_job,
    create_step,
    complete_job,
    explain_job,
    show_script,
    list_nodes,
    show_node,
    update_node,
    list_partitions,
    list_accounting,
    list_priorities,
    list_shares,
    set_usage,
    list_licenses,
    list_reservations,
    create_reservation,
    update_reservation,
    delete_reservation,
    list_associations,
    list_qos,
    edit_accounting,
    show_diagnostics,
    reset_diagnostics,
    reconfigure,
    metrics,
    metrics_jobs,
    metrics_nodes,
    metrics_partitions,
    metrics_scheduler,
    create_join_token,
    revoke_certificates,
    join,
    create_token,
    suspend_job,
    resume_job,
    notify_job,
    keep_alive,
    top_jobs,
    create_partition,
    update_partition,
    delete_partition,
    attach_step,
    create_nodes,
    delete_node,
    test_job,
    list_queues,
    show_usage,
    checkpoint_job,
    list_node_events,
    update_step,
};

struct Route {
    RouteId id;
    Method method;
    std::string_view path;     // "/v1/jobs/{ref}"
    std::string_view verb;     // Of control's authorize.h. Empty: open to whoever can connect.
    std::string_view request;  // The message that the body holds; empty: no body.
    std::string_view reply;    // The message that answers.
    std::string_view list;  // The reply is an object whose member of this name lists such messages.
    std::string_view query;  // JobQuery, AccountingQuery, UsageQuery, NodeEventQuery; or none.
    std::int32_t success = 200;
    std::string_view summary;
};

std::span<const Route> routes();
const Route& route(RouteId id);

struct RouteMatch {
    const Route* route = nullptr;       // nullptr: none of this path, or none of this method.
    std::vector<std::string> captures;  // What stands in the path's braces, decoded.
    std::vector<Method> others;         // What else the path takes: 405 rather than 404.
};
RouteMatch match_route(Method method, std::string_view path);

// "/v1/jobs/{ref}/hold" with "12" -> "/v1/jobs/12/hold"
std::string path_of(RouteId id, std::string_view capture = {});

}  // namespace berth::api
