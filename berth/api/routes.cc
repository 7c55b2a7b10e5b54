#include "berth/api/routes.h"

#include <array>
#include <optional>

#include "berth/api/query.h"
#include "berth/base/assert.h"
#include "berth/base/text.h"

namespace berth::api {
namespace {

constexpr std::array kRoutes = {
    Route{.id = RouteId::health,
          .method = Method::get,
          .path = "/healthz",
          .reply = "Health",
          .summary = "Whether the controller is up."},
    Route{.id = RouteId::openapi,
          .method = Method::get,
          .path = "/openapi.json",
          .summary = "This document."},
    Route{.id = RouteId::ping,
          .method = Method::get,
          .path = "/v1/ping",
          .verb = "ping",
          .reply = "Ping",
          .summary = "Who the controller is, and how far its journal goes."},
    Route{.id = RouteId::config,
          .method = Method::get,
          .path = "/v1/config",
          .verb = "view_config",
          .reply = "ConfigRow",
          .summary = "The configuration in force."},
    Route{.id = RouteId::state_hash,
          .method = Method::get,
          .path = "/v1/state-hash",
          .verb = "hash_state",
          .reply = "StateHashReply",
          .summary = "A hash of the whole durable state, to compare with a replay of the journal."},
    Route{.id = RouteId::list_jobs,
          .method = Method::get,
          .path = "/v1/jobs",
          .verb = "view_jobs",
          .reply = "JobRow",
          .list = "jobs",
          .query = "JobQuery",
          .summary = "The jobs that are pending, running or not long over, in id order."},
    Route{.id = RouteId::submit_job,
          .method = Method::post,
          .path = "/v1/jobs",
          .verb = "submit_job",
          .request = "SubmitRequest",
          .reply = "SubmitReply",
          .success = 201,
          .summary = "Submits a job. The same request_id again is the same job, not another one."},
    Route{.id = RouteId::show_job,
          .method = Method::get,
          .path = "/v1/jobs/{ref}",
          .verb = "view_jobs",
          .reply = "JobRow",
          .list = "jobs",
          .summary = "All that the reference names: of an array, its record and its tasks."},
    Route{.id = RouteId::update_job,
          .method = Method::patch,
          .path = "/v1/jobs/{ref}",
          .verb = "update_job",
          .request = "JobPatch",
          .reply = "Accepted",
          .summary = "Changes what is given."},
    Route{.id = RouteId::cancel_job,
          .method = Method::post,
          .path = "/v1/jobs/{ref}/cancel",
          .verb = "cancel_job",
          .request = "CancelRequest",
          .reply = "Accepted",
          .summary = "Ends a job or a step, or sends it a signal."},
    Route{.id = RouteId::hold_job,
          .method = Method::post,
          .path = "/v1/jobs/{ref}/hold",
          .verb = "hold_job",
          .request = "HoldRequest",
          .reply = "Accepted",
          .summary = "Keeps a pending job from starting."},
    Route{.id = RouteId::release_job,
          .method = Method::post,
          .path = "/v1/jobs/{ref}/release",
          .verb = "release_job",
          .reply = "Accepted",
          .summary = "Takes a hold away."},
    Route{.id = RouteId::requeue_job,
          .method = Method::post,
          .path = "/v1/jobs/{ref}/requeue",
          .verb = "requeue_job",
          .request = "RequeueRequest",
          .reply = "Accepted",
          .summary = "Ends a running job and puts it back into the queue."},
    Route{.id = RouteId::create_step,
          .method = Method::post,
          .path = "/v1/jobs/{ref}/steps",
          .verb = "create_step",
          .request = "StepCall",
          .reply = "StepReply",
          .success = 201,
          .summary = "Starts a step within a running job."},
    Route{.id = RouteId::complete_job,
          .method = Method::post,
          .path = "/v1/jobs/{ref}/complete",
          .verb = "complete_job",
          .request = "CompleteRequest",
          .reply = "Accepted",
          .summary = "An interactive job (without a script) is over: its client says so."},
    Route{.id = RouteId::explain_job,
          .method = Method::get,
          .path = "/v1/jobs/{ref}/explain",
          .verb = "explain_job",
          .reply = "Explanation",
          .summary = "Why a pending job waits, in numbers, and what would let it start sooner."},
    Route{.id = RouteId::show_script,
          .method = Method::get,
          .path = "/v1/jobs/{ref}/script",
          .verb = "view_job_script",
          .reply = "ScriptReply",
          .summary = "The batch script as submitted."},
    Route{.id = RouteId::list_nodes,
          .method = Method::get,
          .path = "/v1/nodes",
          .verb = "view_nodes",
          .reply = "NodeRow",
          .list = "nodes",
          .summary = "All nodes, in the order of the configuration."},
    Route{.id = RouteId::show_node,
          .method = Method::get,
          .path = "/v1/nodes/{name}",
          .verb = "view_nodes",
          .reply = "NodeRow",
          .summary = "One node."},
    Route{.id = RouteId::update_node,
          .method = Method::patch,
          .path = "/v1/nodes/{name}",
          .verb = "update_node",
          .request = "NodePatch",
          .reply = "Accepted",
          .summary = "Drains a node, or takes it back."},
    Route{.id = RouteId::list_partitions,
          .method = Method::get,
          .path = "/v1/partitions",
          .verb = "view_partitions",
          .reply = "PartitionRow",
          .list = "partitions",
          .summary = "All partitions, in the order of the configuration."},
    Route{.id = RouteId::list_accounting,
          .method = Method::get,
          .path = "/v1/accounting",
          .verb = "view_accounting",
          .reply = "AccountingRow",
          .list = "records",
          .query = "AccountingQuery",
          .summary = "What has run, one record for each attempt; durable and up to date."},
    Route{.id = RouteId::list_priorities,
          .method = Method::get,
          .path = "/v1/priorities",
          .verb = "view_jobs",
          .reply = "PriorityRow",
          .list = "priorities",
          .query = "JobQuery",
          .summary = "What the priorities of the jobs that wait are made of (sprio)."},
    Route{.id = RouteId::list_shares,
          .method = Method::get,
          .path = "/v1/shares",
          .verb = "view_shares",
          .reply = "ShareRow",
          .list = "shares",
          .summary = "Accounts and users, their shares and what they have used (sshare)."},
    Route{.id = RouteId::set_usage,
          .method = Method::post,
          .path = "/v1/usage",
          .verb = "set_usage",
          .request = "UsagePatch",
          .reply = "Accepted",
          .summary = "Sets what users have used, brought along from elsewhere or forgiven."},
    Route{.id = RouteId::list_licenses,
          .method = Method::get,
          .path = "/v1/licenses",
          .verb = "view_config",
          .reply = "LicenseRow",
          .list = "licenses",
          .summary = "All licenses by name, and how many of each are in use."},
    Route{.id = RouteId::list_reservations,
          .method = Method::get,
          .path = "/v1/reservations",
          .verb = "view_partitions",
          .reply = "ReservationRow",
          .list = "reservations",
          .summary = "All reservations, by name."},
    Route{.id = RouteId::create_reservation,
          .method = Method::post,
          .path = "/v1/reservations",
          .verb = "edit_reservation",
          .request = "ReservationCall",
          .reply = "ReservationReply",
          .success = 201,
          .summary = "Keeps nodes, or GPUs, for somebody from one time to another."},
    Route{.id = RouteId::update_reservation,
          .method = Method::patch,
          .path = "/v1/reservations/{name}",
          .verb = "edit_reservation",
          .request = "ReservationChange",
          .reply = "ReservationReply",
          .summary = "Changes what is given."},
    Route{.id = RouteId::delete_reservation,
          .method = Method::post,
          .path = "/v1/reservations/{name}/delete",
          .verb = "edit_reservation",
          .reply = "Accepted",
          .summary = "Deletes a reservation in which nothing runs."},
    Route{.id = RouteId::list_associations,
          .method = Method::get,
          .path = "/v1/associations",
          .verb = "view_accounting",
          .reply = "AssociationRow",
          .list = "associations",
          .summary = "Accounts and the users in them, with their shares and limits."},
    Route{.id = RouteId::list_qos,
          .method = Method::get,
          .path = "/v1/qos",
          .verb = "view_accounting",
          .reply = "QosRow",
          .list = "qos",
          .summary = "All QOS, with their limits."},
    Route{
        .id = RouteId::edit_accounting,
        .method = Method::post,
        .path = "/v1/accounting-edits",
        .verb = "edit_accounting",
        .request = "AccountingEdits",
        .reply = "Accepted",
        .summary = "Makes, changes and removes accounts, users in accounts and QOS, all at once."},
    Route{.id = RouteId::show_diagnostics,
          .method = Method::get,
          .path = "/v1/diagnostics",
          .verb = "view_diagnostics",
          .reply = "DiagnosticsRow",
          .summary = "What the controller has done and how long it took (sdiag)."},
    Route{.id = RouteId::reset_diagnostics,
          .method = Method::post,
          .path = "/v1/diagnostics/reset",
          .verb = "reset_diagnostics",
          .reply = "Accepted",
          .summary = "Counts anew from here."},
    Route{.id = RouteId::metrics,
          .method = Method::get,
          .path = "/metrics",
          .verb = "view_metrics",
          .summary = "Berth's own metrics and those of the training platform, for Prometheus."},
    Route{.id = RouteId::metrics_jobs,
          .method = Method::get,
          .path = "/metrics/jobs",
          .verb = "view_metrics",
          .summary = "Slurm's metrics of jobs."},
    Route{.id = RouteId::metrics_nodes,
          .method = Method::get,
          .path = "/metrics/nodes",
          .verb = "view_metrics",
          .summary = "Slurm's metrics of nodes."},
    Route{.id = RouteId::metrics_partitions,
          .method = Method::get,
          .path = "/metrics/partitions",
          .verb = "view_metrics",
          .summary = "Slurm's metrics of partitions."},
    Route{.id = RouteId::metrics_scheduler,
          .method = Method::get,
          .path = "/metrics/scheduler",
          .verb = "view_metrics",
          .summary = "Slurm's metrics of the scheduler."},
    Route{.id = RouteId::create_join_token,
          .method = Method::post,
          .path = "/v1/join-tokens",
          .verb = "create_join_token",
          .request = "JoinTokenCall",
          .reply = "JoinTokenReply",
          .success = 201,
          .summary = "A token with which each of these nodes may fetch its certificate, once."},
    Route{.id = RouteId::join,
          .method = Method::post,
          .path = "/v1/join",
          .request = "JoinCall",
          .reply = "JoinReply",
          .success = 201,
          .summary = "The certificate of a node, for whoever has a token to join with."},
    Route{.id = RouteId::create_token,
          .method = Method::post,
          .path = "/v1/tokens",
          .verb = "create_token",
          .request = "TokenCall",
          .reply = "TokenReply",
          .success = 201,
          .summary = "A token with which a user's commands may come over TLS."},
};

// The captures, if the path fits.
std::optional<std::vector<std::string>> fit(std::string_view pattern, std::string_view path) {
    const std::vector<std::string_view> wanted = split(pattern, '/');
    const std::vector<std::string_view> given = split(path, '/');
    if (wanted.size() != given.size()) return std::nullopt;
    std::vector<std::string> captures;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].starts_with('{')) {
            Result<std::string> decoded = percent_decode(given[i]);
            if (!decoded.ok() || decoded->empty()) return std::nullopt;
            captures.push_back(*std::move(decoded));
        } else if (wanted[i] != given[i]) {
            return std::nullopt;
        }
    }
    return captures;
}

}  // namespace

std::string_view to_string(Method method) {
    switch (method) {
        case Method::get: return "GET";
        case Method::post: return "POST";
        case Method::patch: return "PATCH";
    }
    return "?";
}

std::span<const Route> routes() { return kRoutes; }

const Route& route(RouteId id) {
    const auto index = static_cast<std::size_t>(id);
    BERTH_ASSERT(index < kRoutes.size() && kRoutes[index].id == id);
    return kRoutes[index];
}

RouteMatch match_route(Method method, std::string_view path) {
    RouteMatch match;
    for (const Route& one : kRoutes) {
        std::optional<std::vector<std::string>> captures = fit(one.path, path);
        if (!captures) continue;
        if (one.method == method) {
            match.route = &one;
            match.captures = *std::move(captures);
            return match;
        }
        match.others.push_back(one.method);
    }
    return match;
}

std::string path_of(RouteId id, std::string_view capture) {
    const std::string_view pattern = route(id).path;
    const std::size_t open = pattern.find('{');
    if (open == std::string_view::npos) return std::string(pattern);
    return std::string(pattern.substr(0, open)) + percent_encode(capture) +
           std::string(pattern.substr(pattern.find('}') + 1));
}

}  // namespace berth::api
