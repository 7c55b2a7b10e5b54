#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "berth/trust/certificates.h"
#include "berth/trust/openssl.h"
#include "berth/wire/agent_client.h"
#include "berth/wire/agent_server.h"
#include "berth/wire/link_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

Time now() {
    return Time(std::chrono::floor<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

// An unused port of the loopback interface.
std::uint16_t free_port() {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const general = reinterpret_cast<sockaddr*>(&at);
    EXPECT_EQ(bind(fd, general, size), 0);
    EXPECT_EQ(getsockname(fd, general, &size), 0);
    close(fd);
    return ntohs(at.sin_port);
}

struct Remembering final : LogSink {
    void write(LogLevel, std::string_view, std::string_view line) override {
        const std::lock_guard lock(mutex);
        text += std::string(line) + '\n';
    }
    bool has(std::string_view part) {
        const std::lock_guard lock(mutex);
        return text.find(part) != std::string::npos;
    }
    std::mutex mutex;
    std::string text;
};

// A controller that agents on other hosts can reach.
class LinkTlsTest : public ::testing::Test {
protected:
    LinkTlsTest() {
        const KeyPair own = *authority_.certify_controller({}, now());
        auto started = AgentServer::start(
            {.address = "unix:/tmp/berth-tls-" + std::to_string(getpid()) + ".sock",
             .tls = TlsListening{at_,
                                 {authority_.certificate(), own.certificate, own.key},
                                 [this](const std::string& request, const std::string& node) {
                                     return authority_.certify_node(request, node, now());
                                 },
                                 [this](const std::string& certificate) {
                                     const std::lock_guard lock(log_.mutex);
                                     return certificate == revoked_ ? "it is revoked" : "";
                                 }}},
            log_, [this](Input input) { inbox_.push(std::move(input)); },
            [](const LaunchAttempt&) -> Result<JobPayload> { return JobPayload{}; });
        EXPECT_TRUE(started.ok()) << started.error().message;
        server_ = std::move(started).value();
    }
    static LinkCertificates node(const Authority& by, const std::string& name) {
        const std::string key = *make_key();
        return {by.certificate(), *by.certify_node(*make_request(key, name), name, now()), key};
    }
    std::unique_ptr<AgentClient> client(const LinkCertificates& own, const std::string& says) {
        auto started =
            AgentClient::start({.address = to_string(at_),
                                .certificates = [own]() -> Result<LinkCertificates> { return own; },
                                .node = says,
                                .version = "test",
                                .first_wait = 20ms,
                                .longest_wait = 50ms},
                               log_, [this](AgentEvent event) { events_.push(std::move(event)); });
        EXPECT_TRUE(started.ok()) << started.error().message;
        return std::move(started).value();
    }
    bool logs(std::string_view part) {
        for (int i = 0; i < 1000 && !log_.has(part); ++i) std::this_thread::sleep_for(10ms);
        return log_.has(part);
    }

    std::string revoked_;  // Protected by the log's mutex.
    Authority authority_ = *Authority::make("lab", now());
    TcpAddress at_{"127.0.0.1", free_port()};
    Remembering log_;
    Mailbox<Input> inbox_;
    Mailbox<AgentEvent> events_;
    std::unique_ptr<AgentServer> server_;
};

TEST_F(LinkTlsTest, CarriesReportsAndOrdersOfTheNodeThatItsCertificateNames) {
    const auto agent = client(node(authority_, "gpu1"), "gpu1");
    const auto up = events_.wait_for<LinkUp>();
    ASSERT_TRUE(up);
    agent->send({up->link, heartbeat()});
    const auto input = inbox_.wait_for<AgentInput>();
    ASSERT_TRUE(input);
    EXPECT_EQ(input->node, "gpu1");
    server_->send({input->link, NodeId(0), {.boot_id = "boot", .body = Welcome{}}});
    EXPECT_TRUE(events_.wait_for<OrderCame>());
}

TEST_F(LinkTlsTest, ANodeCannotSpeakForAnother) {
    const auto agent = client(node(authority_, "gpu2"), "gpu1");
    EXPECT_TRUE(logs("this is node 'gpu2' by its certificate, and not 'gpu1'"));
    EXPECT_FALSE(inbox_.wait_for<AgentInput>(100ms));
}

TEST_F(LinkTlsTest, ACertificateOfAnotherClusterIsRefused) {
    LinkCertificates own = node(*Authority::make("other", now()), "gpu1");
    own.authority = authority_.certificate();
    const auto agent = client(own, "gpu1");
    EXPECT_TRUE(logs("it does not take ours"));
    EXPECT_FALSE(inbox_.wait_for<AgentInput>(100ms));
}

TEST_F(LinkTlsTest, AnAgentLinksToNoControllerOfAnotherCluster) {
    LinkCertificates own = node(authority_, "gpu1");
    own.authority = Authority::make("other", now())->certificate();
    const auto agent = client(own, "gpu1");
    EXPECT_TRUE(logs("not with a certificate of this cluster"));
    EXPECT_FALSE(events_.wait_for<LinkUp>(100ms));
}

TEST_F(LinkTlsTest, TheControllersOwnCertificateIsNoNodes) {
    const KeyPair pair = *authority_.certify_controller({}, now());
    const auto agent = client({authority_.certificate(), pair.certificate, pair.key}, "gpu1");
    EXPECT_TRUE(logs("it does not take ours"));
    EXPECT_FALSE(inbox_.wait_for<AgentInput>(100ms));
}

TEST_F(LinkTlsTest, ANodeRenewsItsOwnCertificateAndNoOther) {
    const LinkCertificates own = node(authority_, "gpu1");
    const std::string key = *make_key();
    const auto made = renew_certificate(at_, own, *make_request(key, "gpu2"));
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_EQ(read_certificate(*made)->name, "gpu1");
    const auto agent = client({authority_.certificate(), *made, key}, "gpu1");
    EXPECT_TRUE(events_.wait_for<LinkUp>());
    LinkCertificates other = node(*Authority::make("other", now()), "gpu1");
    other.authority = authority_.certificate();
    EXPECT_FALSE(renew_certificate(at_, other, *make_request(key, "gpu1")).ok());
    EXPECT_FALSE(renew_certificate(at_, own, "no request").ok());
}

TEST_F(LinkTlsTest, ARevokedCertificateLosesItsLinkAtOnceAndGetsNone) {
    const LinkCertificates own = node(authority_, "gpu1"), other = node(authority_, "gpu2");
    const auto agent = client(own, "gpu1"), beside = client(other, "gpu2");
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(events_.wait_for<LinkUp>());
    {
        const std::lock_guard lock(log_.mutex);
        revoked_ = own.certificate;
    }
    server_->cut_node("gpu1");
    EXPECT_TRUE(inbox_.wait_for<LinkLost>());
    EXPECT_TRUE(logs("link of node 'gpu1' cut: it is revoked"));
    const std::string key = *make_key();
    EXPECT_FALSE(renew_certificate(at_, own, *make_request(key, "gpu1")).ok());
    EXPECT_TRUE(renew_certificate(at_, other, *make_request(key, "gpu2")).ok());
    // The revocation does not concern a new certificate of the same node.
    const auto again = client(node(authority_, "gpu1"), "gpu1");
    EXPECT_TRUE(events_.wait_for<LinkUp>());
}

TEST_F(LinkTlsTest, AnAgentNeedsACertificateForTcp) {
    const auto started =
        AgentClient::start({.address = "head:6817"}, log_, [](const AgentEvent&) {});
    ASSERT_FALSE(started.ok());
    EXPECT_NE(started.error().message.find("berth-agent join"), std::string::npos);
}

TEST_F(LinkTlsTest, AnAddressThatIsTakenIsNamed) {
    const auto second = AgentServer::start(
        {.address = "unix:/tmp/berth-tls2-" + std::to_string(getpid()) + ".sock",
         .tls = TlsListening{at_, node(authority_, "x")}},
        log_, [](const Input&) {},
        [](const LaunchAttempt&) -> Result<JobPayload> { return JobPayload{}; });
    ASSERT_FALSE(second.ok());
    EXPECT_NE(second.error().message.find(to_string(at_)), std::string::npos);
}

// Whether plain OpenSSL completes a handshake with `newest` as its highest version.
bool handshakes(const TcpAddress& at, const LinkCertificates& own, int newest) {
    const openssl::Owned<SSL_CTX, SSL_CTX_free> context(SSL_CTX_new(TLS_client_method()));
    const auto key = openssl::read_key(own.key);
    const auto certificate = openssl::read_certificate(own.certificate);
    SSL_CTX_use_PrivateKey(context.get(), key->get());
    SSL_CTX_use_certificate(context.get(), certificate->get());
    SSL_CTX_set_max_proto_version(context.get(), newest);
    const unsigned char protocols[] = "\x02h2";
    SSL_CTX_set_alpn_protos(context.get(), protocols, 3);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(at.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    bool done = false;
    {
        const openssl::Owned<SSL, SSL_free> ssl(SSL_new(context.get()));
        SSL_set_fd(ssl.get(), fd);
        done = SSL_connect(ssl.get()) == 1;
    }
    ERR_clear_error();
    close(fd);
    return done;
}

TEST_F(LinkTlsTest, SpeaksTls13AndNothingOlder) {
    const LinkCertificates own = node(authority_, "gpu1");
    EXPECT_TRUE(handshakes(at_, own, TLS1_3_VERSION));
    EXPECT_FALSE(handshakes(at_, own, TLS1_2_VERSION));
}

TEST(LinkAddress, IsAPathOrAHostWithAPort) {
    const std::vector<std::pair<std::string, LinkAddress>> right = {
        {"unix:/run/x", UnixAddress{"/run/x"}},
        {"head", TcpAddress{"head", 6817}},
        {"head:7000", TcpAddress{"head", 7000}},
        {"10.0.0.1:7000", TcpAddress{"10.0.0.1", 7000}},
        {"[fd00::1]:7000", TcpAddress{"fd00::1", 7000}},
        {"[fd00::1]", TcpAddress{"fd00::1", 6817}}};
    for (const auto& [text, address] : right) {
        const auto read = parse_link_address(text);
        ASSERT_TRUE(read.ok()) << read.error().message;
        EXPECT_EQ(*read, address) << text;
    }
    for (const std::string text : {"", ":7000", "head:", "head:0", "head:65536", "head:x", "[::1",
                                   "https://head", "unix:x", "/run/x", "[::1]7000"})
        EXPECT_FALSE(parse_link_address(text).ok()) << text;
    EXPECT_EQ(to_string(TcpAddress{"fd00::1", 1}), "[fd00::1]:1");
}

}  // namespace
}  // namespace berth
