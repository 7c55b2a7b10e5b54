#include "berth/client/client.h"

#include <sys/random.h>

#include <algorithm>
#include <iostream>

#include "berth/api/json.h"
#include "berth/api/query.h"
#include "berth/client/http.h"

namespace berth {
namespace {

using api::RouteId;
using std::chrono::steady_clock;

// The texts are Slurm's: tools look for them.
api::Problem problem_of(const WireOutcome& outcome) {
    switch (outcome.fault) {
        case WireFault::cannot_connect:
        case WireFault::not_permitted:
            return {.status = 0,
                    .code = "unavailable",
                    .title = "The controller cannot be reached",
                    .detail = outcome.message,
                    .slurm =
                        "Unable to contact slurm controller (connect failure): " + outcome.message};
        case WireFault::timed_out:
            return {.status = 0,
                    .code = "timed_out",
                    .title = "The controller did not answer in time",
                    .detail = outcome.message,
                    .slurm = "Socket timed out on send/recv operation: " + outcome.message};
        case WireFault::lost:
            return {.status = 0,
                    .code = "connection_lost",
                    .title = "The connection to the controller broke off",
                    .detail = outcome.message,
                    .slurm = "Zero Bytes were transmitted or received"};
        case WireFault::stopped:
            return {.status = 0,
                    .code = "stopped",
                    .title = "A signal ended the waiting for the controller",
                    .detail = outcome.message,
                    .slurm = "Interrupted while waiting for the controller"};
        case WireFault::malformed:
        case WireFault::none: break;
    }
    return {.status = 0,
            .code = "malformed_answer",
            .title = "What answered is not a Berth controller",
            .detail = outcome.message,
            .slurm = "Unexpected message received"};
}

api::Problem malformed(std::string why) {
    return problem_of({.fault = WireFault::malformed, .message = std::move(why)});
}

// The problem document that came, or one made of what came instead.
api::Problem problem_of_answer(const WireOutcome& outcome) {
    auto problem = api::from_json<api::Problem>(outcome.body, api::UnknownFields::passed_over);
    if (problem.ok()) return *std::move(problem);
    return {.status = outcome.status,
            .code = "malformed_answer",
            .title = "The controller refused, and gave no reason that can be read",
            .detail = outcome.body.substr(0, 200)};
}

std::string draw_request_id() {
    unsigned char bits[16] = {};
    if (::getrandom(bits, sizeof bits, 0) != sizeof bits) return {};
    static constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : bits) text += {kHex[byte >> 4], kHex[byte & 0xf]};
    return text;
}

constexpr int kNobody = 401;    // No token, or one that is over: nothing was done.
constexpr int kTooOften = 429;  // This user asked too often; as Slurm's commands, wait.

// Its server did not even begin. A controller that refuses for good, because it is full, say, has
// another code.
bool was_too_busy(const WireOutcome& outcome) {
    return outcome.status == 503 && problem_of_answer(outcome).code == "unavailable";
}

// How a call may be tried again.
enum class Retry : std::uint8_t {
    unsent,  // Only what never left: what changes something must not happen twice.
    always,  // Reads, and submissions: the request id makes them one.
};

bool may_repeat(const WireOutcome& outcome, Retry repeat) {
    if (outcome.fault == WireFault::cannot_connect) return true;
    if (outcome.fault == WireFault::none) {
        return outcome.status == kTooOften || was_too_busy(outcome);
    }
    return outcome.fault == WireFault::lost && repeat == Retry::always;
}

}  // namespace

struct Client::Wire {
    Wire(Endpoint endpoint, const ClientOptions& given)
        : connection(std::move(endpoint), {given.timeout, given.stop_fd}), options(given) {}

    // Until it is answered, or may not be repeated, or the time for that is over.
    WireOutcome exchange(const HttpRequest& request, Retry repeat, bool stream = false) {
        const auto start = steady_clock::now();
        for (auto pause = std::chrono::milliseconds(20);; pause = std::min(pause * 2, kPauseMax)) {
            // The server may close a connection that was idle; to find it closed is no failure.
            const bool was_open = connection.is_open();
            const auto sent = steady_clock::now();
            WireOutcome outcome = connection.exchange(request, stream);
            trace(request, outcome, steady_clock::now() - sent);
            // Who waits for days has a token that ends; whoever draws it anew puts it in its file.
            if (outcome.status == kNobody && connection.renew_token()) continue;
            if (!may_repeat(outcome, repeat)) return outcome;
            if (was_open && outcome.fault == WireFault::lost) continue;
            const auto patience =
                outcome.status == kTooOften ? options.slow_down_for : options.retry_for;
            if (steady_clock::now() + pause > start + patience) return outcome;
            if (!sleep_unless(options.stop_fd, pause))
                return {.fault = WireFault::stopped, .message = "a signal came"};
        }
    }

    void trace(const HttpRequest& request, const WireOutcome& outcome,
               steady_clock::duration took) const {
        const std::string& command = connection.endpoint().traced_as;
        if (command.empty()) return;
        const std::string answer = outcome.fault != WireFault::none ? outcome.message
                                   : outcome.streaming
                                       ? std::to_string(outcome.status) + ", a list"
                                       : std::to_string(outcome.status) + ", " +
                                             std::to_string(outcome.body.size()) + " bytes";
        std::cerr << command << ": PROTOCOL: " << api::to_string(request.method) << ' '
                  << request.target << ": " << answer << " after "
                  << std::chrono::duration_cast<std::chrono::milliseconds>(took).count() << " ms\n";
    }

    template <class Reply>
    CallResult<Reply> call(const HttpRequest& request, Retry repeat) {
        const WireOutcome outcome = exchange(request, repeat);
        if (outcome.fault != WireFault::none) return problem_of(outcome);
        if (outcome.status < 200 || outcome.status > 299) return problem_of_answer(outcome);
        auto reply = api::from_json<Reply>(outcome.body, api::UnknownFields::passed_over);
        if (!reply.ok()) return malformed(reply.error().message);
        return *std::move(reply);
    }
    template <class Reply>
    CallResult<Reply> get(RouteId route, std::string_view capture = {}) {
        return call<Reply>({.method = api::Method::get, .target = api::path_of(route, capture)},
                           Retry::always);
    }
    template <class Reply, class Request>
    CallResult<Reply> send(RouteId route, std::string_view capture, const Request& body,
                           Retry repeat = Retry::unsent) {
        return call<Reply>({.method = api::route(route).method,
                            .target = api::path_of(route, capture),
                            .body = api::to_json(body)},
                           repeat);
    }
    template <class Request>
    CallResult<Done> command(RouteId route, std::string_view capture, const Request& body) {
        const CallResult<api::Accepted> reply = send<api::Accepted>(route, capture, body);
        if (!reply) return reply.problem();
        return Done{};
    }

    template <class Row>
    CallResult<Done> each(RouteId route, const std::string& target,
                          const std::function<bool(Row&&)>& take);
    template <class Row>
    CallResult<std::vector<Row>> list(RouteId route, const std::string& target) {
        std::vector<Row> rows;
        const CallResult<Done> read = each<Row>(route, target, [&](Row&& row) {
            rows.push_back(std::move(row));
            return true;
        });
        if (!read) return read.problem();
        return rows;
    }

    static constexpr std::chrono::milliseconds kPauseMax{500};
    HttpConnection connection;
    ClientOptions options;
};

namespace {

class BodySource : public api::JsonSource {
public:
    explicit BodySource(HttpConnection& connection) : connection_(connection) {}
    std::size_t read(char* buffer, std::size_t size) override {
        return connection_.read_body(buffer, size);
    }

private:
    HttpConnection& connection_;
};

// Makes a row of each element, until the taker has had enough.
template <class Row>
class RowSink : public api::JsonListSink {
public:
    explicit RowSink(const std::function<bool(Row&&)>& take) : take_(take) {}
    Status element(api::JsonValue&& element) override {
        BERTH_TRY(Row row,
                  api::from_json<Row>(std::move(element), api::UnknownFields::passed_over));
        if (take_(std::move(row))) return Done{};
        enough_ = true;
        return Error{ErrorCode::failed_precondition, "enough"};
    }
    bool enough() const { return enough_; }

private:
    const std::function<bool(Row&&)>& take_;
    bool enough_ = false;
};

std::string with_query(RouteId route, const std::string& query) {
    return api::path_of(route) + (query.empty() ? "" : "?" + query);
}

}  // namespace

template <class Row>
CallResult<Done> Client::Wire::each(RouteId route, const std::string& target,
                                    const std::function<bool(Row&&)>& take) {
    const WireOutcome outcome =
        exchange({.method = api::Method::get, .target = target, .body = {}}, Retry::always, true);
    if (outcome.fault != WireFault::none) return problem_of(outcome);
    if (!outcome.streaming) return problem_of_answer(outcome);
    BodySource source(connection);
    RowSink<Row> sink(take);
    const Result<api::JsonValue> rest = api::read_json_list(source, api::route(route).list, sink);
    const WireOutcome& body = connection.body_outcome();
    if (body.fault != WireFault::none) return problem_of(body);
    if (rest.ok()) {
        char end = 0;
        (void)connection.read_body(&end, 1);  // So that the connection is free for the next call.
        return Done{};
    }
    connection.close();
    if (sink.enough()) return Done{};
    return malformed(rest.error().message);
}

Client::Client(Endpoint endpoint, ClientOptions options)
    : wire_(std::make_unique<Wire>(std::move(endpoint), options)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

void Client::set_options(const ClientOptions& options) {
    wire_->options = options;
    wire_->connection.set_patience({options.timeout, options.stop_fd});
}
const ClientOptions& Client::options() const { return wire_->options; }
const Endpoint& Client::endpoint() const { return wire_->connection.endpoint(); }

CallResult<api::SubmitReply> Client::submit(api::SubmitRequest request) {
    if (request.spec.request_id.empty()) request.spec.request_id = draw_request_id();
    const Retry repeat = request.spec.request_id.empty() ? Retry::unsent : Retry::always;
    return wire_->send<api::SubmitReply>(RouteId::submit_job, {}, request, repeat);
}
CallResult<api::TestReply> Client::test(const api::SubmitRequest& request) {
    return wire_->send<api::TestReply>(RouteId::test_job, {}, request, Retry::always);
}
CallResult<std::vector<api::JobRow>> Client::jobs(const api::JobQuery& query) {
    return wire_->list<api::JobRow>(RouteId::list_jobs,
                                    with_query(RouteId::list_jobs, format_job_query(query)));
}
CallResult<Done> Client::each_job(const api::JobQuery& query,
                                  const std::function<bool(api::JobRow&&)>& each) {
    return wire_->each<api::JobRow>(RouteId::list_jobs,
                                    with_query(RouteId::list_jobs, format_job_query(query)), each);
}
CallResult<std::vector<api::JobRow>> Client::job(std::string_view ref) {
    return wire_->list<api::JobRow>(RouteId::show_job, api::path_of(RouteId::show_job, ref));
}
CallResult<Done> Client::cancel(std::string_view ref, const api::CancelRequest& request) {
    return wire_->command(RouteId::cancel_job, ref, request);
}
CallResult<api::ChangeReply> Client::hold(std::string_view ref, const api::HoldRequest& request) {
    return wire_->send<api::ChangeReply>(RouteId::hold_job, ref, request);
}
CallResult<api::ChangeReply> Client::release(std::string_view ref) {
    return wire_->send<api::ChangeReply>(RouteId::release_job, ref, api::Accepted{});
}
CallResult<Done> Client::requeue(std::string_view ref, const api::RequeueRequest& request) {
    return wire_->command(RouteId::requeue_job, ref, request);
}
CallResult<api::ChangeReply> Client::update(std::string_view ref, const api::JobPatch& patch) {
    return wire_->send<api::ChangeReply>(RouteId::update_job, ref, patch);
}
CallResult<Done> Client::suspend(std::string_view ref, bool resume) {
    const RouteId route = resume ? RouteId::resume_job : RouteId::suspend_job;
    return wire_->command(route, ref, api::Accepted{});
}
CallResult<Done> Client::notify(std::string_view ref, const api::NotifyRequest& request) {
    return wire_->command(RouteId::notify_job, ref, request);
}
CallResult<Done> Client::top(const api::TopRequest& request) {
    return wire_->command(RouteId::top_jobs, {}, request);
}
CallResult<api::StepReply> StepCalls::create(std::string_view ref, const api::StepCall& call) {
    return wire_.send<api::StepReply>(RouteId::create_step, ref, call);
}
CallResult<api::AliveReply> OwnJobCalls::keep_alive(std::string_view ref) {
    return wire_.send<api::AliveReply>(RouteId::keep_alive, ref, api::Accepted{});
}
CallResult<Done> StepCalls::update(std::string_view ref, const api::StepPatch& patch) {
    return wire_.command(RouteId::update_step, ref, patch);
}
CallResult<api::AttachReply> StepCalls::attach(std::string_view ref, const api::AttachCall& call) {
    return wire_.send<api::AttachReply>(RouteId::attach_step, ref, call);
}
CallResult<Done> OwnJobCalls::complete(std::string_view ref, const api::CompleteRequest& request) {
    return wire_.command(RouteId::complete_job, ref, request);
}
CallResult<Done> OwnJobCalls::checkpoint(std::string_view ref) {
    return wire_.command(RouteId::checkpoint_job, ref, api::Accepted{});
}
CallResult<Explanation> Client::explain(std::string_view ref) {
    return wire_->get<Explanation>(RouteId::explain_job, ref);
}
CallResult<std::string> Client::script(std::string_view ref) {
    CallResult<api::ScriptReply> reply = wire_->get<api::ScriptReply>(RouteId::show_script, ref);
    if (!reply) return reply.problem();
    return std::move(reply->script);
}

CallResult<std::vector<api::NodeRow>> Client::nodes() {
    return wire_->list<api::NodeRow>(RouteId::list_nodes, api::path_of(RouteId::list_nodes));
}
CallResult<api::NodeRow> Client::node(std::string_view name) {
    return wire_->get<api::NodeRow>(RouteId::show_node, name);
}
CallResult<Done> Client::update_node(std::string_view name, const api::NodePatch& patch) {
    return wire_->command(RouteId::update_node, name, patch);
}
CallResult<Done> Client::create_nodes(const api::NodeCall& call) {
    return wire_->command(RouteId::create_nodes, {}, call);
}
CallResult<Done> Client::delete_node(std::string_view name) {
    return wire_->command(RouteId::delete_node, name, api::Accepted{});
}
CallResult<Done> Client::create_partition(const api::PartitionCall& call) {
    return wire_->command(RouteId::create_partition, {}, call);
}
CallResult<Done> Client::update_partition(std::string_view name, const PartitionChange& change) {
    return wire_->command(RouteId::update_partition, name, change);
}
CallResult<Done> Client::delete_partition(std::string_view name) {
    return wire_->command(RouteId::delete_partition, name, api::Accepted{});
}
CallResult<std::vector<api::LicenseRow>> Client::licenses() {
    return wire_->list<api::LicenseRow>(RouteId::list_licenses,
                                        api::path_of(RouteId::list_licenses));
}

CallResult<std::vector<api::ReservationRow>> Client::reservations() {
    return wire_->list<api::ReservationRow>(RouteId::list_reservations,
                                            api::path_of(RouteId::list_reservations));
}
CallResult<api::ReservationReply> Client::create_reservation(const api::ReservationCall& call) {
    return wire_->send<api::ReservationReply>(RouteId::create_reservation, {}, call);
}
CallResult<Done> Client::update_reservation(std::string_view name,
                                            const ReservationChange& change) {
    return wire_->command(RouteId::update_reservation, name, change);
}
CallResult<Done> Client::delete_reservation(std::string_view name) {
    return wire_->command(RouteId::delete_reservation, name, api::Accepted{});
}

CallResult<Done> Client::reconfigure() {
    return wire_->command(RouteId::reconfigure, {}, api::Accepted{});
}

CallResult<std::vector<api::PartitionRow>> Client::partitions() {
    return wire_->list<api::PartitionRow>(RouteId::list_partitions,
                                          api::path_of(RouteId::list_partitions));
}
CallResult<std::vector<api::PriorityRow>> Client::priorities(const api::JobQuery& query) {
    return wire_->list<api::PriorityRow>(
        RouteId::list_priorities, with_query(RouteId::list_priorities, format_job_query(query)));
}
CallResult<api::ConfigRow> Client::config() { return wire_->get<api::ConfigRow>(RouteId::config); }
CallResult<api::Ping> Client::ping() { return wire_->get<api::Ping>(RouteId::ping); }
CallResult<api::StateHashReply> Client::state_hash() {
    return wire_->get<api::StateHashReply>(RouteId::state_hash);
}
CallResult<api::DiagnosticsRow> Client::diagnostics() {
    return wire_->get<api::DiagnosticsRow>(RouteId::show_diagnostics);
}
CallResult<Done> Client::reset_diagnostics() {
    return wire_->command(RouteId::reset_diagnostics, {}, api::Accepted{});
}

CallResult<api::JoinTokenReply> Client::create_join_token(const api::JoinTokenCall& call) {
    return wire_->send<api::JoinTokenReply>(RouteId::create_join_token, {}, call);
}
CallResult<Done> Client::revoke_certificates(std::string_view node) {
    return wire_->command(RouteId::revoke_certificates, node, api::Accepted{});
}
CallResult<api::JoinReply> Client::join(const api::JoinCall& call) {
    return wire_->send<api::JoinReply>(RouteId::join, {}, call);
}
CallResult<api::TokenReply> Client::create_token(const api::TokenCall& call) {
    return wire_->send<api::TokenReply>(RouteId::create_token, {}, call);
}
std::string Client::own_address() const { return wire_->connection.own_address(); }

CallResult<std::vector<api::AccountingRow>> Client::accounting(const api::AccountingQuery& query) {
    return wire_->list<api::AccountingRow>(
        RouteId::list_accounting,
        with_query(RouteId::list_accounting, format_accounting_query(query)));
}
CallResult<Done> Client::each_accounting(const api::AccountingQuery& query,
                                         const std::function<bool(api::AccountingRow&&)>& each) {
    return wire_->each<api::AccountingRow>(
        RouteId::list_accounting,
        with_query(RouteId::list_accounting, format_accounting_query(query)), each);
}

AccountCalls Client::accounts() { return AccountCalls(*wire_); }
OwnJobCalls Client::own_job() { return OwnJobCalls(*wire_); }

StepCalls Client::steps() { return StepCalls(*wire_); }

CallResult<std::vector<api::AssociationRow>> AccountCalls::associations() {
    return wire_.list<api::AssociationRow>(RouteId::list_associations,
                                           api::path_of(RouteId::list_associations));
}
CallResult<std::vector<api::QosRow>> AccountCalls::qos() {
    return wire_.list<api::QosRow>(RouteId::list_qos, api::path_of(RouteId::list_qos));
}
CallResult<std::vector<api::ShareRow>> AccountCalls::shares() {
    return wire_.list<api::ShareRow>(RouteId::list_shares, api::path_of(RouteId::list_shares));
}
CallResult<std::vector<api::QueueRow>> AccountCalls::queues() {
    return wire_.list<api::QueueRow>(RouteId::list_queues, api::path_of(RouteId::list_queues));
}
CallResult<api::UsageReport> AccountCalls::usage(const api::UsageQuery& query) {
    return wire_.call<api::UsageReport>(
        {.method = api::Method::get,
         .target = with_query(RouteId::show_usage, format_usage_query(query))},
        Retry::always);
}
CallResult<std::vector<api::NodeEventRow>> AccountCalls::node_events(
    const api::NodeEventQuery& query) {
    return wire_.list<api::NodeEventRow>(
        RouteId::list_node_events,
        with_query(RouteId::list_node_events, format_node_event_query(query)));
}
CallResult<Done> AccountCalls::edit(const AccountingEdits& edits) {
    return wire_.command(RouteId::edit_accounting, {}, edits);
}
CallResult<Done> AccountCalls::set_usage(const api::UsagePatch& patch) {
    return wire_.command(RouteId::set_usage, {}, patch);
}

}  // namespace berth
