#include "apps/berth_agent/node_keys.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "apps/daemon/wall_clock.h"
#include "berth/trust/certificates.h"
#include "berth/wire/agent_server.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

std::uint16_t free_port() {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size), 0);
    close(fd);
    return ntohs(at.sin_port);
}

class NodeKeysTest : public ::testing::Test {
protected:
    NodeKeysTest() {
        char name[] = "/tmp/berth-keys-XXXXXX";
        folder_ = mkdtemp(name);
    }
    ~NodeKeysTest() override { std::filesystem::remove_all(folder_); }

    LinkCertificates joined(const std::string& node) {
        const std::string key = *make_key();
        return {authority_.certificate(),
                *authority_.certify_node(*make_request(key, node), node, now_), key};
    }

    const Time now_ = SystemClock().now();
    std::string folder_;
    Authority authority_ = *Authority::make("lab", now_);
    SilentLog log_;
};

TEST_F(NodeKeysTest, AreReadAsTheyWereWrittenAndAreNobodyElses) {
    const NodeKeys keys(folder_);
    EXPECT_EQ(keys.read().error().code, ErrorCode::not_found);
    EXPECT_NE(keys.read().error().message.find("berth-agent join"), std::string::npos);
    const LinkCertificates own = joined("gpu1");
    ASSERT_TRUE(keys.write(own).ok());
    const auto read = keys.read();
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->certificate, own.certificate);
    EXPECT_EQ(read->key, own.key);
    EXPECT_EQ(read->authority, own.authority);
    struct stat file{};
    ASSERT_EQ(stat((folder_ + "/tls/node.pem").c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777, 0600u);
    chmod((folder_ + "/tls/node.pem").c_str(), 0644);
    EXPECT_EQ(keys.read().error().code, ErrorCode::permission_denied);
}

TEST_F(NodeKeysTest, AreRenewedInTheLastThirdOfTheirLife) {
    const KeyPair pair = *authority_.certify_controller({}, now_);
    const TcpAddress at{"127.0.0.1", free_port()};
    Time controllers_now = now_;
    const auto server = AgentServer::start(
        {.address = "unix:" + folder_ + "/sock",
         .tls = TlsListening{at,
                             {authority_.certificate(), pair.certificate, pair.key},
                             [&](const std::string& request, const std::string& node) {
                                 return authority_.certify_node(request, node, controllers_now);
                             }}},
        log_, [](const Input&) {},
        [](const LaunchAttempt&) -> Result<JobPayload> { return JobPayload{}; });
    ASSERT_TRUE(server.ok()) << server.error().message;
    const NodeKeys keys(folder_);
    const LinkCertificates first = joined("gpu1");
    ASSERT_TRUE(keys.write(first).ok());
    ASSERT_TRUE(keys.renew_if_due(at, now_ + 59 * 24h, log_).ok());
    EXPECT_EQ(keys.read()->certificate, first.certificate) << "it is too early";
    controllers_now = now_ + 61 * 24h;
    const Status renewed = keys.renew_if_due(at, controllers_now, log_);
    ASSERT_TRUE(renewed.ok()) << renewed.error().message;
    const auto second = keys.read();
    EXPECT_NE(second->certificate, first.certificate);
    EXPECT_NE(second->key, first.key);
    const auto facts = read_certificate(second->certificate);
    EXPECT_EQ(facts->name, "gpu1");
    EXPECT_GE(facts->not_after, controllers_now + kNodeCertificateLife - 1s);
}

TEST_F(NodeKeysTest, StayAsTheyAreWhereTheControllerIsNotThere) {
    const NodeKeys keys(folder_);
    const LinkCertificates own = joined("gpu1");
    ASSERT_TRUE(keys.write(own).ok());
    EXPECT_FALSE(keys.renew_if_due({"127.0.0.1", free_port()}, now_ + 80 * 24h, log_).ok());
    EXPECT_EQ(keys.read()->certificate, own.certificate);
}

}  // namespace
}  // namespace berth
