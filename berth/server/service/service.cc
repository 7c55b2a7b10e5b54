#include "berth/server/service/service.h"

#include <algorithm>
#include <chrono>

#include "berth/api/json.h"
#include "berth/api/openapi.h"
#include "berth/api/problem.h"
#include "berth/api/query.h"
#include "berth/model/account_name.h"
#include "berth/server/auth/access.h"
#include "berth/server/auth/privacy.h"
#include "berth/server/metrics/metrics.h"
#include "berth/server/service/command_conversion.h"
#include "berth/server/service/lists.h"
#include "berth/server/service/visible_rows.h"
#include "berth/server/views/accounting_rows.h"
#include "berth/server/views/association_rows.h"
#include "berth/server/views/cluster_rows.h"
#include "berth/server/views/declared_rows.h"
#include "berth/server/views/node_event_rows.h"
#include "berth/server/views/outcome_text.h"
#include "berth/server/views/priority_rows.h"
#include "berth/server/views/usage_tally.h"
#include "berth/slurmrest/rest_routes.h"
#include "berth/trust/wall_time.h"

namespace berth {
namespace {

using api::RouteId;
using Outcome = std::variant<ApiResponse, ForController, SlowRead>;

ApiResponse refuse(Refusal why, std::string message) {
    return respond(api::problem_of(why, std::move(message)));
}

std::optional<api::Method> method_of(std::string_view name) {
    for (const auto method : {api::Method::get, api::Method::post, api::Method::patch}) {
        if (api::to_string(method) == name) return method;
    }
    return std::nullopt;
}

ApiResponse unknown_job(std::string_view name) {
    return refuse(Refusal::unknown_job, "There is no job " + std::string(name));
}

ApiResponse unknown_route(std::string_view path) {
    return respond(api::problem_of_status(
        404, "There is no " + std::string(path.substr(0, 200)) + " here; /openapi.json lists all"));
}

ApiResponse wrong_method(const ApiRequest& request, const std::vector<api::Method>& others) {
    ApiResponse response = respond(
        api::problem_of_status(405, request.method.substr(0, 20) + " is not for this path"));
    for (const api::Method method : others) {
        if (!response.allow.empty()) response.allow += ", ";
        response.allow += api::to_string(method);
    }
    return response;
}

std::vector<api::Method> all_methods(std::string_view path) {
    std::vector<api::Method> methods;
    for (const auto method : {api::Method::get, api::Method::post, api::Method::patch}) {
        if (api::match_route(method, path).route != nullptr) methods.push_back(method);
    }
    return methods;
}

}  // namespace

bool Service::Routed::own() const {
    if (route.path.find("{ref}") == std::string_view::npos) return true;
    const auto name = api::parse_job_name(capture);
    if (!name.ok()) return true;
    const std::optional<Verb> verb = verb_of(route);
    return std::ranges::all_of(records_of(*snapshot, *name), [&](JobId id) {
        const Job& job = *snapshot->find_job(id);
        return verb ? acts_as_owner(*snapshot->spec, request.principal, *verb, job)
                    : owns(request.principal, job);
    });
}

Privacy Service::Routed::privacy() const { return {*snapshot->spec, request.principal}; }

Service::Service(ServerIdentity identity, const ReadModel& read_model, Archive& archive,
                 std::shared_ptr<Diagnostics> diagnostics,
                 std::shared_ptr<const MetricCounts> counts, std::shared_ptr<Registrar> registrar,
                 std::string advertised, std::shared_ptr<JobSubmit> job_submit)
    : identity_(std::move(identity)),
      read_model_(read_model),
      archive_(archive),
      diagnostics_(std::move(diagnostics)),
      counts_(std::move(counts)),
      registrar_(std::move(registrar)),
      advertised_(std::move(advertised)),
      job_submit_(std::move(job_submit)),
      openapi_(api::openapi_document(identity_.version)) {}

Outcome Service::serve(const ApiRequest& request) const {
    if (slurmrest::is_rest(request.target)) return serve_rest(request);
    const std::string_view target = request.target;
    const std::size_t mark = target.find('?');
    const std::string_view path = target.substr(0, mark);
    const std::optional<api::Method> method = method_of(request.method);
    api::RouteMatch match;
    if (method) match = api::match_route(*method, path);
    if (match.route == nullptr) {
        const std::vector<api::Method> others = all_methods(path);
        return others.empty() ? unknown_route(path) : wrong_method(request, others);
    }
    const Routed routed{*match.route,
                        match.captures.empty() ? std::string() : std::move(match.captures.front()),
                        mark == std::string_view::npos ? "" : target.substr(mark + 1), request,
                        read_model_.current()};
    if (auto refused = refuse_access(routed, path)) return *std::move(refused);
    if (!routed.query.empty() && routed.route.query.empty())
        return refuse(Refusal::invalid_request, "this path takes no query");
    return counted(act(routed), routed.route.id);
}

// The response of this route, whenever it is made.
Outcome Service::counted(Outcome outcome, RouteId route) {
    if (auto* const response = std::get_if<ApiResponse>(&outcome)) {
        response->route = route;
    } else if (auto* const slow = std::get_if<SlowRead>(&outcome)) {
        slow->read = [read = std::move(slow->read), route] {
            ApiResponse slow_response = read();
            slow_response.route = route;
            return slow_response;
        };
    }
    return outcome;
}

// Who is not known, who may not ask, and what PrivateData keeps from this user as a whole.
std::optional<ApiResponse> Service::refuse_access(const Routed& routed,
                                                  std::string_view path) const {
    const ApiRequest& request = routed.request;
    if (!request.refused.empty() && !routed.route.verb.empty())
        return respond(api::problem_of_status(401, request.refused));
    if (!may_use(routed.route, request.principal.role, routed.own())) {
        return refuse(Refusal::not_allowed, request.principal.user + " may not " + request.method +
                                                " " + std::string(path));
    }
    return keep_private(routed);
}

// What PrivateData keeps from this user as a whole; lists that are merely shorter are made so where
// they are made.
std::optional<ApiResponse> Service::keep_private(const Routed& routed) const {
    const Privacy privacy = routed.privacy();
    const auto refused = [&](PrivateKind kind, const char* what) -> std::optional<ApiResponse> {
        if (!privacy.hides(kind)) return std::nullopt;
        return refuse(Refusal::not_allowed,
                      std::string("PrivateData=") + what + ": only operators see " + what);
    };
    switch (routed.route.id) {
        case RouteId::list_nodes:
        case RouteId::show_node:
        case RouteId::metrics_nodes: return refused(PrivateKind::nodes, "nodes");
        case RouteId::list_node_events: return refused(PrivateKind::events, "events");
        case RouteId::list_partitions:
        case RouteId::metrics_partitions: return refused(PrivateKind::partitions, "partitions");
        case RouteId::show_job:
        case RouteId::explain_job:
        case RouteId::show_script:
            if (!privacy.hides(PrivateKind::jobs) || routed.own()) return std::nullopt;
            return unknown_job(routed.capture);
        default: return std::nullopt;
    }
}

Outcome Service::ask_controller(const Routed& routed, std::string_view body) const {
    auto command = command_of(*routed.snapshot,
                              {routed.route, routed.capture, body, routed.request.principal});
    if (auto* const problem = std::get_if<api::Problem>(&command)) return respond(*problem);
    return ForController{{routed.route.id, std::nullopt, false},
                         std::get<Command>(std::move(command))};
}

Outcome Service::act(const Routed& routed) const {
    const Snapshot& snapshot = *routed.snapshot;
    const Principal& who = routed.request.principal;
    const auto list = [&](const char* name, auto rows) {
        return ApiResponse{.parts = row_list(snapshot, name, std::move(rows))};
    };
    if (routed.route.id == RouteId::explain_job) {
        if (auto read = explain_outcome(routed)) return *std::move(read);
    }
    if (is_command(routed.route.id)) return ask_controller(routed, routed.request.body);
    switch (routed.route.id) {
        case RouteId::health: return respond_json(api::to_json(api::Health{}));
        case RouteId::openapi: return respond_json(openapi_);
        case RouteId::ping: return respond_json(api::to_json(ping(snapshot)));
        case RouteId::config: return respond_json(api::to_json(config_row(*snapshot.spec)));
        case RouteId::list_jobs: return list_jobs(routed);
        case RouteId::show_job: return show_job(routed);
        case RouteId::show_script: return script(routed);
        case RouteId::list_nodes: return list("nodes", node_rows(snapshot));
        case RouteId::show_node: return show_node(routed);
        case RouteId::list_partitions: return list("partitions", partition_rows(snapshot));
        case RouteId::list_associations:
            return list("associations", visible_associations(snapshot, who));
        case RouteId::list_qos: return list("qos", qos_rows(*snapshot.spec));
        case RouteId::list_reservations:
            return list("reservations", visible_reservations(snapshot, who));
        case RouteId::list_licenses: return list("licenses", license_rows(snapshot));
        case RouteId::list_accounting: return list_accounting(routed);
        case RouteId::show_diagnostics:
            return SlowRead([diagnostics = diagnostics_, snapshot = routed.snapshot] {
                return respond_json(api::to_json(diagnostics->row(*snapshot, wall_time())));
            });
        case RouteId::reset_diagnostics:
            diagnostics_->reset(wall_time());
            return respond_json(api::to_json(api::Accepted{}));
        case RouteId::metrics:
        case RouteId::metrics_jobs:
        case RouteId::metrics_nodes:
        case RouteId::metrics_partitions:
        case RouteId::metrics_scheduler: return metrics(routed);
        case RouteId::create_join_token: return create_join_token(routed);
        case RouteId::revoke_certificates: return revoke_certificates(routed);
        case RouteId::join: return join(routed);
        case RouteId::create_token: return create_token(routed);
        case RouteId::list_priorities: return list_priorities(routed);
        case RouteId::list_shares:
            return list("shares", visible_shares(snapshot, who, wall_time()));
        case RouteId::list_queues: return list("queues", visible_queues(snapshot, who));
        case RouteId::show_usage: return usage(routed);
        case RouteId::list_node_events: return node_events(routed);
        default: break;
    }
    return unknown_route(routed.route.path);
}

ApiResponse Service::list_jobs(const Routed& routed) const {
    const Result<api::JobQuery> query = api::parse_job_query(routed.query);
    if (!query.ok()) return refuse(Refusal::invalid_request, query.error().message);
    Result<JobFilter> filter = visible_jobs(*routed.snapshot, routed.request.principal, *query);
    if (!filter.ok()) return refuse(Refusal::invalid_request, filter.error().message);
    Result<api::FieldChoice> choice = api::FieldChoice::of<api::JobRow>(query->fields);
    if (!choice.ok()) return refuse(Refusal::invalid_request, choice.error().message);
    return {.parts = job_list(routed.snapshot, *std::move(filter), *std::move(choice))};
}

ApiResponse Service::list_priorities(const Routed& routed) const {
    const Result<api::JobQuery> query = api::parse_job_query(routed.query);
    if (!query.ok()) return refuse(Refusal::invalid_request, query.error().message);
    if (!query->fields.empty())
        return refuse(Refusal::invalid_request, "query: this route has no parameter field");
    const Result<JobFilter> filter =
        visible_jobs(*routed.snapshot, routed.request.principal, *query);
    if (!filter.ok()) return refuse(Refusal::invalid_request, filter.error().message);
    return {.parts = row_list(*routed.snapshot, "priorities",
                              priority_rows(*routed.snapshot, *filter, wall_time()))};
}

std::variant<JobFilter, ApiResponse> Service::named_jobs(const Routed& routed) {
    const Result<api::JobName> name = api::parse_job_name(routed.capture);
    if (!name.ok()) {
        api::Problem problem = api::problem_of(Refusal::unknown_job, name.error().message);
        problem.status = 400;
        return respond(problem);
    }
    const std::set<JobId> records = records_of(*routed.snapshot, *name);
    if (records.empty()) return unknown_job(routed.capture);
    return JobFilter::only(records);
}

ApiResponse Service::show_job(const Routed& routed) const {
    auto named = named_jobs(routed);
    if (auto* const problem = std::get_if<ApiResponse>(&named)) return std::move(*problem);
    return {.parts = job_list(routed.snapshot, std::get<JobFilter>(std::move(named)), {})};
}

ApiResponse Service::show_node(const Routed& routed) const {
    const auto row = node_row(*routed.snapshot, routed.capture);
    if (!row) return refuse(Refusal::unknown_node, "There is no node " + routed.capture);
    return respond_json(api::to_json(*row));
}

api::Ping Service::ping(const Snapshot& snapshot) const {
    const std::string& configured = snapshot.spec->controller_host;  // SlurmctldHost
    return {.version = identity_.version,
            .cluster = snapshot.spec->name,
            .host = configured.empty() ? identity_.host : configured,
            .epoch = snapshot.epoch.value(),
            .sequence = snapshot.sequence,
            .now = wall_time(),
            .started_at = identity_.started_at,
            .pid = identity_.pid,
            .address = advertised_,
            .srun_prolog = snapshot.spec->hooks.srun_prolog,
            .srun_epilog = snapshot.spec->hooks.srun_epilog};
}

Outcome Service::list_accounting(const Routed& routed) const {
    const Result<api::AccountingQuery> query = api::parse_accounting_query(routed.query);
    if (!query.ok()) return refuse(Refusal::invalid_request, query.error().message);
    return accounting(routed, *query, [snapshot = routed.snapshot](AccountingAnswer answer) {
        return ApiResponse{.parts = accounting_list(snapshot, std::move(answer))};
    });
}

Outcome Service::accounting(const Routed& routed, const api::AccountingQuery& query,
                            ShowAccounting show) const {
    Result<AccountingFilter> filter = accounting_filter(query);
    if (!filter.ok()) return refuse(Refusal::invalid_request, filter.error().message);
    for (std::string& name : filter->accounts) {
        name = account_name(*routed.snapshot->spec, name);
    }
    const Principal& who = routed.request.principal;
    std::optional<std::uint32_t> only;
    if (routed.privacy().hides(PrivateKind::jobs)) {
        only = who.uid;
        // The archive reads no more than it must; what is asked of others comes to nothing below.
        if (filter->users.empty()) filter->users = {who.user};
    }
    return [&archive = archive_, filter = *std::move(filter), only, show = std::move(show)] {
        Result<AccountingAnswer> answer = archive.accounting(filter);
        if (!answer.ok()) return respond(api::problem_of_status(500, answer.error().message));
        std::erase_if(answer->records, [&](const AccountingRecord& record) {
            return only && record.owner.uid != *only;
        });
        return show(*std::move(answer));
    };
}

// With PrivateData=jobs or =usage users are told of their own runs alone; what became of the whole
// cluster names nobody.
Outcome Service::usage(const Routed& routed) const {
    Result<api::UsageQuery> query = api::parse_usage_query(routed.query);
    if (!query.ok()) return refuse(Refusal::invalid_request, query.error().message);
    if (!query->from || !query->until || *query->from >= *query->until) {
        return refuse(Refusal::invalid_request,
                      "query: from and until are both needed, and from must be the earlier one");
    }
    for (std::string& name : query->accounts) name = account_name(*routed.snapshot->spec, name);
    const Privacy privacy = routed.privacy();
    std::optional<std::uint32_t> only;
    if (privacy.hides(PrivateKind::jobs) || privacy.hides(PrivateKind::usage))
        only = routed.request.principal.uid;
    auto read = [&archive = archive_, snapshot = routed.snapshot, query = *std::move(query), only,
                 principal = routed.request.principal] {
        const ClusterSpec& spec = *snapshot->spec;
        const Privacy shown(spec, principal);
        const auto spans = archive.spans(*query.from, *query.until);
        if (!spans.ok()) return respond(api::problem_of_status(500, spans.error().message));
        UsageTally tally(spec, query, wall_time(), only);
        tally.take(*spans, [&](const Reservation& one) { return shown.shows(one); });
        const Status all =
            archive.each_run(tally.runs(), [&](const AccountingRecord& run) { tally.take(run); });
        if (!all.ok()) return respond(api::problem_of_status(500, all.error().message));
        return respond_json(api::to_json(tally.report()));
    };
    return SlowRead(std::move(read), true);
}

Outcome Service::node_events(const Routed& routed) const {
    Result<api::NodeEventQuery> query = api::parse_node_event_query(routed.query);
    if (!query.ok()) return refuse(Refusal::invalid_request, query.error().message);
    auto read = [&archive = archive_, snapshot = routed.snapshot, query = *std::move(query)] {
        const auto events =
            archive.node_events(query.from.value_or(Time{}), query.until.value_or(kNever));
        if (!events.ok()) return respond(api::problem_of_status(500, events.error().message));
        return ApiResponse{
            .parts = row_list(*snapshot, "events", node_event_rows(*events, query.nodes))};
    };
    return SlowRead(std::move(read), true);
}

// Of a job that waits the controller knows why; of any other, accounting knows how it went.
std::optional<SlowRead> Service::explain_outcome(const Routed& routed) const {
    const Result<api::JobName> name = api::parse_job_name(routed.capture);
    if (!name.ok()) return std::nullopt;
    for (const JobId id : records_of(*routed.snapshot, *name)) {
        if (routed.snapshot->find_job(id)->state == JobState::pending) return std::nullopt;
    }
    AccountingFilter filter;
    filter.jobs = {name->job};
    std::optional<std::uint32_t> only;
    if (routed.privacy().hides(PrivateKind::jobs)) only = routed.request.principal.uid;
    return [&archive = archive_, filter, name = *name, only, text = routed.capture,
            snapshot = routed.snapshot] {
        const Result<AccountingAnswer> answer = archive.accounting(filter);
        if (!answer.ok()) return respond(api::problem_of_status(500, answer.error().message));
        const auto is_meant = [&](const AccountingRecord& record) {
            if (only && record.owner.uid != *only) return false;
            if (name.array_tasks.empty()) return record.job == name.job || record.array_job;
            return record.array_task == name.array_tasks.front();
        };
        const auto found = std::ranges::find_if(answer->records, is_meant);
        if (found == answer->records.end()) return unknown_job(text);
        Explanation explanation{.job = found->job};
        const Time now = wall_time();
        explanation.outcome = outcome_of(*found, now);
        // The state knows more than the record, as long as the job is in it.
        const Job* const known = snapshot->find_job(found->job);
        const JobCourse course = known != nullptr ? course_of(*known) : course_of(*found);
        if (known != nullptr) {
            for (std::string& line : checkpoint_lines(*known, now))
                explanation.outcome.push_back(std::move(line));
        }
        explanation.phase = phase_of(course);
        explanation.conditions = conditions_of(course);
        return respond_json(api::to_json(explanation));
    };
}

Outcome Service::script(const Routed& routed) const {
    const Result<api::JobName> name = api::parse_job_name(routed.capture);
    if (!name.ok()) return refuse(Refusal::invalid_request, name.error().message);
    const std::set<JobId> records = records_of(*routed.snapshot, *name);
    if (records.empty()) return unknown_job(routed.capture);
    const Job& job = *routed.snapshot->find_job(*records.begin());
    return [&archive = archive_, id = job.id, array = job.array_job] {
        Result<JobPayload> payload = archive.payload(id, array);
        if (!payload.ok()) return refuse(Refusal::unknown_job, payload.error().message);
        return respond_json(api::to_json(api::ScriptReply{std::move(payload->script)}));
    };
}

// A look at every job: on a thread of those that may be slow.
SlowRead Service::metrics(const Routed& routed) const {
    return [id = routed.route.id, snapshot = routed.snapshot, counts = counts_,
            diagnostics = diagnostics_] {
        MetricPage page;
        switch (id) {
            case RouteId::metrics_jobs: put_slurm_jobs(page, *snapshot); break;
            case RouteId::metrics_nodes: put_slurm_nodes(page, *snapshot); break;
            case RouteId::metrics_partitions: put_slurm_partitions(page, *snapshot); break;
            case RouteId::metrics_scheduler:
                put_slurm_scheduler(page, diagnostics->row(*snapshot, wall_time()));
                break;
            default: put_berth_metrics(page, *snapshot, wall_time()); counts->put_on(page);
        }
        return ApiResponse{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                           .body = page.text()};
    };
}

ApiResponse Service::respond_to(const AskedRoute& asked, const Principal& who,
                                const Answer& answer) const {
    const std::shared_ptr<const Snapshot> snapshot = read_model_.current();
    if (asked.rest) return respond_to_rest(*snapshot, asked, who, answer);
    auto reply = reply_of(*snapshot->spec, asked.route, answer, asked.messages);
    const auto* const problem = std::get_if<api::Problem>(&reply);
    ApiResponse response = problem != nullptr
                               ? respond(*problem)
                               : respond_json(std::get<std::string>(std::move(reply)),
                                              api::route(asked.route).success);
    response.route = asked.route;
    return response;
}

}  // namespace berth
