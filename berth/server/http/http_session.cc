#include "berth/server/http/http_session.h"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "berth/api/json.h"
#include "berth/api/problem.h"
#include "berth/slurmrest/rest_routes.h"
#include "berth/trust/wall_time.h"

namespace berth {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace {

// Whoever has shown no token sends little.
constexpr std::uint64_t kStrangersBodyBytes = 64 * 1024;
// All connections may have one of these at once.
constexpr std::uint64_t kSmallBodyBytes = 64 * 1024;

// "Authorization: Bearer TOKEN", or as Slurm's REST clients have it.
std::string_view token_in(const http::request<http::string_body>& message) {
    constexpr beast::string_view kScheme = "Bearer ";
    const beast::string_view given = message[http::field::authorization];
    if (given.size() > kScheme.size() && beast::iequals(given.substr(0, kScheme.size()), kScheme))
        return {given.data() + kScheme.size(), given.size() - kScheme.size()};
    const beast::string_view slurms = message["X-SLURM-USER-TOKEN"];
    return {slurms.data(), slurms.size()};
}

// The route of /v1 that a request which is no GET takes, or that it stands for.
std::optional<api::RouteId> changing_route(const ApiRequest& request) {
    const std::string_view path =
        std::string_view(request.target).substr(0, request.target.find('?'));
    if (slurmrest::is_rest(path)) {
        const auto match = slurmrest::match_rest(request.method, path);
        const auto* const call = std::get_if<slurmrest::RestCall>(&match);
        return call == nullptr ? std::nullopt : std::optional(call->route->v1);
    }
    const api::RouteMatch match =
        api::match_route(request.method == "PATCH" ? api::Method::patch : api::Method::post, path);
    return match.route == nullptr ? std::nullopt : std::optional(match.route->id);
}

}  // namespace

HttpSession::HttpSession(HttpHouse& house, UnixSocket socket, Principal principal, std::int32_t pid)
    : house_(house), stream_(std::move(socket)), principal_(std::move(principal)), pid_(pid) {}

HttpSession::HttpSession(HttpHouse& house, TcpSocket socket, asio::ssl::context& how,
                         std::string from)
    : house_(house), stream_(std::move(socket), how), from_(std::move(from)), pid_(0) {}

HttpSession::~HttpSession() {
    give_room();
    house_.ended(this);
}

void HttpSession::start(std::chrono::milliseconds after) {
    const auto begin = [self = shared_from_this()] {
        self->stream_.is_tls() ? self->shake_hands() : self->read_header();
    };
    if (after == after.zero()) return asio::post(stream_.get_executor(), begin);
    auto timer = std::make_shared<asio::steady_timer>(stream_.get_executor(), after);
    timer->async_wait([timer, begin](const Failure&) { begin(); });
}

ConnectionSeen HttpSession::seen() const {
    using std::chrono::steady_clock;
    return {from_.empty() ? "uid " + std::to_string(principal_.uid) : from_, idle_,
            steady_clock::time_point(steady_clock::duration(idle_since_.load()))};
}

void HttpSession::close() {
    asio::post(stream_.get_executor(), [self = shared_from_this()] { self->shut(); });
}

void HttpSession::shut() {
    closed_ = true;
    late_at_ = 0;
    parts_.reset();
    if (!is_at_plugins_) give_room();  // Otherwise the body is still there.
    stream_.close();
    house_.ended(this);  // Its place is free, whoever else still holds it.
}

void HttpSession::shake_hands() {
    if (closed_) return;
    allow(house_.options().handshake_timeout);
    stream_.async_handshake([self = shared_from_this()](const Failure& why) {
        if (why) return self->shut();
        self->read_header();
    });
}

void HttpSession::identify() {
    refused_.clear();
    const std::string_view token = token_in(parser_->get());
    if (token.empty()) {
        refuse_token("there is no token: SLURM_JWT should hold one, which `scontrol token` makes");
        return receive();
    }
    house_.identify(token, [self = shared_from_this()](Result<Principal> known) {
        asio::dispatch(self->stream_.get_executor(), [self, known = std::move(known)]() mutable {
            self->identified(std::move(known));
        });
    });
}

void HttpSession::identified(Result<Principal> known) {
    if (closed_) return;
    if (!known.ok()) {
        refuse_token(std::move(known).error().message);
        return receive();
    }
    principal_ = *std::move(known);
    if (!std::exchange(proved_, true)) house_.proved(from_);
    receive();
}

void HttpSession::refuse_token(std::string why) {
    principal_ = {.uid = 65534, .gid = 65534, .user = "nobody"};
    refused_ = std::move(why);
    enough_ = house_.refused(from_);
}

void HttpSession::allow(std::chrono::milliseconds length) {
    late_at_ = (std::chrono::steady_clock::now() + length).time_since_epoch().count();
}

bool HttpSession::is_late(std::chrono::steady_clock::time_point now) const {
    const std::int64_t at = late_at_;
    return at != 0 && now.time_since_epoch().count() >= at;
}

void HttpSession::check(std::chrono::steady_clock::time_point now) {
    if (!is_late(now)) return;
    asio::post(stream_.get_executor(), [self = shared_from_this(), now] {
        if (!self->is_late(now)) return;  // It has gone on meanwhile.
        self->ticket_ ? self->no_answer() : self->shut();
    });
}

void HttpSession::read_header() {
    if (closed_) return;
    parser_.emplace();
    parser_->header_limit(house_.options().header_bytes);
    parser_->body_limit(house_.options().body_bytes);
    idle_since_ = std::chrono::steady_clock::now().time_since_epoch().count();
    idle_ = true;
    allow(house_.options().idle_timeout);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](Failure why, std::size_t) {
                                self->idle_ = false;
                                if (why) return self->refuse_header(why);
                                self->read_body();
                            });
}

void HttpSession::read_body() {
    if (closed_) return;
    allow(house_.options().body_timeout);
    stream_.is_tls() ? identify() : receive();
}

// The body, once it is known who sends it.
void HttpSession::receive() {
    if (!refused_.empty()) {
        parser_->body_limit(kStrangersBodyBytes);  // Of one that does not say its length.
        if (parser_->content_length().value_or(0) > kStrangersBodyBytes)
            return refuse_header(make_error_code(http::error::body_limit));
    }
    if (room_ == 0 && !take_room()) return;
    // Who asks before sending a long body is told to go on.
    if (beast::iequals(parser_->get()[http::field::expect], "100-continue") &&
        !parser_->is_done()) {
        static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
        asio::async_write(stream_, asio::buffer(kGoOn.data(), kGoOn.size()),
                          [self = shared_from_this()](Failure why, std::size_t) {
                              if (why) return self->shut();
                              self->parser_->get().erase(http::field::expect);
                              self->receive();
                          });
        return;
    }
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](Failure why, std::size_t) {
                         if (why) return self->refuse_header(why);
                         self->handle();
                     });
}

// Memory for a long body is promised before the body comes. False: there is none, and that has been
// answered.
bool HttpSession::take_room() {
    const std::uint64_t most = refused_.empty() ? house_.options().body_bytes : kStrangersBodyBytes;
    const std::uint64_t wanted = parser_->chunked() ? most : parser_->content_length().value_or(0);
    if (wanted <= kSmallBodyBytes) return true;
    room_of_ = "uid " + std::to_string(principal_.uid);
    if (house_.bodies().take(room_of_, wanted)) {
        room_ = wanted;
        return true;
    }
    keep_alive_ = false;
    chunked_ = false;
    send(respond(api::problem_of_status(
        503,
        "the requests that are being received take all the memory there is for them, or all "
        "of your share: try again")));
    return false;
}

// Again: nothing.
void HttpSession::give_room() { house_.bodies().give(room_of_, std::exchange(room_, 0)); }

// What is no request has an answer too, and then the connection is over: where the next one would
// begin is not known.
void HttpSession::refuse_header(const Failure& why) {
    keep_alive_ = false;
    chunked_ = false;
    if (why == http::error::header_limit) {
        return send(respond(api::problem_of_status(
            431, "the header is longer than " + std::to_string(house_.options().header_bytes) +
                     " bytes")));
    }
    if (why == http::error::body_limit) {
        return send(respond(api::problem_of_status(
            413, "the body is longer than " +
                     std::to_string(refused_.empty() ? house_.options().body_bytes
                                                     : kStrangersBodyBytes) +
                     " bytes")));
    }
    const bool is_garbage = why.category() == make_error_code(http::error::bad_method).category() &&
                            why != http::error::end_of_stream &&
                            why != http::error::partial_message;
    if (!is_garbage) return shut();  // Gone, or too slow.
    send(respond(api::problem_of_status(400, "this is no HTTP request: " + why.message())));
}

void HttpSession::handle() {
    if (closed_) return;
    late_at_ = 0;
    asked_at_ = std::chrono::steady_clock::now();
    const http::request<http::string_body>& message = parser_->get();
    keep_alive_ = message.keep_alive() && !enough_;
    chunked_ = message.version() >= 11;
    ApiRequest request{.method = std::string(message.method_string()),
                       .target = std::string(message.target()),
                       .body = std::move(parser_->get().body()),
                       .principal = principal_,
                       .remote = stream_.is_tls(),
                       .refused = refused_};
    if (!request.remote) request.principal.role = house_.role_of(principal_);
    if (request.refused.empty() && !house_.admits(request.principal)) {
        give_room();
        return send(respond(api::problem_of_status(
            429,
            "you ask more often than the site lets one user (SlurmctldParameters=rl_enable): "
            "try again in a second")));
    }
    if (request.refused.empty()) request.refused = doubt();
    if (!request.refused.empty()) request.principal.role = Role::none;
    begin_audit(request);
    auto outcome = house_.service().serve(request);
    auto* const command = std::get_if<ForController>(&outcome);
    is_at_plugins_ = command != nullptr && house_.service().is_for_plugins(*command);
    if (!is_at_plugins_) give_room();
    if (auto* const response = std::get_if<ApiResponse>(&outcome)) {
        send(std::move(*response));
    } else if (command != nullptr) {
        principal_.role = request.principal.role;
        pass_plugins(std::move(*command));
    } else {
        read_slowly(std::get<SlowRead>(std::move(outcome)));
    }
}

// Why it is not sure whose the request is meant to be, by the headers of Slurm's REST clients;
// empty: it is.
std::string HttpSession::doubt() const {
    const http::request<http::string_body>& message = parser_->get();
    const beast::string_view target = message.target(), named = message["X-SLURM-USER-NAME"];
    if (!named.empty() && named != principal_.user) {
        return "X-SLURM-USER-NAME names " + std::string(named.substr(0, 100)) +
               ", and the request is " + principal_.user + "'s";
    }
    const bool ignores_token = !stream_.is_tls() && !token_in(message).empty();
    if (ignores_token && slurmrest::is_rest({target.data(), target.size()})) {
        return "tokens are read over TLS alone; over this socket the request is " +
               principal_.user + "'s";
    }
    return {};
}

// Before the request is served, which takes it apart.
void HttpSession::begin_audit(const ApiRequest& request) {
    audited_.reset();
    if (house_.options().audit == nullptr || request.method == "GET") return;
    const std::optional<api::RouteId> route = changing_route(request);
    const auto is = [&](api::RouteId id) { return route == id; };
    const bool is_join = is(api::RouteId::join);
    // A stranger's does nothing, and could fill the disk.
    if (!request.refused.empty() && !is_join) return;
    const bool is_secret = is_join || is(api::RouteId::submit_job) || is(api::RouteId::test_job) ||
                           is(api::RouteId::create_step);
    audited_ = AuditEntry{.who = request.principal,
                          .pid = pid_,
                          .from = from_,
                          .method = request.method,
                          .path = request.target};
    if (!is_secret) audited_->request = request.body.substr(0, kAuditBytes + 1);
    if (!is_join) return;
    Result<api::JoinCall> joins = api::from_json<api::JoinCall>(request.body);
    if (!joins.ok()) return;
    joins->secret.clear();  // Used up or not: it is none of the log's.
    joins->request.clear();
    audited_->request = api::to_json(*joins);
}

void HttpSession::end_audit(const ApiResponse& response) {
    if (!audited_) return;
    audited_->at = wall_time();
    audited_->status = response.status;
    const bool gives_secret =
        response.status < 300 && response.route &&
        (*response.route == api::RouteId::create_join_token ||
         *response.route == api::RouteId::create_token || *response.route == api::RouteId::join);
    if (!gives_secret) audited_->reply = response.body;
    house_.options().audit->write(*std::exchange(audited_, std::nullopt));
}

void HttpSession::pass_plugins(ForController request) {
    if (!is_at_plugins_) return wait_for_controller(std::move(request));
    const auto asked = std::make_shared<ForController>(std::move(request));
    asio::post(house_.threads_for(SlowWork::plugins),
               [self = shared_from_this(), asked, who = principal_] {
                   if (self->closed_) return;
                   const auto refused = std::make_shared<std::optional<ApiResponse>>(
                       self->house_.service().ask_plugins(who, *asked));
                   asio::post(self->stream_.get_executor(), [self, asked, refused] {
                       self->is_at_plugins_ = false;
                       self->give_room();
                       if (self->closed_) return;
                       if (*refused) return self->send(*std::move(*refused));
                       self->wait_for_controller(std::move(*asked));
                   });
               });
}

void HttpSession::wait_for_controller(ForController request) {
    asked_ = std::move(request.asked);
    allow(house_.options().answer_timeout);
    std::uint64_t ticket = 0;
    if (house_.ask(shared_from_this(), ticket, principal_, std::move(request.command))) {
        ticket_ = ticket;
        return;
    }
    send(respond(api::problem_of_status(503, "the controller has too much to do: try again")));
}

void HttpSession::answered(std::uint64_t ticket, Answer answer) {
    asio::post(
        stream_.get_executor(), [self = shared_from_this(), ticket, answer = std::move(answer)] {
            if (self->ticket_ != ticket) return;  // It came too late.
            self->ticket_.reset();
            self->send(self->house_.service().respond_to(self->asked_, self->principal_, answer));
        });
}

void HttpSession::no_answer() {
    if (!ticket_) return;
    house_.forget(*ticket_);
    ticket_.reset();
    send(respond(api::problem_of_status(
        504, "the controller did not answer in time; what was asked may still be done")));
}

void HttpSession::read_slowly(SlowRead read) {
    asio::post(house_.threads_for(read.takes_long ? SlowWork::long_read : SlowWork::read),
               [self = shared_from_this(), read = std::move(read)] {
                   if (self->closed_) return;
                   auto response = std::make_shared<ApiResponse>(read());
                   asio::post(self->stream_.get_executor(),
                              [self, response] { self->send(std::move(*response)); });
               });
}

void HttpSession::send(ApiResponse response) {
    const beast::string_view target = parser_->get().target();
    response =
        house_.service().in_shape({target.data(), target.size()}, principal_, std::move(response));
    end_audit(response);  // It was done, even if nobody hears of it.
    if (closed_) return;
    if (response.route) {
        house_.options().diagnostics->called(*response.route, principal_,
                                             std::chrono::steady_clock::now() - asked_at_);
    }
    if (response.parts) return send_parts(std::move(response));
    send_whole(std::move(response));
}

namespace {

template <class Message>
void set_head(Message& message, const ApiResponse& response, bool keep_alive) {
    message.result(static_cast<unsigned>(response.status));
    message.set(http::field::server, "berthd");
    message.set(http::field::content_type, response.content_type);
    message.set(http::field::cache_control, "no-store");
    if (!response.allow.empty()) message.set(http::field::allow, response.allow);
    message.keep_alive(keep_alive);
}

}  // namespace

void HttpSession::send_whole(ApiResponse response) {
    auto message = std::make_shared<http::response<http::string_body>>();
    set_head(*message, response, keep_alive_);
    message->body() = std::move(response.body);
    message->prepare_payload();
    allow(house_.options().write_timeout);
    http::async_write(
        stream_, *message,
        [self = shared_from_this(), message](Failure why, std::size_t) { self->sent(why); });
}

void HttpSession::send_parts(ApiResponse response) {
    if (!chunked_) keep_alive_ = false;  // The end of the connection is the end of the body.
    auto message = std::make_shared<http::response<http::empty_body>>();
    set_head(*message, response, keep_alive_);
    if (chunked_) message->chunked(true);
    parts_ = std::move(response.parts);
    auto serializer = std::make_shared<http::response_serializer<http::empty_body>>(*message);
    allow(house_.options().write_timeout);
    http::async_write_header(
        stream_, *serializer,
        [self = shared_from_this(), message, serializer](Failure why, std::size_t) {
            if (why) return self->sent(why);
            self->send_next_part();
        });
}

void HttpSession::send_next_part() {
    if (!parts_) return;  // Closed meanwhile.
    allow(house_.options().write_timeout);
    const auto then_next = [self = shared_from_this()](Failure why, std::size_t) {
        if (why) return self->sent(why);
        self->send_next_part();
    };
    const bool more = parts_->next(part_);
    if (more && chunked_) {
        asio::async_write(stream_, http::make_chunk(asio::buffer(part_)), then_next);
    } else if (more) {
        asio::async_write(stream_, asio::buffer(part_), then_next);
    } else if (chunked_) {
        parts_.reset();
        asio::async_write(
            stream_, http::make_chunk_last(),
            [self = shared_from_this()](Failure why, std::size_t) { self->sent(why); });
    } else {
        sent({});
    }
}

void HttpSession::sent(const Failure& why) {
    parts_.reset();
    part_ = {};
    if (why || !keep_alive_) return shut();
    read_header();
}

}  // namespace berth
