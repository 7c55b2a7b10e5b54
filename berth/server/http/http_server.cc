#include "berth/server/http/http_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <optional>
#include <thread>

#include "berth/server/http/http_session.h"
#include "berth/server/http/unix_listener.h"
#include "berth/server/limits/user_rates.h"
#include "berth/trust/accept_trouble.h"
#include "berth/trust/tls.h"
#include "berth/trust/wall_time.h"

namespace berth {

namespace asio = boost::asio;
using UnixProtocol = asio::local::stream_protocol;

namespace {

constexpr int kTcpBacklog = 1024;
constexpr std::chrono::milliseconds kRoomPause{20};
// How often connections are asked whether they take too long: a fourth of the shortest time that
// they have, within these bounds.
constexpr std::pair<std::chrono::milliseconds, std::chrono::milliseconds> kLateLook{10, 1000};
// Plugins see one command at a time.
constexpr std::size_t kThreads = 2, kSlowThreads = 2, kLongThreads = 1, kPluginThreads = 1;

std::chrono::milliseconds shortest_of(const HttpServerOptions& options) {
    const auto shortest = std::min({options.idle_timeout, options.body_timeout,
                                    options.answer_timeout, options.write_timeout});
    return options.tls_address.empty() ? shortest : std::min(shortest, options.handshake_timeout);
}

}  // namespace

struct HttpServer::Works final : HttpHouse {
    using TlsAcceptor = asio::basic_socket_acceptor<asio::ip::tcp, Strand>;

    Works(HttpServerOptions given, CommandSink& to, const ReadModel& from, Archive& archive,
          LogSink& to_log)
        : settings(std::move(given)),
          sink(to),
          read_model(from),
          log(to_log),
          api(settings.identity, from, archive, settings.diagnostics, settings.counts,
              settings.registrar, settings.advertised, settings.job_submit),
          slow(kSlowThreads),
          longest(kLongThreads),
          plugins(kPluginThreads) {}

    const HttpServerOptions& options() const override { return settings; }
    const Service& service() const override { return api; }
    asio::thread_pool& threads_for(SlowWork work) override {
        if (work == SlowWork::plugins) return plugins;
        return work == SlowWork::long_read ? longest : slow;
    }
    Role role_of(const Principal& principal) const override {
        return berth::role_of(principal, *read_model.current()->spec);
    }
    void identify(std::string_view token, Identified then) override;
    bool ask(const std::shared_ptr<HttpSession>& session, std::uint64_t& ticket,
             const Principal& principal, Command command) override;
    void forget(std::uint64_t ticket) override {
        const std::lock_guard lock(mutex);
        waiting.erase(ticket);
    }
    RequestMemoryBudget& bodies() override { return memory_budget; }
    bool admits(const Principal& principal) override {
        return rates.take(read_model.current()->spec, principal, UserRates::Clock::now());
    }
    void proved(const std::string& from) override {
        unauthenticated_peers.proved(from, UnauthenticatedRates::Clock::now());
    }
    bool refused(const std::string& from) override {
        return unauthenticated_peers.refused(from, UnauthenticatedRates::Clock::now());
    }
    void ended(HttpSession* session) override;

    void run();
    void accept();
    void accepted(UnixSocket socket);
    void open_session(UnixSocket socket, const Principal& principal, std::int32_t pid);
    Status take_certificate(Time now);
    void renew_certificate();
    Status listen_for_others();
    void accept_remote();
    void accepted_remote(TcpSocket socket);
    void make_room();
    bool close_one(bool remote);
    void wait_for_room();
    std::vector<std::shared_ptr<HttpSession>> all_sessions();
    bool is_stopped();
    void look_for_late();

    const HttpServerOptions settings;
    CommandSink& sink;
    const ReadModel& read_model;
    LogSink& log;
    const Service api;
    PeerNames names{settings.names};
    std::atomic<std::size_t> unnamed{0};  // Connections whose peer is being looked up.
    UserRates rates;
    UnauthenticatedRates unauthenticated_peers{settings.unauthenticated_peers};

    asio::io_context io;
    asio::executor_work_guard<asio::io_context::executor_type> at_work{io.get_executor()};
    Strand door{asio::make_strand(io)};
    asio::basic_socket_acceptor<UnixProtocol> acceptor{door};  // Only on the strand, as the timer.
    std::optional<asio::ssl::context> tls;                     // With it the next.
    TlsAcceptor tls_acceptor{door};
    AcceptTrouble trouble{log, "server", "commands cannot connect"};
    AcceptTrouble tls_trouble{log, "server", "commands of other hosts cannot connect"};
    asio::steady_timer room_timer{door}, late_timer{door}, tls_timer{door}, renewal_timer{door};
    asio::thread_pool slow, longest, plugins;
    std::vector<std::thread> threads;

    RequestMemoryBudget memory_budget{
        settings.bodies_bytes,  // One whole body has its room in any case.
        std::max(settings.bodies_bytes / 4, settings.body_bytes)};

    std::mutex mutex;  // Of what follows.
    std::map<HttpSession*, std::weak_ptr<HttpSession>> sessions, remote_sessions;
    // By ticket. They live by it: nothing else is under way for them.
    std::map<std::uint64_t, std::shared_ptr<HttpSession>> waiting;
    std::uint64_t last_ticket = 0;
    bool accepting = false, stopped = false;
};

void HttpServer::Works::run() {
    asio::post(door, [this] {
        accept();
        if (tls) accept_remote();
        if (tls) renew_certificate();
        look_for_late();
    });
    for (std::size_t i = 0; i < kThreads; ++i) threads.emplace_back([this] { io.run(); });
}

// Accepts one, unless there are as many as there may be.
void HttpServer::Works::accept() {
    {
        const std::lock_guard lock(mutex);
        if (stopped || accepting) return;
        if (sessions.size() + unnamed >= settings.connections) return wait_for_room();
        accepting = true;
    }
    acceptor.async_accept(asio::make_strand(io),
                          [this](boost::system::error_code why, UnixSocket socket) {
                              {
                                  const std::lock_guard lock(mutex);
                                  accepting = false;
                                  if (stopped) return;
                              }
                              // Out of descriptors or the like: others must end first, which is
                              // soon.
                              if (why) {
                                  trouble.tell(why.value());
                                  return wait_for_room();
                              }
                              accepted(std::move(socket));
                              make_room();
                              accept();
                          });
}

void HttpServer::Works::accepted(UnixSocket socket) {
    const Result<PeerIds> peer = peer_of(socket.native_handle());
    if (!peer.ok()) return log.write(LogLevel::warning, "server", peer.error().message);
    ++unnamed;
    // Shared, since what is handed on must be copyable.
    const auto kept = std::make_shared<UnixSocket>(std::move(socket));
    names.find(*peer, [this, kept, pid = peer->pid](const Principal& principal) {
        open_session(std::move(*kept), principal, pid);
        --unnamed;
    });
}

// From any thread.
void HttpServer::Works::open_session(UnixSocket socket, const Principal& principal,
                                     std::int32_t pid) {
    auto session = std::make_shared<HttpSession>(*this, std::move(socket), principal, pid);
    {
        const std::lock_guard lock(mutex);
        if (stopped) return;
        sessions.emplace(session.get(), session);
    }
    session->start();
}

Status HttpServer::Works::take_certificate(Time now) {
    const Authority& authority = settings.registrar->authority();
    BERTH_TRY(const KeyPair pair,
              authority.certify_controller(settings.certificate.host_names, now));
    BERTH_TRY(ssl_ctx_st* const context, make_server_context(pair, authority.certificate()));
    tls.emplace(context);  // Connections that are open keep the one they began with.
    return Done{};
}

// Long before it ends; a controller may run for years.
void HttpServer::Works::renew_certificate() {
    renewal_timer.expires_after(settings.certificate.new_every);
    renewal_timer.async_wait([this](boost::system::error_code why) {
        if (why) return;
        const Status taken = take_certificate(wall_time());
        if (!taken.ok()) log.write(LogLevel::error, "server", taken.error().message);
        renew_certificate();
    });
}

// "host:port", as accept() takes it.
Status HttpServer::Works::listen_for_others() {
    const std::string& text = settings.tls_address;
    const std::size_t colon = text.rfind(':');
    std::string host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    const auto wrong = [&](const boost::system::error_code& why) {
        return Error{ErrorCode::unavailable,
                     "cannot listen for other hosts at " + text + ": " + why.message()};
    };
    BERTH_ASSERT(settings.registrar != nullptr && colon != std::string::npos);
    BERTH_CHECK(take_certificate(settings.identity.started_at));
    boost::system::error_code why;
    asio::ip::tcp::resolver resolver(io);
    const auto found =
        resolver.resolve(host, text.substr(colon + 1), asio::ip::tcp::resolver::passive, why);
    if (why) return wrong(why);
    const asio::ip::tcp::endpoint at = found.begin()->endpoint();
    tls_acceptor.open(at.protocol(), why);
    if (!why) tls_acceptor.set_option(asio::socket_base::reuse_address(true), why);
    if (!why) tls_acceptor.bind(at, why);
    if (!why) tls_acceptor.listen(kTcpBacklog, why);
    if (why) return wrong(why);
    return Done{};
}

void HttpServer::Works::accept_remote() {
    if (is_stopped()) return;
    tls_acceptor.async_accept(
        asio::make_strand(io), [this](boost::system::error_code why, TcpSocket socket) {
            if (why == asio::error::operation_aborted) return;
            if (!why) {
                accepted_remote(std::move(socket));
                return accept_remote();
            }
            tls_trouble.tell(why.value());
            tls_timer.expires_after(kRoomPause);  // Out of descriptors or the like.
            tls_timer.async_wait([this](boost::system::error_code ended) {
                if (!ended) accept_remote();
            });
        });
}

// A host that comes again and again without a token waits its turn, or is sent away. Where there
// are as many as there may be and none gives way, the new one goes.
void HttpServer::Works::accepted_remote(TcpSocket socket) {
    boost::system::error_code why;
    const auto peer = socket.remote_endpoint(why);
    if (why) return;
    const std::string from = peer.address().to_string();
    const auto wait = unauthenticated_peers.came(from, UnauthenticatedRates::Clock::now());
    if (!wait) return;
    const auto after = std::chrono::ceil<std::chrono::milliseconds>(*wait);
    socket.set_option(asio::ip::tcp::no_delay(true), why);
    auto session = std::make_shared<HttpSession>(*this, std::move(socket), *tls, from);
    bool full = false;
    {
        const std::lock_guard lock(mutex);
        if (stopped) return;
        full = remote_sessions.size() >= settings.remote_connections;
        if (!full) remote_sessions.emplace(session.get(), session);
    }
    if (!full) return session->start(after);
    if (!close_one(true)) return;
    {
        const std::lock_guard lock(mutex);
        if (stopped) return;
        remote_sessions.emplace(session.get(), session);
    }
    session->start(after);
}

void HttpServer::Works::identify(std::string_view token, Identified then) {
    const auto snapshot = read_model.current();
    Result<Registrar::Known> known = settings.registrar->identify(token, *snapshot, wall_time());
    if (!known.ok()) return then(known.error());
    if (known->token.job) {  // What runs in a job has no rights of an operator.
        known->principal.role = Role::user;
        return then(std::move(known->principal));
    }
    const std::string user = known->token.user;
    names.find_user(
        user, known->token.uid,
        [this, user, then = std::move(then)](std::optional<Principal> principal) {
            if (!principal) {
                return then(Error{ErrorCode::permission_denied,
                                  "user " + user + " is no longer the one that had the token"});
            }
            principal->role = role_of(*principal);
            then(*std::move(principal));
        });
}

void HttpServer::Works::wait_for_room() {
    room_timer.expires_after(kRoomPause);
    room_timer.async_wait([this](boost::system::error_code why) {
        if (why) return;
        make_room();
        accept();
    });
}

// To be let go of only without the lock: see ended().
std::vector<std::shared_ptr<HttpSession>> HttpServer::Works::all_sessions() {
    std::vector<std::shared_ptr<HttpSession>> all;
    const std::lock_guard lock(mutex);
    if (stopped) return all;
    for (const auto* const some : {&sessions, &remote_sessions}) {
        for (const auto& [key, weak] : *some) {
            if (auto session = weak.lock()) all.push_back(std::move(session));
        }
    }
    return all;
}

// A handler may have been on its way when stop() cancelled: what it began anew would never end.
bool HttpServer::Works::is_stopped() {
    const std::lock_guard lock(mutex);
    return stopped;
}

void HttpServer::Works::look_for_late() {
    if (is_stopped()) return;
    late_timer.expires_after(
        std::clamp(shortest_of(settings) / 4, kLateLook.first, kLateLook.second));
    late_timer.async_wait([this](boost::system::error_code why) {
        if (why) return;
        const auto now = std::chrono::steady_clock::now();
        for (const auto& session : all_sessions()) session->check(now);
        look_for_late();
    });
}

void HttpServer::Works::make_room() {
    {
        const std::lock_guard lock(mutex);
        if (sessions.size() < settings.connections) return;
    }
    close_one(false);
}

// Of the users of this machine, or of the other hosts.
bool HttpServer::Works::close_one(bool remote) {
    std::vector<std::shared_ptr<HttpSession>> all = all_sessions();
    std::erase_if(all, [&](const auto& session) { return session->is_remote() != remote; });
    std::vector<ConnectionSeen> seen;
    seen.reserve(all.size());
    for (const auto& session : all) seen.push_back(session->seen());
    const std::optional<std::size_t> one = connection_eviction(seen);
    if (one) all[*one]->close();
    return one.has_value();
}

bool HttpServer::Works::ask(const std::shared_ptr<HttpSession>& session, std::uint64_t& ticket,
                            const Principal& principal, Command command) {
    {
        const std::lock_guard lock(mutex);
        ticket = ++last_ticket;
        waiting.emplace(ticket, session);
    }
    if (sink.put({ReplyTo{ticket}, principal, std::move(command)})) return true;
    forget(ticket);
    return false;
}

void HttpServer::Works::ended(HttpSession* session) {
    {
        const std::lock_guard lock(mutex);
        if (remote_sessions.erase(session) > 0) return;
        sessions.erase(session);
        if (stopped) return;
    }
    asio::post(door, [this] { accept(); });
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerOptions options, CommandSink& sink,
                                                      const ReadModel& read_model, Archive& archive,
                                                      LogSink& log) {
    BERTH_TRY(const int fd, listen_at(options.socket));
    auto works = std::make_unique<Works>(std::move(options), sink, read_model, archive, log);
    boost::system::error_code failed;
    works->acceptor.assign(UnixProtocol(), fd, failed);
    if (failed) {
        ::close(fd);
        return Error{ErrorCode::internal, "cannot listen: " + failed.message()};
    }
    if (!works->settings.tls_address.empty()) BERTH_CHECK(works->listen_for_others());
    works->settings.diagnostics->note_threads(kThreads + kSlowThreads + kLongThreads);
    works->run();
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(works)));
}

HttpServer::HttpServer(std::unique_ptr<Works> works) : works_(std::move(works)) {}
// NOLINTNEXTLINE(bugprone-exception-escape): where threads cannot be joined, it ends.
HttpServer::~HttpServer() { stop(); }
const Service& HttpServer::service() const { return works_->api; }

void HttpServer::answer(OutgoingAnswer answer) {
    std::shared_ptr<HttpSession> session;
    {
        const std::lock_guard lock(works_->mutex);
        const auto found = works_->waiting.find(answer.reply_to.ticket);
        if (found == works_->waiting.end()) return;  // It was told that it had come too late.
        session = std::move(found->second);
        works_->waiting.erase(found);
    }
    session->answered(answer.reply_to.ticket, std::move(answer.answer));
}

void HttpServer::stop() {
    std::vector<std::shared_ptr<HttpSession>> open;
    {
        const std::lock_guard lock(works_->mutex);
        if (works_->stopped) return;
        works_->stopped = true;
        for (const auto* const some : {&works_->sessions, &works_->remote_sessions}) {
            for (const auto& [key, weak] : *some) {
                if (auto session = weak.lock()) open.push_back(std::move(session));
            }
        }
        works_->waiting.clear();
    }
    ::unlink(works_->settings.socket.c_str());
    asio::post(works_->door, [this] {
        boost::system::error_code ignored;
        works_->acceptor.close();
        works_->tls_acceptor.close(ignored);
        works_->tls_timer.cancel();
        works_->renewal_timer.cancel();
        works_->room_timer.cancel();
        works_->late_timer.cancel();
    });
    for (const auto& session : open) session->close();
    open.clear();
    works_->names.stop();
    works_->slow.join();
    works_->longest.join();
    works_->plugins.join();
    works_->at_work.reset();
    for (std::thread& thread : works_->threads) thread.join();  // Once nothing is left to do.
}

}  // namespace berth
