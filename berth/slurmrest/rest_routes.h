// RestRoutes: slurmrestd's routes of v0.0.43 and v0.0.44. Each that Berth serves stands for a route
// of /v1, by which it is authorized; each other is refused by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "berth/api/messages.h"
#include "berth/api/routes.h"
#include "berth/slurmrest/meta.h"

namespace berth::slurmrest {

enum class RestId : std::uint8_t {
    ping,
    diag,
    list_jobs,
    job_states,
    show_job,
    submit_job,
    update_job,
    cancel_job,
    list_nodes,
    show_node,
    list_partitions,
    show_partition,
    list_reservations,
    show_reservation,
    licenses,
    shares,
    db_ping,
    db_diag,
    db_jobs,
    db_job,
    db_associations,
    db_association,
    db_accounts,
    db_account,
    db_users,
    db_user,
    db_qos,
    db_one_qos,
    db_tres,
    db_clusters,
    db_cluster,
    db_instances,
    db_instance,
    db_wckeys,
    db_wckey,
};

// A query parameter. The last three ask for what is so in any case; what is no value of theirs is
// refused all the same.
enum class ParameterKind : std::uint8_t {
    words,  // "a,b"; may be given again.
    flag,   // "true", or nothing.
    time,   // Seconds since 1970.
    changed_since,
    show_flags,
    without_meaning,
};
struct Parameter {
    std::string_view name;
    ParameterKind kind = ParameterKind::words;
};

struct RestRoute {
    RestId id;
    std::string_view method;
    std::string_view path;  // "/slurm/job/{job_id}": without the version.
    api::RouteId v1;
    std::span<const Parameter> parameters;
};
std::span<const RestRoute> rest_routes();

struct RefusedRoute {
    std::string_view methods;  // "POST DELETE"
    std::string_view path;
    std::string_view instead;
};
std::span<const RefusedRoute> refused_routes();

// Whether a target is one of slurmrestd's: what is wrong with it is told in its shape.
bool is_rest(std::string_view target);

struct RestCall {
    const RestRoute* route = nullptr;
    std::string data_parser;  // "v0.0.44"
    std::string capture;      // What stands in the path's braces, decoded.
};
struct NoRestRoute {
    api::Problem problem;
    std::string allow;  // For a 405: the methods of the path.
};
std::variant<RestCall, NoRestRoute> match_rest(std::string_view method, std::string_view path);

// The version of a target that is_rest(); the newest where it has none that is supported.
std::string_view data_parser_of(std::string_view target);

}  // namespace berth::slurmrest
