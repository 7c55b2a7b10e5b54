#include "berth/wire/agent_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <variant>

#include "berth/trust/accept_trouble.h"
#include "berth/trust/unix_socket.h"
#include "berth/wire/berth.grpc.pb.h"
#include "berth/wire/grpc_log.h"
#include "berth/wire/link_messages.h"
#include "berth/wire/link_security.h"
#include "berth/wire/outbox.h"

namespace berth {

namespace {

constexpr std::size_t kNodeNameMax = 255;
constexpr int kLaunchKeysMax = 16;

// Orders that wait to be encoded. Above that the controller blocks.
constexpr std::size_t kOutgoingMax = 50'000;

class ServedLink;

}  // namespace

// Shared with the streams, which may briefly outlive the server when it is destroyed.
struct AgentServer::Parts {
    AgentServerSettings settings;
    LogSink& log;
    Push push;
    LoadPayload load_payload;

    std::string path;
    int listening = -1, stop_event = -1;
    std::thread acceptor;
    AcceptTrouble trouble{log, "wire", "agents cannot connect"};  // Of that thread.
    // Peers that run as `agent_uid` get a server of their own, which tells their streams from
    // others'. A socket number would not do: after a close it may be reused.
    std::unique_ptr<wire::Agents::CallbackService> service, service_of_agent;
    std::unique_ptr<grpc::Server> server, server_of_agent;

    using Outgoing = std::variant<OutgoingOrder, berth::Link>;  // An order, or a link to cut.
    std::unique_ptr<Outbox<Outgoing>> outbox;

    mutable std::mutex mutex;
    std::condition_variable empty;
    std::map<std::uint64_t, std::shared_ptr<ServedLink>> links;
    std::uint64_t last_link = 0;
    std::size_t streams = 0;  // Streams that still use this object.

    void accept_all();
    void admit(int socket);
    void carry(OutgoingOrder order);
    void cut(Link link);
    std::shared_ptr<ServedLink> find(Link link) const;
    std::string objection_to(const grpc::CallbackServerContext& call) const;
};

namespace {

// The stream of one agent. gRPC makes one read callback and one write callback at a time; orders
// come from the controller's thread.
class ServedLink final : public grpc::ServerBidiReactor<wire::FromAgent, wire::FromController>,
                         public std::enable_shared_from_this<ServedLink> {
public:
    ServedLink(AgentServer::Parts& parts, grpc::CallbackServerContext& call, std::uint64_t number,
               bool of_this_host)
        : parts_(parts), call_(call), link_{number}, of_this_host_(of_this_host) {}

    // Keeps this object alive until gRPC has finished with it.
    void begin() {
        self_ = shared_from_this();
        StartRead(&incoming_);
    }

    void send(wire::FromController message) {
        const std::lock_guard lock(mutex_);
        if (finished_) return;
        queued_bytes_ += message.ByteSizeLong();
        queue_.push_back(std::move(message));
        if (queue_.size() > parts_.settings.queued_orders_max ||
            queued_bytes_ > parts_.settings.queued_bytes_max) {
            parts_.log.write(LogLevel::warning, "wire",
                             "node " + node_ + " does not read its orders: its link is cut");
            finish({grpc::StatusCode::RESOURCE_EXHAUSTED, "orders are not being read"});
            call_.TryCancel();  // The agent would not read the status either.
            return;
        }
        if (queue_.size() == 1) StartWrite(&queue_.front());
    }

    void cut(const std::string& why) {
        const std::lock_guard lock(mutex_);
        finish({grpc::StatusCode::ABORTED, why});
    }

    // For a certificate that was revoked after the link began.
    void cut_if_of(const std::string& node) {
        if (announced_ && node_ == node && !objection().empty()) cut("the certificate is revoked");
    }

    // The node of this link. REQUIRES: the agent has said so (before that nothing sends to it).
    const std::string& node() const { return node_; }
    const std::vector<std::string>& known_keys() const { return known_keys_; }  // The same applies.

private:
    void OnReadDone(bool ok) override {
        if (!ok) return cut("the agent is gone");
        const grpc::Status status = take(incoming_);
        if (!status.ok()) {
            parts_.log.write(LogLevel::warning, "wire",
                             "link of node '" + node_ + "' cut: " + status.error_message());
            const std::lock_guard lock(mutex_);
            return finish(status);
        }
        incoming_.Clear();
        const std::lock_guard lock(mutex_);
        if (!finished_) StartRead(&incoming_);
    }

    void OnWriteDone(bool ok) override {
        const std::lock_guard lock(mutex_);
        if (!ok) return finish({grpc::StatusCode::UNAVAILABLE, "the agent is gone"});
        queued_bytes_ -= queue_.front().ByteSizeLong();
        queue_.pop_front();
        if (!finished_ && !queue_.empty()) StartWrite(&queue_.front());
    }

    void OnCancel() override { cut("the agent is gone"); }

    void OnDone() override {
        if (announced_) parts_.push(LinkLost{link_});
        std::shared_ptr<ServedLink> last = std::move(self_);
        AgentServer::Parts& parts = parts_;
        const std::uint64_t number = link_.number;
        const std::lock_guard lock(parts.mutex);
        parts.links.erase(number);
        last.reset();
        --parts.streams;
        parts.empty.notify_all();
    }

    grpc::Status take(const wire::FromAgent& message) {
        if (!announced_) return greet(message);
        if (message.has_order_refused()) return note_refusal(message.order_refused());
        if (message.body_case() == wire::FromAgent::BODY_NOT_SET && kind_of(message) != 0)
            return pass_over(message);
        Result<Report> report = from_wire(message);
        if (!report.ok()) {
            return {grpc::StatusCode::INVALID_ARGUMENT, report.error().message};
        }
        parts_.push(AgentInput{link_, node_, std::move(report).value()});
        return grpc::Status::OK;
    }

    grpc::Status note_refusal(const wire::OrderRefused& refused) {
        parts_.log.write(LogLevel::warning, "wire",
                         "node " + node_ + " refuses an order " + words_of(refused));
        return grpc::Status::OK;
    }

    // For reports of a newer agent. Logs once per link, since there may be many.
    grpc::Status pass_over(const wire::FromAgent& message) {
        if (!std::exchange(said_unknown_, true)) {
            parts_.log.write(LogLevel::warning, "wire",
                             "node " + node_ + " reports what is not known here, of kind " +
                                 std::to_string(kind_of(message)) +
                                 ": its agent is newer than this controller");
        }
        return grpc::Status::OK;
    }

    grpc::Status greet(const wire::FromAgent& message) {
        const wire::Hello& hello = message.hello();
        if (!message.has_hello()) {
            return {grpc::StatusCode::FAILED_PRECONDITION, "an agent says Hello first"};
        }
        if (hello.protocol() != kLinkProtocol) {
            return {grpc::StatusCode::FAILED_PRECONDITION,
                    "protocol " + std::to_string(hello.protocol()) +
                        " is not known here; this controller speaks " +
                        std::to_string(kLinkProtocol)};
        }
        if (hello.node().empty() || hello.node().size() > kNodeNameMax) {
            return {grpc::StatusCode::INVALID_ARGUMENT, "Hello names no node"};
        }
        if (hello.launch_keys_size() > kLaunchKeysMax) {
            return {grpc::StatusCode::INVALID_ARGUMENT, "Hello names too many keys"};
        }
        const Result<std::optional<std::string>> proved = certified_name(call_);
        if (!proved.ok()) return {grpc::StatusCode::UNAUTHENTICATED, proved.error().message};
        if (*proved && **proved != hello.node()) {
            return {grpc::StatusCode::PERMISSION_DENIED, "this is node '" + **proved +
                                                             "' by its certificate, and not '" +
                                                             hello.node() + "'"};
        }
        if (of_this_host_ &&
            !(parts_.settings.is_of_this_host && parts_.settings.is_of_this_host(hello.node()))) {
            return {grpc::StatusCode::PERMISSION_DENIED,
                    "the agents' user may be this host's own node alone, and '" + hello.node() +
                        "' is not: see berthd --agent-node"};
        }
        node_ = hello.node();
        known_keys_.assign(hello.launch_keys().begin(), hello.launch_keys().end());
        announced_ = true;
        // Checked after that: later revocations are found by cut_if_of().
        if (const std::string why = objection(); !why.empty()) {
            return {grpc::StatusCode::PERMISSION_DENIED, why};
        }
        return grpc::Status::OK;
    }

    std::string objection() const { return parts_.objection_to(call_); }

    // REQUIRES: mutex_ is held.
    void finish(const grpc::Status& status) {
        if (finished_) return;
        finished_ = true;
        Finish(status);
    }

    AgentServer::Parts& parts_;
    grpc::CallbackServerContext& call_;
    const Link link_;
    const bool of_this_host_;  // The peer may only be this host's own node.
    std::shared_ptr<ServedLink> self_;
    wire::FromAgent incoming_;
    std::string node_;  // Used by the reading side, as the next two.
    std::vector<std::string> known_keys_;
    bool said_unknown_ = false;  // Unknown reports have been logged.
    // node_ and known_keys_ are set and may be read by other threads.
    std::atomic<bool> announced_ = false;

    std::mutex mutex_;
    std::deque<wire::FromController> queue_;  // The first one is being written.
    std::size_t queued_bytes_ = 0;
    bool finished_ = false;
};

// A stream that is refused at once.
class RefusedStream final : public grpc::ServerBidiReactor<wire::FromAgent, wire::FromController> {
public:
    explicit RefusedStream(const grpc::Status& status) { Finish(status); }
    void OnDone() override { delete this; }
};

class LinkService final : public wire::Agents::CallbackService {
public:
    LinkService(AgentServer::Parts& parts, bool of_this_host)
        : parts_(parts), of_this_host_(of_this_host) {}

    grpc::ServerBidiReactor<wire::FromAgent, wire::FromController>* Link(
        grpc::CallbackServerContext* call) override {
        std::shared_ptr<ServedLink> stream;
        {
            const std::lock_guard lock(parts_.mutex);
            if (parts_.links.size() >= parts_.settings.links_max) {
                return new RefusedStream(
                    {grpc::StatusCode::RESOURCE_EXHAUSTED, "too many agents are linked"});
            }
            stream = std::make_shared<ServedLink>(parts_, *call, ++parts_.last_link, of_this_host_);
            parts_.links.emplace(parts_.last_link, stream);
            ++parts_.streams;
        }
        stream->begin();
        return stream.get();
    }

    grpc::ServerUnaryReactor* Renew(grpc::CallbackServerContext* call,
                                    const wire::RenewCall* request,
                                    wire::RenewReply* reply) override {
        grpc::ServerUnaryReactor* const reactor = call->DefaultReactor();
        reactor->Finish(renew(*call, request->request(), *reply));
        return reactor;
    }

private:
    grpc::Status renew(const grpc::CallbackServerContext& call, const std::string& request,
                       wire::RenewReply& reply) const {
        const Result<std::optional<std::string>> node = certified_name(call);
        if (!node.ok() || !*node || !parts_.settings.tls || !parts_.settings.tls->renew)
            return {grpc::StatusCode::UNAUTHENTICATED, "only a node's certificate is renewed"};
        if (const std::string why = parts_.objection_to(call); !why.empty())
            return {grpc::StatusCode::PERMISSION_DENIED, why};
        Result<std::string> made = parts_.settings.tls->renew(request, **node);
        if (!made.ok()) return {grpc::StatusCode::INVALID_ARGUMENT, made.error().message};
        reply.set_certificate(*std::move(made));
        parts_.log.write(LogLevel::info, "wire", "certificate of node " + **node + " renewed");
        return grpc::Status::OK;
    }

    AgentServer::Parts& parts_;
    const bool of_this_host_;
};

std::unique_ptr<grpc::Server> build_server(const AgentServerSettings& settings,
                                           grpc::Service& service, bool with_tls) {
    grpc::ServerBuilder builder;
    builder.RegisterService(&service);
    if (with_tls && settings.tls) {
        builder.AddListeningPort(to_string(settings.tls->at),
                                 server_credentials(settings.tls->own));
        builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
        builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                                   static_cast<int>(settings.handshake_timeout.count()));
    }
    builder.SetMaxReceiveMessageSize(kMessageBytesMax);
    builder.SetMaxSendMessageSize(kMessageBytesMax);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS,
                               static_cast<int>(settings.ping_every.count()));
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                               static_cast<int>(settings.ping_timeout.count()));
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1000);
    return builder.BuildAndStart();
}

}  // namespace

void AgentServer::Parts::accept_all() {
    pollfd waited[2] = {{listening, POLLIN, 0}, {stop_event, POLLIN, 0}};
    while (true) {
        if (poll(waited, 2, -1) < 0 && errno != EINTR) return;
        if ((waited[1].revents & POLLIN) != 0) return;
        if ((waited[0].revents & POLLIN) == 0) continue;
        const int socket = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (socket >= 0) {
            admit(socket);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
            trouble.tell(errno);
            poll(waited + 1, 1, 1000);
        }
    }
}

void AgentServer::Parts::admit(int socket) {
    const Result<std::uint32_t> uid = peer_uid(socket);
    if (uid.ok() && (*uid == 0 || *uid == geteuid())) {
        grpc::AddInsecureChannelFromFd(server.get(), socket);
        return;
    }
    if (uid.ok() && settings.agent_uid == *uid) {
        grpc::AddInsecureChannelFromFd(server_of_agent.get(), socket);
        return;
    }
    log.write(LogLevel::warning, "wire",
              uid.ok() ? "uid " + std::to_string(*uid) +
                             " is no agent: an agent runs as root, as the controller's user, or as "
                             "the one that berthd --agent-user names"
                       : uid.error().message);
    ::close(socket);
}

std::shared_ptr<ServedLink> AgentServer::Parts::find(Link link) const {
    const std::lock_guard lock(mutex);
    const auto found = links.find(link.number);
    return found == links.end() ? nullptr : found->second;
}

// Peers on a Unix socket have no certificate, hence no objection.
std::string AgentServer::Parts::objection_to(const grpc::CallbackServerContext& call) const {
    if (!settings.tls || !settings.tls->objection_to) return {};
    const Result<std::optional<std::string>> node = certified_name(call);
    if (node.ok() && !*node) return {};
    const std::string certificate = certificate_of(call);
    return certificate.empty() ? "its certificate cannot be read"
                               : settings.tls->objection_to(certificate);
}

AgentServer::AgentServer(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

Result<std::unique_ptr<AgentServer>> AgentServer::start(AgentServerSettings settings, LogSink& log,
                                                        Push push, LoadPayload load_payload) {
    limit_grpc_log();
    BERTH_TRY(const std::string path, unix_path(settings.address));
    BERTH_TRY(const int listening, listen_on(path));
    // Other users are rejected by their uid, not by the mode of the socket.
    if (settings.agent_uid) ::chmod(path.c_str(), 0666);
    auto parts = std::shared_ptr<Parts>(
        new Parts{std::move(settings), log, std::move(push), std::move(load_payload)});
    parts->path = path;
    parts->listening = listening;
    parts->stop_event = eventfd(0, EFD_CLOEXEC);
    std::unique_ptr<AgentServer> server(new AgentServer(parts));
    parts->service = std::make_unique<LinkService>(*parts, false);
    parts->server = build_server(parts->settings, *parts->service, true);
    if (parts->settings.agent_uid) {
        parts->service_of_agent = std::make_unique<LinkService>(*parts, true);
        parts->server_of_agent = build_server(parts->settings, *parts->service_of_agent, false);
    }
    if (parts->server == nullptr && parts->settings.tls) {
        return Error{ErrorCode::unavailable,
                     "cannot listen for agents at " + to_string(parts->settings.tls->at) +
                         ": the address is not this host's, or another process has it"};
    }
    if (parts->stop_event < 0 || parts->server == nullptr ||
        (parts->settings.agent_uid && parts->server_of_agent == nullptr)) {
        return Error{ErrorCode::internal, "the link for agents could not be started"};
    }
    parts->outbox = std::make_unique<Outbox<Parts::Outgoing>>(
        kOutgoingMax, [&shared = *parts](Parts::Outgoing item) {
            if (auto* const order = std::get_if<OutgoingOrder>(&item)) {
                shared.carry(std::move(*order));
            } else {
                shared.cut(std::get<berth::Link>(item));
            }
        });
    parts->acceptor = std::thread([&shared = *parts] { shared.accept_all(); });
    return server;
}

AgentServer::~AgentServer() {
    Parts& parts = *parts_;
    if (parts.acceptor.joinable()) {
        const std::uint64_t one = 1;
        (void)!write(parts.stop_event, &one, sizeof one);
        parts.acceptor.join();
    }
    if (parts.outbox != nullptr) parts.outbox->stop();
    unlink(parts.path.c_str());
    ::close(parts.listening);
    if (parts.stop_event >= 0) ::close(parts.stop_event);
    if (parts.server == nullptr) return;
    std::vector<std::shared_ptr<ServedLink>> open;
    {
        const std::lock_guard lock(parts.mutex);
        for (const auto& [number, stream] : parts.links) open.push_back(stream);
    }
    for (const auto& stream : open) stream->cut("the controller stops");
    open.clear();
    for (grpc::Server* const one : {parts.server.get(), parts.server_of_agent.get()}) {
        if (one == nullptr) continue;
        one->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
        one->Wait();
    }
    std::unique_lock lock(parts.mutex);
    parts.empty.wait(lock, [&] { return parts.streams == 0; });
}

void AgentServer::Parts::carry(OutgoingOrder order) {
    const std::shared_ptr<ServedLink> stream = find(order.link);
    if (stream == nullptr) return;  // The controller is about to learn of its loss.
    auto* const launch = std::get_if<LaunchAttempt>(&order.order.body);
    if (launch != nullptr) {
        Result<JobPayload> payload = load_payload(*launch);
        if (!payload.ok()) {  // Sent without a script: the node refuses it and reports that.
            log.write(LogLevel::error, "wire", payload.error().message);
        } else {
            launch->payload = std::move(payload).value();
        }
    }
    if (settings.sign) settings.sign(stream->node(), stream->known_keys(), order.order);
    stream->send(to_wire(order.order));
}

void AgentServer::Parts::cut(Link link) {
    const std::shared_ptr<ServedLink> stream = find(link);
    if (stream != nullptr) stream->cut("superseded, or no node of this cluster");
}

void AgentServer::send(OutgoingOrder order) { parts_->outbox->put(std::move(order)); }

void AgentServer::close(Link link) { parts_->outbox->put(link); }

void AgentServer::cut_node(const std::string& node) {
    std::vector<std::shared_ptr<ServedLink>> open;
    {
        const std::lock_guard lock(parts_->mutex);
        for (const auto& [number, stream] : parts_->links) open.push_back(stream);
    }
    for (const auto& stream : open) stream->cut_if_of(node);
}

std::size_t AgentServer::links() const {
    const std::lock_guard lock(parts_->mutex);
    return parts_->links.size();
}

}  // namespace berth
