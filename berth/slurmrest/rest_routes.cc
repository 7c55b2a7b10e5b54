#include "berth/slurmrest/rest_routes.h"

#include <algorithm>
#include <array>
#include <optional>

#include "berth/api/problem.h"
#include "berth/api/query.h"
#include "berth/base/text.h"

namespace berth::slurmrest {
namespace {

using api::RouteId;
using Kind = ParameterKind;

// Every answer is whole, and shows what the caller may see: `update_time` and `flags` change
// nothing.
constexpr auto kShown =
    std::to_array<Parameter>({{"update_time", Kind::changed_since}, {"flags", Kind::show_flags}});
constexpr auto kUpdated = std::to_array<Parameter>({{"update_time", Kind::changed_since}});
constexpr auto kJobStates =
    std::to_array<Parameter>({{"job_id", Kind::words}, {"flags", Kind::show_flags}});
constexpr auto kCancel =
    std::to_array<Parameter>({{"signal", Kind::words}, {"flags", Kind::words}});
constexpr auto kShares =
    std::to_array<Parameter>({{"accounts", Kind::words}, {"users", Kind::words}});
constexpr auto kDbJobs = std::to_array<Parameter>({{"account", Kind::words},
                                                   {"cluster", Kind::words},
                                                   {"users", Kind::words},
                                                   {"partition", Kind::words},
                                                   {"job_name", Kind::words},
                                                   {"state", Kind::words},
                                                   {"step", Kind::words},
                                                   {"start_time", Kind::time},
                                                   {"end_time", Kind::time},
                                                   {"show_duplicates", Kind::flag},
                                                   {"skip_steps", Kind::flag},
                                                   {"format", Kind::without_meaning}});
constexpr auto kDbAssociations = std::to_array<Parameter>({{"account", Kind::words},
                                                           {"cluster", Kind::words},
                                                           {"user", Kind::words},
                                                           {"parent_account", Kind::words},
                                                           {"format", Kind::without_meaning}});
constexpr auto kDbAccounts = std::to_array<Parameter>({{"description", Kind::words}});
constexpr auto kDbUsers = std::to_array<Parameter>(
    {{"admin_level", Kind::words}, {"default_account", Kind::words}, {"with_assocs", Kind::flag}});
constexpr auto kDbQos = std::to_array<Parameter>(
    {{"name", Kind::words}, {"description", Kind::words}, {"format", Kind::without_meaning}});

// clang-format off
constexpr auto kRestRoutes = std::to_array<RestRoute>({
    {RestId::ping, "GET", "/slurm/ping", RouteId::ping, {}},
    {RestId::diag, "GET", "/slurm/diag", RouteId::show_diagnostics, {}},
    {RestId::list_jobs, "GET", "/slurm/jobs", RouteId::list_jobs, kShown},
    {RestId::job_states, "GET", "/slurm/jobs/state", RouteId::list_jobs, kJobStates},
    {RestId::submit_job, "POST", "/slurm/job/submit", RouteId::submit_job, {}},
    {RestId::show_job, "GET", "/slurm/job/{job_id}", RouteId::show_job, kShown},
    {RestId::update_job, "POST", "/slurm/job/{job_id}", RouteId::update_job, {}},
    {RestId::cancel_job, "DELETE", "/slurm/job/{job_id}", RouteId::cancel_job, kCancel},
    {RestId::list_nodes, "GET", "/slurm/nodes", RouteId::list_nodes, kShown},
    {RestId::show_node, "GET", "/slurm/node/{node_name}", RouteId::show_node, kShown},
    {RestId::list_partitions, "GET", "/slurm/partitions", RouteId::list_partitions, kShown},
    {RestId::show_partition, "GET", "/slurm/partition/{partition_name}", RouteId::list_partitions, kShown},
    {RestId::list_reservations, "GET", "/slurm/reservations", RouteId::list_reservations, kUpdated},
    {RestId::show_reservation, "GET", "/slurm/reservation/{reservation_name}", RouteId::list_reservations, kUpdated},
    {RestId::licenses, "GET", "/slurm/licenses", RouteId::list_licenses, {}},
    {RestId::shares, "GET", "/slurm/shares", RouteId::list_shares, kShares},
    {RestId::db_ping, "GET", "/slurmdb/ping", RouteId::ping, {}},
    {RestId::db_diag, "GET", "/slurmdb/diag", RouteId::show_diagnostics, {}},
    {RestId::db_jobs, "GET", "/slurmdb/jobs", RouteId::list_accounting, kDbJobs},
    {RestId::db_job, "GET", "/slurmdb/job/{job_id}", RouteId::list_accounting, {}},
    {RestId::db_associations, "GET", "/slurmdb/associations", RouteId::list_associations, kDbAssociations},
    {RestId::db_association, "GET", "/slurmdb/association", RouteId::list_associations, kDbAssociations},
    {RestId::db_accounts, "GET", "/slurmdb/accounts", RouteId::list_associations, kDbAccounts},
    {RestId::db_account, "GET", "/slurmdb/account/{account_name}", RouteId::list_associations, {}},
    {RestId::db_users, "GET", "/slurmdb/users", RouteId::list_associations, kDbUsers},
    {RestId::db_user, "GET", "/slurmdb/user/{name}", RouteId::list_associations, {}},
    {RestId::db_qos, "GET", "/slurmdb/qos", RouteId::list_qos, kDbQos},
    {RestId::db_one_qos, "GET", "/slurmdb/qos/{qos}", RouteId::list_qos, {}},
    {RestId::db_tres, "GET", "/slurmdb/tres", RouteId::list_qos, {}},
    {RestId::db_clusters, "GET", "/slurmdb/clusters", RouteId::list_qos, {}},
    {RestId::db_cluster, "GET", "/slurmdb/cluster/{cluster_name}", RouteId::list_qos, {}},
    {RestId::db_instances, "GET", "/slurmdb/instances", RouteId::list_qos, {}},
    {RestId::db_instance, "GET", "/slurmdb/instance", RouteId::list_qos, {}},
    {RestId::db_wckeys, "GET", "/slurmdb/wckeys", RouteId::list_qos, {}},
    {RestId::db_wckey, "GET", "/slurmdb/wckey/{id}", RouteId::list_qos, {}},
});

constexpr auto kRefusedRoutes = std::to_array<RefusedRoute>({
    {"GET", "/slurm/reconfigure", "use POST /v1/reconfigure, or scontrol reconfigure"},
    {"GET", "/slurm/conf", "use GET /v1/config"},
    {"POST", "/slurm/job/allocate", "use salloc, or POST /v1/jobs with command.interactive"},
    {"DELETE", "/slurm/jobs", "use DELETE job/{job_id} for each, or scancel with the same filters"},
    {"GET", "/slurm/job/{job_id}/requeue", "use POST /v1/jobs/{ref}/requeue"},
    {"POST", "/slurm/jobs/requeue", "use POST /v1/jobs/{ref}/requeue for each"},
    {"POST", "/slurm/nodes", "use PATCH /v1/nodes/{name} for each"},
    {"POST", "/slurm/node/{node_name}", "use PATCH /v1/nodes/{name}"},
    {"DELETE", "/slurm/node/{node_name}", "use POST /v1/nodes/{name}/delete"},
    {"POST", "/slurm/new/node", "use POST /v1/nodes"},
    {"POST", "/slurm/partitions", "use POST /v1/partitions, or PATCH /v1/partitions/{name}"},
    {"DELETE", "/slurm/partition/{partition_name}", "use POST /v1/partitions/{name}/delete"},
    {"POST", "/slurm/reservations", "use POST /v1/reservations"},
    {"POST", "/slurm/reservation", "use POST /v1/reservations, or PATCH /v1/reservations/{name}"},
    {"DELETE", "/slurm/reservation/{reservation_name}", "use POST /v1/reservations/{name}/delete"},
    {"GET", "/slurm/resources/{job_id}", "use GET job/{job_id}, which has job_resources"},
    {"POST", "/slurmdb/job/{job_id}", "use POST /slurm/v0.0.44/job/{job_id} while the job is known"},
    {"POST", "/slurmdb/jobs", "use POST /slurm/v0.0.44/job/{job_id} while the job is known"},
    {"GET", "/slurmdb/config", "use associations, accounts, users and qos, or sacctmgr dump"},
    {"POST", "/slurmdb/config", "use POST /v1/accounting-edits, or sacctmgr load"},
    {"POST", "/slurmdb/tres", "TRES come from GresTypes= in slurm.conf"},
    {"POST", "/slurmdb/qos", "use POST /v1/accounting-edits, or sacctmgr"},
    {"DELETE", "/slurmdb/qos/{qos}", "use POST /v1/accounting-edits, or sacctmgr"},
    {"POST DELETE", "/slurmdb/associations", "use POST /v1/accounting-edits, or sacctmgr"},
    {"DELETE", "/slurmdb/association", "use POST /v1/accounting-edits, or sacctmgr"},
    {"POST", "/slurmdb/accounts", "use POST /v1/accounting-edits, or sacctmgr"},
    {"POST", "/slurmdb/accounts_association", "use POST /v1/accounting-edits, or sacctmgr"},
    {"DELETE", "/slurmdb/account/{account_name}", "use POST /v1/accounting-edits, or sacctmgr"},
    {"POST", "/slurmdb/users", "use POST /v1/accounting-edits, or sacctmgr"},
    {"POST", "/slurmdb/users_association", "use POST /v1/accounting-edits, or sacctmgr"},
    {"DELETE", "/slurmdb/user/{name}", "use POST /v1/accounting-edits, or sacctmgr"},
    {"POST", "/slurmdb/clusters", "there is one cluster, which ClusterName= names"},
    {"DELETE", "/slurmdb/cluster/{cluster_name}", "there is one cluster, which ClusterName= names"},
    {"POST", "/slurmdb/wckeys", "a job's wckey needs no entry; it is recorded as given"},
    {"DELETE", "/slurmdb/wckey/{id}", "a job's wckey needs no entry; it is recorded as given"},
});
// clang-format on

// The captured part, empty where the pattern has none; nullopt: the path does not fit.
std::optional<std::string> fit_path(std::string_view pattern, std::string_view path) {
    const auto wanted = split(pattern, '/');
    const auto given = split(path, '/');
    if (wanted.size() != given.size()) return std::nullopt;
    std::string capture;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].starts_with('{')) {
            Result<std::string> decoded = api::percent_decode(given[i]);
            if (!decoded.ok() || decoded->empty()) return std::nullopt;
            capture = *std::move(decoded);
        } else if (wanted[i] != given[i]) {
            return std::nullopt;
        }
    }
    return capture;
}

// "/slurm/v0.0.44/jobs/" in two: the version, and "/slurm/jobs".
struct Parted {
    std::string_view version;
    std::string path;
};
Parted part(std::string_view path) {
    const std::size_t first = path.find('/', 1);
    if (first == std::string_view::npos) return {{}, std::string(path)};
    const std::size_t second = std::min(path.find('/', first + 1), path.size());
    std::string rest(path.substr(0, first));
    rest += path.substr(second);
    while (rest.size() > 1 && rest.ends_with('/')) rest.pop_back();  // As slurmrestd does.
    return {path.substr(first + 1, second - first - 1), std::move(rest)};
}

NoRestRoute none(std::int32_t status, std::string detail, std::string allow = {}) {
    return {api::problem_of_status(status, std::move(detail)), std::move(allow)};
}

NoRestRoute no_version(const Parted& parted) {
    const auto versions = data_parsers();
    const std::size_t slash = std::min(parted.path.find('/', 1), parted.path.size());
    return none(404, "data_parser " + std::string(parted.version.substr(0, 40)) +
                         " is not supported; there are " + std::string(versions[0]) + " and " +
                         std::string(versions[1]) + ": use " + parted.path.substr(0, slash) + "/" +
                         std::string(versions[0]) + parted.path.substr(slash).substr(0, 200));
}

bool has_word(std::string_view words, std::string_view word) {
    const auto all = split(words, ' ');
    return std::ranges::find(all, word) != all.end();
}

std::string asked_for(std::string_view method, std::string_view path) {
    return std::string(method.substr(0, 20)) + " " + std::string(path.substr(0, 200));
}

// Those of plain paths come before all patterns: "allocate" is no job's id.
std::optional<NoRestRoute> refusal_of(std::string_view method, std::string_view path,
                                      const Parted& parted, bool patterns) {
    for (const RefusedRoute& route : kRefusedRoutes) {
        if ((route.path.find('{') != std::string_view::npos) != patterns) continue;
        if (!has_word(route.methods, method) || !fit_path(route.path, parted.path)) continue;
        return none(501,
                    asked_for(method, path) + " is not supported: " + std::string(route.instead));
    }
    return std::nullopt;
}

}  // namespace

std::span<const RestRoute> rest_routes() { return kRestRoutes; }
std::span<const RefusedRoute> refused_routes() { return kRefusedRoutes; }

bool is_rest(std::string_view target) {
    return target.starts_with("/slurm/") || target.starts_with("/slurmdb/");
}

std::string_view data_parser_of(std::string_view target) {
    const Parted parted = part(target.substr(0, target.find('?')));
    const auto versions = data_parsers();
    const auto found = std::ranges::find(versions, parted.version);
    return found == versions.end() ? versions.front() : *found;
}

std::variant<RestCall, NoRestRoute> match_rest(std::string_view method, std::string_view path) {
    const Parted parted = part(path);
    const auto versions = data_parsers();
    if (std::ranges::find(versions, parted.version) == versions.end()) return no_version(parted);
    if (auto refused = refusal_of(method, path, parted, false)) return *std::move(refused);
    std::string allow;
    for (const RestRoute& route : kRestRoutes) {
        auto capture = fit_path(route.path, parted.path);
        if (!capture) continue;
        if (route.method == method)
            return RestCall{&route, std::string(parted.version), *std::move(capture)};
        allow += (allow.empty() ? "" : ", ") + std::string(route.method);
    }
    if (auto refused = refusal_of(method, path, parted, true)) return *std::move(refused);
    const std::string asked = asked_for(method, path);
    if (!allow.empty()) return none(405, asked + " is not a method of this path", allow);
    return none(404, "There is no " + asked + " here; docs/slurmrest.md lists all routes");
}

}  // namespace berth::slurmrest
