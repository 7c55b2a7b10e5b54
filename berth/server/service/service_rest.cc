// slurmrestd's routes: each is authorized, read and carried out as the route of /v1 that it stands
// for, and answered in the shapes of data_parser.
#include <algorithm>
#include <set>

#include "berth/api/json.h"
#include "berth/api/problem.h"
#include "berth/base/text.h"
#include "berth/server/service/command_conversion.h"
#include "berth/server/service/rest_list.h"
#include "berth/server/service/service.h"
#include "berth/server/service/visible_rows.h"
#include "berth/server/views/accounting_rows.h"
#include "berth/server/views/job_rows.h"
#include "berth/slurmrest/job_fields.h"
#include "berth/slurmrest/row_shapes.h"
#include "berth/trust/wall_time.h"

namespace berth {
namespace {

using api::RouteId;
using slurmrest::RestId;
using slurmrest::ShapeWriter;
using RestOutcome = std::variant<ApiResponse, ForController, SlowRead>;

ApiResponse refuse_request(const Error& error) {
    return respond(api::problem_of(Refusal::invalid_request, error.message));
}

ApiResponse answer_jobs(const RestAsked& asked, JobFilter filter, bool states_only) {
    auto put_next = [snapshot = asked.snapshot, filter = std::move(filter), states_only,
                     cluster = asked.meta.cluster,
                     next = std::optional<std::uint32_t>(0)](ShapeWriter& json) mutable {
        const SnapshotJob* const job = next ? filter.first_from(*snapshot, *next) : nullptr;
        if (job == nullptr) return false;
        const api::JobRow row = job_row(*snapshot, *job);
        if (states_only) {
            slurmrest::put_job_state(json, row);
        } else {
            slurmrest::put_job(json, row, cluster);
        }
        const std::uint32_t id = job->job->id.value();
        next = id == UINT32_MAX ? std::nullopt : std::optional(id + 1);
        return true;
    };
    auto put_tail = [now = asked.snapshot->now](ShapeWriter& json) {
        json.put_number("last_backfill", 0);
        json.put_time("last_update", now);
    };
    return respond_list({"jobs", std::move(put_next), std::move(put_tail), asked.meta, {}});
}

// GET jobs/state?job_id=12,13_2: those of them that there are, or all.
ApiResponse answer_job_states(const RestAsked& asked) {
    const Snapshot& snapshot = *asked.snapshot;
    const std::vector<std::string> words = asked.query.words("job_id");
    Result<JobFilter> filter = visible_jobs(snapshot, asked.who(), {});
    if (!filter.ok()) return refuse_request(filter.error());
    if (words.empty()) return answer_jobs(asked, *std::move(filter), true);
    std::set<JobId> records;
    for (const std::string& word : words) {
        const Result<api::JobName> name = api::parse_job_name(word);
        if (!name.ok()) return refuse_request(name.error());
        records.merge(records_of(snapshot, *name));
    }
    JobFilter named = JobFilter::only(std::move(records));
    if (Privacy(*snapshot.spec, asked.who()).hides(PrivateKind::jobs))
        named.keep_to(snapshot, asked.who().uid);
    return answer_jobs(asked, std::move(named), true);
}

ApiResponse answer_ping(const RestAsked& asked, const api::Ping& ping) {
    const bool is_db = asked.call.route->id == RestId::db_ping;
    return respond_document(asked.meta, [&](ShapeWriter& json) {
        json.begin_list("pings");
        json.begin();
        json.put("hostname", ping.host), json.put("responding", true);
        json.put("latency", std::int64_t{0}), json.put("primary", true);
        if (!is_db) json.put("pinged", "UP"), json.put("mode", "primary");
        json.end();
        json.end_list();
    });
}

void put_rollup(ShapeWriter& json, const char* name) {
    json.begin(name);
    json.put("count", std::int64_t{0}), json.put("last_run", std::int64_t{0});
    json.begin("duration");
    for (const char* const length : {"last", "max", "time"}) json.put(length, std::int64_t{0});
    json.end();
    json.end();
}

// Records are read as they are written: nothing is rolled up.
ApiResponse database_statistics(const RestAsked& asked, Time since) {
    return respond_document(asked.meta, [&](ShapeWriter& json) {
        json.begin("statistics");
        json.put("time_start", seconds(since));
        json.begin("rollups");
        for (const char* const each : {"hourly", "daily", "monthly"}) put_rollup(json, each);
        json.end();
        json.put_no_items("RPCs"), json.put_no_items("users");
        json.end();
    });
}

ApiResponse respond_submitted(const slurmrest::Meta& meta, const Submitted& submitted,
                              const AskedRoute& asked) {
    std::vector<slurmrest::WarningEntry> warnings;
    warnings.reserve(submitted.warnings.size());
    for (const std::string& text : submitted.warnings) warnings.push_back({text, "berthd"});
    if (asked.held) {
        warnings.push_back(
            {R"(the job is held; POST job/ID with {"hold": false} releases it)", "berthd"});
    }
    return respond_document(
        meta,
        [&](ShapeWriter& json) {
            json.put("job_id", std::int64_t{submitted.job.value()});
            json.put("step_id", "batch"),
                json.put("job_submit_user_msg", join(asked.messages, "\n"));
        },
        warnings);
}

// What was done to the job that the path names: all of it, or it would have been refused.
ApiResponse respond_changed(const slurmrest::Meta& meta, const AskedRoute& asked) {
    const slurmrest::RestCall& call = *asked.rest;
    std::vector<slurmrest::WarningEntry> warnings;
    warnings.reserve(asked.messages.size());
    for (const std::string& text : asked.messages) warnings.push_back({text, "berthd"});
    return respond_document(
        meta,
        [&](ShapeWriter& json) {
            if (call.route->id == RestId::cancel_job) return json.put_no_items("status");
            const Result<api::JobName> name = api::parse_job_name(call.capture);
            json.begin_list("results");
            json.begin();
            json.put("job_id", std::int64_t{name.ok() ? name->job.value() : 0});
            json.put("step_id", call.capture), json.put("error", "");
            json.put("error_code", std::int64_t{0}), json.put("why", "");
            json.end();
            json.end_list();
        },
        warnings);
}

// Whether it changes something: its body is then a command's.
bool is_change(RestId id) {
    return id == RestId::submit_job || id == RestId::update_job || id == RestId::cancel_job;
}

bool names_a_job(RestId id) {
    return id == RestId::show_job || id == RestId::update_job || id == RestId::cancel_job;
}

}  // namespace

ApiResponse Service::in_shape(std::string_view target, const Principal& who,
                              ApiResponse response) const {
    if (!slurmrest::is_rest(target)) return response;
    return problem_in_shape(rest_meta(*read_model_.current(), target, who), std::move(response));
}

RestOutcome Service::serve_rest(const ApiRequest& request) const {
    const std::shared_ptr<const Snapshot> snapshot = read_model_.current();
    const slurmrest::Meta meta = rest_meta(*snapshot, request.target, request.principal);
    RestOutcome outcome = route_rest(request, snapshot, meta);
    if (auto* const response = std::get_if<ApiResponse>(&outcome)) {
        *response = problem_in_shape(meta, std::move(*response));
    } else if (auto* const slow = std::get_if<SlowRead>(&outcome)) {
        *slow = [read = std::move(*slow), meta] { return problem_in_shape(meta, read()); };
    }
    return outcome;
}

RestOutcome Service::route_rest(const ApiRequest& request,
                                const std::shared_ptr<const Snapshot>& snapshot,
                                const slurmrest::Meta& meta) const {
    const std::string_view target = request.target;
    const std::size_t mark = std::min(target.find('?'), target.size());
    const std::string_view path = target.substr(0, mark);
    auto matched = slurmrest::match_rest(request.method, path);
    if (auto* const none = std::get_if<slurmrest::NoRestRoute>(&matched)) {
        ApiResponse response = respond(none->problem);
        response.allow = std::move(none->allow);
        return response;
    }
    const auto& call = std::get<slurmrest::RestCall>(matched);
    const Routed routed{api::route(call.route->v1),
                        names_a_job(call.route->id) ? call.capture : std::string(), "", request,
                        snapshot};
    if (auto refused = refuse_access(routed, path)) return *std::move(refused);
    const auto query =
        slurmrest::RestQuery::parse(*call.route, target.substr(std::min(mark + 1, target.size())));
    if (!query.ok()) return refuse_request(query.error());
    const RestAsked asked{call, *query, meta, snapshot, request};
    return counted(is_change(call.route->id) ? change_rest(routed, asked) : act_rest(routed, asked),
                   routed.route.id);
}

RestOutcome Service::act_rest(const Routed& routed, const RestAsked& asked) const {
    switch (asked.call.route->id) {
        case RestId::ping:
        case RestId::db_ping: return answer_ping(asked, ping(*asked.snapshot));
        case RestId::diag:
            return SlowRead(
                [diagnostics = diagnostics_, snapshot = asked.snapshot, meta = asked.meta] {
                    const api::DiagnosticsRow row = diagnostics->row(*snapshot, wall_time());
                    return respond_document(meta, [&](ShapeWriter& json) {
                        slurmrest::put_diagnostics(json,
                                                   {.row = row,
                                                    .calls = slurmrest::rpcs_of_calls(row.calls),
                                                    .users = slurmrest::rpcs_of_users(row.users)});
                    });
                });
        case RestId::db_diag: return database_statistics(asked, identity_.started_at);
        case RestId::list_jobs: {
            Result<JobFilter> filter = visible_jobs(*asked.snapshot, asked.who(), {});
            if (!filter.ok()) return refuse_request(filter.error());
            return answer_jobs(asked, *std::move(filter), false);
        }
        case RestId::job_states: return answer_job_states(asked);
        case RestId::show_job: {
            auto named = named_jobs(routed);
            if (auto* const problem = std::get_if<ApiResponse>(&named)) return std::move(*problem);
            return answer_jobs(asked, std::get<JobFilter>(std::move(named)), false);
        }
        case RestId::db_jobs:
        case RestId::db_job: return rest_accounting(routed, asked);
        default: break;
    }
    if (auto answer = rest_answer(asked)) return *std::move(answer);
    return respond(api::problem_of_status(500, "this route has no answer"));  // Our own mistake.
}

RestOutcome Service::rest_accounting(const Routed& routed, const RestAsked& asked) const {
    api::AccountingQuery query;
    if (asked.call.route->id == RestId::db_job) {
        const Result<api::JobName> name = api::parse_job_name(asked.call.capture);
        if (!name.ok()) return refuse_request(name.error());
        query.jobs = {name->job};
        query.duplicates = true;  // An id's every run.
    } else {
        Result<api::AccountingQuery> wanted = slurmrest::accounting_query(asked.query);
        if (!wanted.ok()) return refuse_request(wanted.error());
        query = *std::move(wanted);
    }
    const bool here = asked.query.takes("cluster", asked.meta.cluster);
    const bool skips_steps = asked.query.flag("skip_steps");
    return accounting(
        routed, query,
        [meta = asked.meta, snapshot = asked.snapshot, here, skips_steps](AccountingAnswer answer) {
            if (!here) answer.records.clear();
            const bool more = here && answer.more;
            auto put_next = [records = std::move(answer.records), at = std::size_t{0}, snapshot,
                             skips_steps, now = wall_time()](ShapeWriter& json) mutable {
                if (at == records.size()) return false;
                api::AccountingRow row = accounting_row(*snapshot->spec, records[at++]);
                if (skips_steps) row.steps.clear();
                slurmrest::put_accounting(json, row, now);
                return true;
            };
            RestList list{"jobs", std::move(put_next), {}, meta, {}};
            if (more) {
                list.warnings.push_back(
                    {"there are more records than one answer has; ask for fewer with start_time "
                     "and end_time",
                     "berthd"});
            }
            return respond_list(std::move(list));
        });
}

// The body of /v1 that says the same, and then /v1's own way into the controller.
RestOutcome Service::change_rest(const Routed& routed, const RestAsked& asked) const {
    const std::string& body = asked.request.body;
    RestOutcome outcome;
    bool is_held = false;
    switch (asked.call.route->id) {
        case RestId::submit_job: {
            const Result<api::SubmitRequest> submission = slurmrest::read_submission(body);
            if (!submission.ok()) return refuse_request(submission.error());
            outcome = ask_controller(routed, api::to_json(*submission));
            is_held = submission->spec.hold || submission->spec.priority == 0U;
            break;
        }
        case RestId::cancel_job: {
            if (!body.empty()) {
                return refuse_request({ErrorCode::invalid_argument,
                                       "this path takes no body; use ?signal= and ?flags="});
            }
            const Result<api::CancelRequest> cancel = slurmrest::cancel_request(asked.query);
            if (!cancel.ok()) return refuse_request(cancel.error());
            outcome = ask_controller(routed, api::to_json(*cancel));
            break;
        }
        default: {
            const Result<slurmrest::UpdateRequest> update = slurmrest::read_update(body);
            if (!update.ok()) return refuse_request(update.error());
            if (!update->hold) {
                outcome = ask_controller(routed, api::to_json(update->patch));
                break;
            }
            const RouteId id = *update->hold ? RouteId::hold_job : RouteId::release_job;
            const Routed held{api::route(id), routed.capture, "", routed.request, routed.snapshot};
            if (auto refused = refuse_access(held, routed.request.target))
                return *std::move(refused);
            outcome = ask_controller(held, {});
        }
    }
    if (auto* const command = std::get_if<ForController>(&outcome)) {
        command->asked.rest = asked.call;
        command->asked.held = is_held;
    }
    return outcome;
}

ApiResponse Service::respond_to_rest(const Snapshot& snapshot, const AskedRoute& asked,
                                     const Principal& who, const Answer& answer) const {
    const slurmrest::RestCall& call = *asked.rest;
    slurmrest::Meta meta = rest_meta(snapshot, call.route->path, who);
    meta.data_parser = call.data_parser;
    auto reply = reply_of(*snapshot.spec, asked.route, answer, asked.messages);
    ApiResponse response;
    if (const auto* const problem = std::get_if<api::Problem>(&reply)) {
        response = problem_in_shape(meta, respond(*problem));
    } else if (const auto* const submitted = std::get_if<Submitted>(&answer)) {
        response = respond_submitted(meta, *submitted, asked);
    } else {
        response = respond_changed(meta, asked);
    }
    response.route = asked.route;
    return response;
}

}  // namespace berth
