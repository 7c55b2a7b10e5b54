#include "berth/wire/agent_client.h"

#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "berth/trust/unix_socket.h"
#include "berth/wire/berth.grpc.pb.h"
#include "berth/wire/link_messages.h"
#include "berth/wire/link_security.h"

namespace berth {

namespace {

using Push = AgentClient::Push;

// One connection, from Hello to its end.
class OwnLink final : public grpc::ClientBidiReactor<wire::FromAgent, wire::FromController> {
public:
    OwnLink(const AgentClientSettings& settings, LogSink& log, const Push& push,
            std::uint64_t number)
        : settings_(settings), log_(log), push_(push), number_(number) {}

    void begin(wire::Agents::Stub& stub) {
        const std::lock_guard lock(mutex_);
        stub.async()->Link(&context_, this);
        // Writes also come from threads that are not gRPC's: the call must not end between them.
        AddHold();
        wire::FromAgent hello;
        hello.mutable_hello()->set_protocol(kLinkProtocol);
        hello.mutable_hello()->set_node(settings_.node);
        hello.mutable_hello()->set_version(settings_.version);
        if (settings_.launch_keys) {
            for (std::string& key : settings_.launch_keys())
                hello.mutable_hello()->add_launch_keys(std::move(key));
        }
        queue_.push_back(std::move(hello));
        StartWrite(&queue_.front());
        StartRead(&incoming_);
        StartCall();
    }

    void send(wire::FromAgent message) {
        const std::lock_guard lock(mutex_);
        if (closed_) return;
        queue_.push_back(std::move(message));
        if (queue_.size() > settings_.queued_reports_max) {
            log_.write(LogLevel::warning, "wire", "the controller does not read: link cut");
            return end();
        }
        if (queue_.size() == 1) StartWrite(&queue_.front());
    }

    void cut() {
        const std::lock_guard lock(mutex_);
        end();
    }

    // Returns when gRPC has finished with the call. True if the controller had sent something.
    bool wait() {
        std::unique_lock lock(mutex_);
        done_event_.wait(lock, [&] { return done_; });
        return spoken_to_;
    }
    const grpc::Status& status() const { return status_; }  // Valid after wait().

private:
    void OnReadDone(bool ok) override {
        if (!ok) return cut();
        Result<Order> order = from_wire(incoming_);
        if (order.ok()) {
            push_(OrderCame{number_, std::move(order).value()});
        } else {  // Of a newer controller: it is answered with a refusal, and the link goes on.
            log_.write(LogLevel::error, "wire",
                       "refused an order of kind " + std::to_string(kind_of(incoming_)) + ": " +
                           order.error().message);
            send(refusal_of(incoming_, order.error().message));
        }
        incoming_.Clear();
        const std::lock_guard lock(mutex_);
        spoken_to_ = true;
        if (!closed_) StartRead(&incoming_);
    }

    void OnWriteDone(bool ok) override {
        const std::lock_guard lock(mutex_);
        if (!ok) return end();
        queue_.pop_front();
        if (!closed_ && !queue_.empty()) StartWrite(&queue_.front());
    }

    void OnDone(const grpc::Status& status) override {
        const std::lock_guard lock(mutex_);
        status_ = status;
        done_ = true;
        done_event_.notify_all();
    }

    // REQUIRES: mutex_ is held.
    void end() {
        if (closed_) return;
        closed_ = true;
        context_.TryCancel();
        RemoveHold();
    }

    const AgentClientSettings& settings_;
    LogSink& log_;
    const Push& push_;
    const std::uint64_t number_;
    grpc::ClientContext context_;
    wire::FromController incoming_;

    std::mutex mutex_;
    std::condition_variable done_event_;
    std::deque<wire::FromAgent> queue_;  // The first one is being written.
    bool closed_ = false, done_ = false, spoken_to_ = false;
    grpc::Status status_;
};

grpc::ChannelArguments channel_arguments(const AgentClientSettings& settings) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kMessageBytesMax);
    arguments.SetMaxSendMessageSize(kMessageBytesMax);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(settings.ping_every.count()));
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                     static_cast<int>(settings.ping_timeout.count()));
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    return arguments;
}

}  // namespace

struct AgentClient::Parts {
    AgentClientSettings settings;
    LogSink& log;
    Push push;
    LinkAddress address;
    std::string last_trouble;  // So that an error is logged once.

    std::mutex mutex;
    std::condition_variable changed;
    bool stopping = false;
    std::uint64_t last_link = 0;
    std::shared_ptr<OwnLink> stream;  // For last_link, while that is up.
    std::thread thread;

    void run();
    bool connect_once();
    Result<int> connect(const std::string& path) const;
    Result<std::shared_ptr<grpc::Channel>> channel();
    Status reach(grpc::Channel& channel);
    void tell(const Error& trouble);
    bool is_stopping();
    void pause(Duration length);
    std::shared_ptr<OwnLink> find(std::uint64_t link);
};

// The agent takes orders only from root or its own user.
Result<int> AgentClient::Parts::connect(const std::string& path) const {
    BERTH_TRY(const int socket, connect_to(path));
    const Result<std::uint32_t> uid = peer_uid(socket);
    if (uid.ok() && (*uid == 0 || *uid == geteuid())) return socket;
    ::close(socket);
    if (!uid.ok()) return uid.error();
    return Error{ErrorCode::permission_denied,
                 "unix:" + path + " is served by uid " + std::to_string(*uid) +
                     ": a controller runs as root or as the agent's user"};
}

bool AgentClient::Parts::is_stopping() {
    const std::lock_guard lock(mutex);
    return stopping;
}

// Waits for the TLS connection, so that a link is up only if there is a controller.
Status AgentClient::Parts::reach(grpc::Channel& channel) {
    const auto until = std::chrono::system_clock::now() + settings.connect_timeout;
    for (auto state = channel.GetState(true); state != GRPC_CHANNEL_READY;
         state = channel.GetState(true)) {
        const auto now = std::chrono::system_clock::now();
        if (state == GRPC_CHANNEL_TRANSIENT_FAILURE || now > until || is_stopping()) {
            return Error{ErrorCode::unavailable,
                         "no link to " + settings.address +
                             ": nobody answers there, or not with a certificate of this cluster, "
                             "or it does not take ours"};
        }
        channel.WaitForStateChange(state, now + std::chrono::milliseconds(100));
    }
    return Done{};
}

Result<std::shared_ptr<grpc::Channel>> AgentClient::Parts::channel() {
    if (const auto* const here = std::get_if<UnixAddress>(&address)) {
        BERTH_TRY(const int socket, connect(here->path));
        return grpc::CreateCustomInsecureChannelFromFd("controller", socket,
                                                       channel_arguments(settings));
    }
    BERTH_TRY(const LinkCertificates own, settings.certificates());
    auto made = secure_channel(std::get<TcpAddress>(address), own, channel_arguments(settings));
    BERTH_CHECK(reach(*made));
    return made;
}

void AgentClient::Parts::tell(const Error& trouble) {
    const bool expected = trouble.code == ErrorCode::unavailable;
    const bool told = std::exchange(last_trouble, trouble.message) == trouble.message;
    const LogLevel level = told ? LogLevel::debug : expected ? LogLevel::warning : LogLevel::error;
    log.write(level, "wire", trouble.message);
}

// Connects, and returns when the link is lost. True if the controller accepted it.
bool AgentClient::Parts::connect_once() {
    const Result<std::shared_ptr<grpc::Channel>> channel = this->channel();
    if (!channel.ok()) {
        tell(channel.error());
        return false;
    }
    last_trouble.clear();
    const auto stub = wire::Agents::NewStub(*channel);
    const auto link = std::make_shared<OwnLink>(settings, log, push, last_link + 1);
    link->begin(*stub);
    {
        const std::lock_guard lock(mutex);
        ++last_link;
        stream = link;
        if (stopping) link->cut();
    }
    push(LinkUp{last_link});
    const bool accepted = link->wait();
    {
        const std::lock_guard lock(mutex);
        stream = nullptr;
    }
    push(LinkDown{last_link});
    log.write(LogLevel::info, "wire",
              "link to the controller lost: " + link->status().error_message());
    return accepted;
}

void AgentClient::Parts::pause(Duration length) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, length, [&] { return stopping; });
}

void AgentClient::Parts::run() {
    Duration wait = settings.first_wait;
    while (true) {
        {
            const std::lock_guard lock(mutex);
            if (stopping) return;
        }
        if (connect_once()) wait = settings.first_wait;
        pause(wait);
        wait = std::min(2 * wait, settings.longest_wait);
    }
}

std::shared_ptr<OwnLink> AgentClient::Parts::find(std::uint64_t link) {
    const std::lock_guard lock(mutex);
    return link == last_link ? stream : nullptr;
}

Result<std::string> renew_certificate(const TcpAddress& controller, const LinkCertificates& own,
                                      const std::string& request) {
    const auto channel = secure_channel(controller, own, grpc::ChannelArguments());
    const auto stub = wire::Agents::NewStub(channel);
    grpc::ClientContext call;
    call.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    wire::RenewCall asked;
    asked.set_request(request);
    wire::RenewReply reply;
    const grpc::Status status = stub->Renew(&call, asked, &reply);
    if (status.ok()) return std::move(*reply.mutable_certificate());
    return Error{ErrorCode::unavailable,
                 "the certificate could not be renewed: " + status.error_message()};
}

AgentClient::AgentClient(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

Result<std::unique_ptr<AgentClient>> AgentClient::start(AgentClientSettings settings, LogSink& log,
                                                        Push push) {
    BERTH_TRY(LinkAddress address, parse_link_address(settings.address));
    if (std::holds_alternative<TcpAddress>(address)) {
        if (!settings.certificates) {
            return Error{ErrorCode::failed_precondition,
                         "a controller at " + settings.address +
                             " takes certificates alone: `berth-agent join` fetches one"};
        }
        BERTH_TRY(const LinkCertificates ours, settings.certificates());
    }
    auto parts = std::shared_ptr<Parts>(
        new Parts{std::move(settings), log, std::move(push), std::move(address), {}});
    parts->thread = std::thread([&shared = *parts] { shared.run(); });
    return std::unique_ptr<AgentClient>(new AgentClient(std::move(parts)));
}

AgentClient::~AgentClient() {
    std::shared_ptr<OwnLink> open;
    {
        const std::lock_guard lock(parts_->mutex);
        parts_->stopping = true;
        open = parts_->stream;
    }
    parts_->changed.notify_all();
    if (open != nullptr) open->cut();
    parts_->thread.join();
}

void AgentClient::send(OutgoingReport report) {
    const std::shared_ptr<OwnLink> stream = parts_->find(report.link);
    if (stream != nullptr) stream->send(to_wire(report.report));
}

void AgentClient::close(std::uint64_t link) {
    const std::shared_ptr<OwnLink> stream = parts_->find(link);
    if (stream != nullptr) stream->cut();
}

}  // namespace berth
