#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "berth/testing/seeds.h"
#include "berth/trust/unix_socket.h"
#include "berth/wire/agent_client.h"
#include "berth/wire/agent_server.h"
#include "berth/wire/berth.grpc.pb.h"
#include "berth/wire/link_messages.h"
#include "berth/wire/link_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

class LinkTest : public ::testing::Test {
protected:
    LinkTest() { path_ = "/tmp/berth-link-" + std::to_string(getpid()) + ".sock"; }

    void start_server(AgentServerSettings settings = {}) {
        settings.address = "unix:" + path_;
        auto started = AgentServer::start(
            settings, log_, [this](Input input) { inbox_.push(std::move(input)); },
            [this](const LaunchAttempt& launch) -> Result<JobPayload> {
                return launch.batch_host ? payload_ : JobPayload{};
            });
        ASSERT_TRUE(started.ok()) << started.error().message;
        server_ = std::move(started).value();
    }
    std::unique_ptr<AgentClient> client(Mailbox<AgentEvent>& events, std::string node = "gpu1") {
        auto started = AgentClient::start(
            {.address = "unix:" + path_,
             .node = std::move(node),
             .version = "test",
             .first_wait = 20ms,
             .longest_wait = 50ms},
            log_, [&events](AgentEvent event) { events.push(std::move(event)); });
        return started.ok() ? std::move(started).value() : nullptr;
    }
    // A client that violates the protocol: the status with which its link is cut.
    grpc::Status say(const std::vector<wire::FromAgent>& messages) {
        const Result<int> socket = connect_to(path_);
        if (!socket.ok()) return {grpc::StatusCode::UNKNOWN, socket.error().message};
        const auto channel = grpc::CreateInsecureChannelFromFd("test", *socket);
        const auto stub = wire::Agents::NewStub(channel);
        grpc::ClientContext call;
        call.set_deadline(std::chrono::system_clock::now() + 20s);
        const auto stream = stub->Link(&call);
        for (const wire::FromAgent& message : messages) stream->Write(message);
        wire::FromController answer;
        while (stream->Read(&answer)) {
        }
        return stream->Finish();
    }

    SilentLog log_;
    std::string path_;
    JobPayload payload_;
    Mailbox<Input> inbox_;
    std::unique_ptr<AgentServer> server_;
};

// A controller of a later version: it sends an order of an unknown kind, then a known one, and
// keeps the answers.
class LaterController final : public wire::Agents::Service {
public:
    grpc::Status Link(
        grpc::ServerContext*,
        grpc::ServerReaderWriter<wire::FromController, wire::FromAgent>* stream) override {
        wire::FromAgent heard;
        if (stream->Read(&heard)) hello = heard.hello();
        wire::FromController order;
        order.GetReflection()->MutableUnknownFields(&order)->AddLengthDelimited(99, "later");
        order.set_session(5);
        stream->Write(order);
        stream->Write(to_wire(Order{.session = 5, .body = EndAttempt{.job = JobId(3)}}));
        while (stream->Read(&heard)) told.push(std::variant<wire::FromAgent>(heard));
        return grpc::Status::OK;
    }
    wire::Hello hello;
    Mailbox<std::variant<wire::FromAgent>> told;
};

TEST_F(LinkTest, AnOrderThatIsNotKnownIsRefusedAndTheLinkStays) {
    LaterController controller;
    grpc::ServerBuilder builder;
    builder.RegisterService(&controller);
    builder.AddListeningPort("unix:" + path_, grpc::InsecureServerCredentials());
    const auto server = builder.BuildAndStart();
    ASSERT_NE(server, nullptr);
    Mailbox<AgentEvent> events;
    {
        const auto agent = client(events);
        const auto came = events.wait_for<OrderCame>();
        ASSERT_TRUE(came);
        EXPECT_EQ(std::get<EndAttempt>(came->order.body).job, JobId(3));
        EXPECT_EQ(came->link, 1U);  // The first one.
        const auto told = controller.told.wait_for<wire::FromAgent>();
        ASSERT_TRUE(told);
        EXPECT_EQ(told->order_refused().order(), 99U);
        EXPECT_EQ(told->session(), 5U);
        EXPECT_NE(told->order_refused().why().find("that this program knows"), std::string::npos);
    }
    server->Shutdown(std::chrono::system_clock::now() + 1s);
}

TEST_F(LinkTest, AReportThatIsNotKnownIsPassedOverAndTheLinkStays) {
    start_server();
    const Result<int> socket = connect_to(path_);
    ASSERT_TRUE(socket.ok());
    const auto stub = wire::Agents::NewStub(grpc::CreateInsecureChannelFromFd("test", *socket));
    grpc::ClientContext call;
    call.set_deadline(std::chrono::system_clock::now() + 20s);
    const auto stream = stub->Link(&call);
    wire::FromAgent hello;
    hello.mutable_hello()->set_protocol(kLinkProtocol);
    hello.mutable_hello()->set_node("gpu1");
    stream->Write(hello);
    wire::FromAgent later;
    later.GetReflection()->MutableUnknownFields(&later)->AddLengthDelimited(99, "later");
    stream->Write(later);
    stream->Write(refusal_of(wire::FromController(), "\nwhat\x01"));
    stream->Write(to_wire(heartbeat()));
    const auto input = inbox_.wait_for<AgentInput>();
    ASSERT_TRUE(input);
    EXPECT_TRUE(std::holds_alternative<Heartbeat>(input->report.body));
    call.TryCancel();
}

TEST_F(LinkTest, CarriesReportsAndOrdersBothWays) {
    start_server();
    Mailbox<AgentEvent> events;
    const auto agent = client(events);
    const auto up = events.wait_for<LinkUp>();
    ASSERT_TRUE(up);
    agent->send(
        {up->link, {.boot_id = "boot", .session = 7, .body = Registration{.node = "gpu1"}}});
    const auto input = inbox_.wait_for<AgentInput>();
    ASSERT_TRUE(input);
    EXPECT_EQ(input->node, "gpu1");
    EXPECT_EQ(std::get<Registration>(input->report.body).node, "gpu1");
    EXPECT_EQ(input->report.session, 7u);

    const Order order{.epoch = Epoch(3),
                      .boot_id = "boot",
                      .session = 7,
                      .body = EndAttempt{.job = JobId(5), .attempt = Attempt(2), .signal = 9}};
    server_->send({input->link, NodeId(0), order});
    const auto came = events.wait_for<OrderCame>();
    ASSERT_TRUE(came);
    EXPECT_EQ(came->link, up->link);
    EXPECT_EQ(came->order, order);
}

TEST_F(LinkTest, FillsInTheLargestScriptAndEnvironmentForTheBatchHostAlone) {
    start_server();
    payload_.script = std::string(4 << 20, 's');
    for (int i = 0; i < 1024; ++i) payload_.environment.push_back("V=" + std::string(1022, 'e'));
    Mailbox<AgentEvent> events;
    const auto agent = client(events);
    const auto up = events.wait_for<LinkUp>();
    ASSERT_TRUE(up);
    agent->send({up->link, heartbeat()});
    const auto input = inbox_.wait_for<AgentInput>();
    ASSERT_TRUE(input);
    server_->send(
        {input->link, NodeId(0), {.body = LaunchAttempt{.job = JobId(1), .batch_host = true}}});
    server_->send({input->link, NodeId(0), {.body = LaunchAttempt{.job = JobId(2)}}});
    const auto first = events.wait_for<OrderCame>();
    const auto second = events.wait_for<OrderCame>();
    ASSERT_TRUE(first && second);
    EXPECT_EQ(std::get<LaunchAttempt>(first->order.body).payload, payload_);
    EXPECT_EQ(std::get<LaunchAttempt>(second->order.body).payload, JobPayload{});
}

TEST_F(LinkTest, ConnectsAgainWhenTheControllerIsBack) {
    Mailbox<AgentEvent> events;
    const auto agent = client(events);  // The server does not listen yet.
    std::uint64_t last = 0;
    for (int life = 0; life < 3; ++life) {
        start_server();
        const auto up = events.wait_for<LinkUp>();
        ASSERT_TRUE(up);
        EXPECT_GT(up->link, last);
        last = up->link;
        agent->send({up->link, heartbeat()});
        ASSERT_TRUE(inbox_.wait_for<AgentInput>());
        server_.reset();
        ASSERT_TRUE(inbox_.wait_for<LinkLost>());
        const auto down = events.wait_for<LinkDown>();
        ASSERT_TRUE(down);
        EXPECT_EQ(down->link, last);
    }
}

TEST_F(LinkTest, TellsTheControllerWhenAnAgentIsGone) {
    start_server();
    Mailbox<AgentEvent> events;
    auto agent = client(events);
    const auto up = events.wait_for<LinkUp>();
    agent->send({up->link, heartbeat()});
    const auto input = inbox_.wait_for<AgentInput>();
    ASSERT_TRUE(input);
    agent.reset();
    const auto lost = inbox_.wait_for<LinkLost>();
    ASSERT_TRUE(lost);
    EXPECT_EQ(lost->link, input->link);
    server_->send({input->link, NodeId(0), {.body = Welcome{}}});  // The peer is gone: no harm.
    // The inbox learns of it first; gRPC releases the call a moment later.
    for (int i = 0; i < 1000 && server_->links() > 0; ++i) std::this_thread::sleep_for(5ms);
    EXPECT_EQ(server_->links(), 0u);
}

TEST_F(LinkTest, CutsTheLinkThatTheControllerCloses) {
    start_server();
    Mailbox<AgentEvent> events;
    const auto agent = client(events);
    const auto up = events.wait_for<LinkUp>();
    agent->send({up->link, heartbeat()});
    const auto input = inbox_.wait_for<AgentInput>();
    server_->close(input->link);
    ASSERT_TRUE(events.wait_for<LinkDown>());
    const auto again = events.wait_for<LinkUp>();
    ASSERT_TRUE(again);
    agent->send({up->link, heartbeat()});  // Of the old link: dropped.
    agent->send({again->link, {.boot_id = "second", .body = Heartbeat{}}});
    EXPECT_EQ(inbox_.wait_for<AgentInput>()->report.boot_id, "second");
}

TEST_F(LinkTest, RefusesWhoKeepsNoRuleByName) {
    start_server();
    wire::FromAgent report;
    report.mutable_heartbeat();
    grpc::Status status = say({report});
    EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(status.error_message(), "an agent says Hello first");

    wire::FromAgent hello;
    hello.mutable_hello()->set_protocol(9);
    hello.mutable_hello()->set_node("gpu1");
    status = say({hello});
    EXPECT_EQ(status.error_message(), "protocol 9 is not known here; this controller speaks 1");

    hello.mutable_hello()->set_protocol(1);
    wire::FromAgent garbage;
    garbage.mutable_registration()->set_format(1);
    garbage.mutable_registration()->set_bytes("\xff\xff\xff garbage");
    EXPECT_EQ(say({hello, garbage}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    garbage.mutable_registration()->set_format(2);
    EXPECT_EQ(say({hello, garbage}).error_message(), "encoded in format 2; this program knows 1");
    EXPECT_EQ(say({hello, wire::FromAgent()}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(say({hello, hello}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(LinkTest, OutlivesRandomBytesOnItsSocket) {
    start_server();
    testing::for_each_seed(30, [&](Rng& rng) {
        const Result<int> socket = connect_to(path_);
        ASSERT_TRUE(socket.ok());
        std::string bytes = rng.chance(50) ? "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" : "";
        for (std::int64_t n = rng.between(1, 4000); n > 0; --n) {
            bytes.push_back(static_cast<char>(rng.next()));
        }
        (void)::send(*socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        ::close(*socket);
    });
    Mailbox<AgentEvent> events;
    const auto agent = client(events);
    const auto up = events.wait_for<LinkUp>();
    ASSERT_TRUE(up);
    agent->send({up->link, heartbeat()});
    EXPECT_TRUE(inbox_.wait_for<AgentInput>());
}

TEST_F(LinkTest, CutsAnAgentThatDoesNotReadItsOrders) {
    start_server({.queued_orders_max = 100});
    const Result<int> socket = connect_to(path_);
    ASSERT_TRUE(socket.ok());
    const auto channel = grpc::CreateInsecureChannelFromFd("test", *socket);
    const auto stub = wire::Agents::NewStub(channel);
    grpc::ClientContext call;
    const auto stream = stub->Link(&call);
    wire::FromAgent message;
    message.mutable_hello()->set_protocol(1);
    message.mutable_hello()->set_node("gpu1");
    stream->Write(message);
    message.mutable_heartbeat();
    stream->Write(message);
    const auto input = inbox_.wait_for<AgentInput>();
    ASSERT_TRUE(input);
    payload_.script = std::string(1 << 20, 's');
    for (int i = 0; i < 300; ++i) {
        server_->send({input->link, NodeId(0), {.body = LaunchAttempt{.batch_host = true}}});
    }
    EXPECT_TRUE(inbox_.wait_for<LinkLost>());
    call.TryCancel();
    stream->Finish();
}

TEST_F(LinkTest, NoticesAPeerThatIsDeadButHasNotHungUp) {
    start_server({.ping_every = 1s, .ping_timeout = 1s});
    const Result<int> socket = connect_to(path_);
    ASSERT_TRUE(socket.ok());
    // Sends Hello through a relay, which then stops relaying.
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    std::atomic<bool> relaying = true, stop = false;
    std::thread relay([&] {
        char bytes[4096];
        while (!stop) {
            bool idle = true;
            for (const auto& [from, to] :
                 {std::pair(ends[0], *socket), std::pair(*socket, ends[0])}) {
                if (!relaying) continue;
                const ssize_t n = read(from, bytes, sizeof bytes);
                if (n > 0) idle = write(to, bytes, static_cast<std::size_t>(n)) != n;
            }
            if (idle) std::this_thread::sleep_for(1ms);
        }
    });
    {
        const auto channel = grpc::CreateInsecureChannelFromFd("test", ends[1]);
        const auto stub = wire::Agents::NewStub(channel);
        grpc::ClientContext call;
        const auto stream = stub->Link(&call);
        wire::FromAgent message;
        message.mutable_hello()->set_protocol(1);
        message.mutable_hello()->set_node("gpu1");
        stream->Write(message);
        message.mutable_heartbeat();
        stream->Write(message);
        EXPECT_TRUE(inbox_.wait_for<AgentInput>());
        relaying = false;
        EXPECT_TRUE(inbox_.wait_for<LinkLost>(30s));
        call.TryCancel();
        stream->Finish();
    }
    stop = true;
    relay.join();
    ::close(*socket);
    ::close(ends[0]);
}

TEST(UnixPath, RefusesWhatIsNoPathOfASocket) {
    EXPECT_EQ(unix_path("unix:/run/x").value(), "/run/x");
    for (const char* const bad :
         {"", "tcp://10.0.0.1:6817", "localhost:6817", "unix:", "unix:rel", "dns:///controller"}) {
        EXPECT_FALSE(unix_path(bad).ok()) << bad;
    }
    EXPECT_NE(unix_path("tcp://h:1").error().message.find("over TLS"), std::string::npos);
    EXPECT_TRUE(unix_path("unix:/" + std::string(106, 'x')).ok());
    EXPECT_FALSE(unix_path("unix:/" + std::string(107, 'x')).ok());
}

TEST_F(LinkTest, LeavesASocketThatSomebodyListensOn) {
    start_server();
    EXPECT_EQ(listen_on(path_).error().code, ErrorCode::already_exists);
    server_.reset();
    const int left = *listen_on(path_);
    ::close(left);  // As a killed process leaves it.
    start_server();
}

}  // namespace
}  // namespace berth
