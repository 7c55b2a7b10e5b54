#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>

#include "berth/server/auth/audit_log.h"
#include "berth/server/http/server_rig.h"
#include "berth/trust/certificates.h"
#include "berth/trust/tls.h"
#include "berth/trust/wall_time.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
}

std::uint16_t free_port() {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at = loopback(0);
    socklen_t size = sizeof at;
    EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size), 0);
    close(fd);
    return ntohs(at.sin_port);
}

class HttpTlsTest : public ServerRig {
protected:
    HttpTlsTest() : port_(free_port()) {
        options.tls_address = "127.0.0.1:" + std::to_string(port_);
        options.identity.started_at = wall_time();
        options.registrar =
            std::make_shared<Registrar>(*Authority::make("lab", wall_time()), keys_, "lab");
        options.handshake_timeout = 300ms;
    }
    int connect_tcp() const {
        const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const sockaddr_in at = loopback(port_);
        EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
        return fd;
    }
    // One request over TLS, with this header; what came back until the server closed.
    std::string ask(const std::string& method, const std::string& target, const std::string& header,
                    const std::string& body = {}) {
        const int fd = connect_tcp();
        std::string text;
        {
            auto tls = TlsStream::to_controller(fd, options.registrar->authority().certificate(),
                                                TlsStream::within(fd, 5000ms));
            EXPECT_TRUE(tls.ok()) << tls.error().message;
            if (!tls.ok()) return "";
            const std::string request =
                method + " " + target + " HTTP/1.1\r\nHost: x\r\n" + header +
                "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                body;
            for (std::size_t at = 0; at < request.size();) {
                const ssize_t n = tls->write(request.data() + at, request.size() - at);
                if (n > 0) at += static_cast<std::size_t>(n);
                if (n < 0 && errno != EAGAIN) break;
            }
            char part[4096];
            for (int tries = 0; tries < 500;) {
                const ssize_t n = tls->read(part, sizeof part);
                if (n > 0) text.append(part, static_cast<std::size_t>(n));
                if (n == 0 || (n < 0 && errno != EAGAIN)) break;
                if (n > 0) continue;
                pollfd one{fd, POLLIN, 0};
                poll(&one, 1, 10);
                ++tries;
            }
        }
        close(fd);
        return text;
    }
    std::string bearer(const std::string& user, std::uint32_t uid, Duration life = 1h) {
        return "Authorization: Bearer " + token(user, uid, life) + "\r\n";
    }
    std::string token(const std::string& user, std::uint32_t uid, Duration life = 1h,
                      const std::string& audience = "lab") {
        return write_user_token({.user = user,
                                 .uid = uid,
                                 .audience = audience,
                                 .issued_at = wall_time(),
                                 .expires_at = wall_time() + life,
                                 .id = "t"},
                                keys_);
    }

    const std::uint16_t port_;
    SigningKeys keys_ = *SigningKeys::of(*make_signing_key());
};

bool is(const std::string& answer, const std::string& status) {
    return answer.starts_with("HTTP/1.1 " + status);
}

TEST_F(HttpTlsTest, ServesWhoeverHasATokenAsItsUser) {
    start();
    EXPECT_TRUE(is(ask("GET", "/v1/ping", bearer("root", 0)), "200"));
    EXPECT_TRUE(
        is(ask("GET", "/v1/ping", "X-SLURM-USER-TOKEN: " + token("root", 0) + "\r\n"), "200"));
    EXPECT_TRUE(is(ask("POST", "/v1/jobs/7/cancel", bearer("nobody", 65534), "{}"), "200"));
    EXPECT_EQ(controller.last().principal.uid, 65534u) << "the token's, not ours";
    EXPECT_EQ(controller.last().principal.role, Role::user);
}

TEST_F(HttpTlsTest, RefusesWhoHasNoneOrAWrongOne) {
    start();
    std::string tampered = token("root", 0);
    tampered[tampered.size() / 2] ^= 1;
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"", "there is no token"},
        {"Authorization: Bearer " + tampered + "\r\n", "token"},
        {"Authorization: Bearer " + token("root", 0, -1h) + "\r\n", "expired"},
        {"Authorization: Bearer " + token("root", 0, 1h, "other") + "\r\n", "for cluster"},
        {"Authorization: Bearer " + token("root", 5) + "\r\n", "no longer the one"},
        {"Authorization: Basic cm9vdDo=\r\n", "there is no token"}};
    for (const auto& [header, why] : cases) {
        const std::string answer = ask("GET", "/v1/jobs", header);
        EXPECT_TRUE(is(answer, "401")) << answer;
        EXPECT_NE(answer.find(why), std::string::npos) << answer;
    }
    EXPECT_TRUE(is(ask("GET", "/healthz", ""), "200")) << "that much is for everybody";
}

// Slurm's REST clients send the user's name beside the token.
TEST_F(HttpTlsTest, TheNameBesideATokenMustBeItsUsers) {
    start();
    const std::string slurms = "X-SLURM-USER-TOKEN: " + token("root", 0) + "\r\n";
    const char* const target = "/slurm/v0.0.44/ping/";
    EXPECT_TRUE(is(ask("GET", target, slurms), "200"));
    EXPECT_TRUE(is(ask("GET", target, slurms + "X-SLURM-USER-NAME: root\r\n"), "200"));
    EXPECT_TRUE(is(ask("GET", target, bearer("root", 0)), "200"));
    const std::string other = ask("GET", target, slurms + "X-SLURM-USER-NAME: nobody\r\n");
    EXPECT_TRUE(is(other, "401")) << other;
    EXPECT_NE(other.find("X-SLURM-USER-NAME names nobody, and the request is root's"),
              std::string::npos)
        << other;
    const std::string none = ask("GET", target, "");
    EXPECT_TRUE(is(none, "401")) << none;
    EXPECT_NE(none.find(R"("error_number":9008)"), std::string::npos) << none;
    EXPECT_NE(none.find("Content-Type: application/json\r\n"), std::string::npos) << none;
}

// Who sends a user's token means that user: without TLS it would be whoever runs the program.
TEST_F(HttpTlsTest, ATokenOverTheUnixSocketIsNotPassedOver) {
    start();
    RawClient client(options.socket);
    ASSERT_TRUE(
        client.send("GET /slurm/v0.0.44/ping HTTP/1.1\r\nHost: x\r\n"
                    "X-SLURM-USER-TOKEN: abc\r\n\r\n"));
    const Heard heard = client.read();
    EXPECT_EQ(heard.status, 401);
    EXPECT_NE(heard.body.find("tokens are read over TLS alone"), std::string::npos) << heard.body;
    EXPECT_EQ(call("GET", "/slurm/v0.0.44/ping").status, 200);
}

// What the server itself refuses is told in the shape of the path, too.
TEST_F(HttpTlsTest, SlurmrestdsClientsAreToldInTheirShape) {
    start();
    const std::string long_one =
        ask("POST", "/slurm/v0.0.44/job/submit", "", std::string(70'000, ' '));
    EXPECT_TRUE(is(long_one, "413")) << long_one;
    EXPECT_NE(long_one.find(R"("error_number":9205)"), std::string::npos) << long_one;
    const std::string job =
        ask("POST", "/slurm/v0.0.44/job/submit", bearer("nobody", 65534),
            R"({"script":"x","job":{"environment":["A=b"],"current_working_directory":"/"}})");
    EXPECT_TRUE(is(job, "200")) << job;
    EXPECT_EQ(std::get<SubmitJob>(controller.last().command).payload.script, "x");
    EXPECT_EQ(controller.last().principal.uid, 65534U);
}

TEST_F(HttpTlsTest, OfAStrangersCallsOnlyAJoinIsWrittenDown) {
    const std::string path = folder + "/audit.log";
    auto file = open_audit_file(path, log);
    ASSERT_TRUE(file.ok());
    options.audit = std::shared_ptr<AuditLog>(*std::move(file));
    start();
    EXPECT_TRUE(is(ask("POST", "/v1/jobs", "", "{}"), "401"));
    const std::string odd = ask(std::string(10'000, 'A'), "/v1/jobs", "", "{}");
    EXPECT_TRUE(is(odd, "405")) << odd;
    EXPECT_EQ(std::filesystem::file_size(path), 0U) << "it could fill the disk";
    const std::string joined = ask("POST", "/v1/join", "", "{}");
    EXPECT_TRUE(is(joined, "403")) << joined;
    EXPECT_GT(std::filesystem::file_size(path), 0U);
    std::filesystem::remove(path);
}

TEST_F(HttpTlsTest, AStrangerMaySendLittle) {
    start();
    EXPECT_TRUE(is(ask("POST", "/v1/join", "", std::string(70'000, ' ')), "413"));
}

TEST_F(HttpTlsTest, GivesOutNoTokenForAToken) {
    start();
    EXPECT_TRUE(is(ask("POST", "/v1/tokens", bearer("root", 0), "{}"), "403"));
    EXPECT_EQ(call("POST", "/v1/tokens", "{}").status, 201) << "but on this host";
}

TEST_F(HttpTlsTest, ANodeJoinsByItsTokenOnce) {
    start();
    const std::string node = read_model.current()->spec->nodes.front().name;
    const Heard made = call("POST", "/v1/join-tokens", R"({"nodes":[")" + node + R"("]})");
    ASSERT_EQ(made.status, 201) << made.body;
    const auto parsed = parse_join_token(made.text("token"));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed->fingerprint, options.registrar->authority().fingerprint());
    std::string request = *make_request(*make_key(), node);
    for (std::size_t at = 0; (at = request.find('\n', at)) != std::string::npos; at += 2)
        request.replace(at, 1, "\\n");
    const auto body = [&](const std::string& secret) {
        return R"({"secret":")" + secret + R"(","node":")" + node + R"(","request":")" + request +
               R"("})";
    };
    EXPECT_TRUE(is(ask("POST", "/v1/join", "", body("wrong")), "403"));
    const std::string joined = ask("POST", "/v1/join", "", body(parsed->secret));
    EXPECT_TRUE(is(joined, "201")) << joined;
    EXPECT_NE(joined.find("BEGIN CERTIFICATE"), std::string::npos);
    const std::string again = ask("POST", "/v1/join", "", body(parsed->secret));
    EXPECT_TRUE(is(again, "403")) << again;
    EXPECT_NE(again.find("joined with this token already"), std::string::npos);
}

TEST_F(HttpTlsTest, CutsWhoNeverBeginsTls) {
    start();
    const int silent = connect_tcp(), plain = connect_tcp();
    const std::string request = "GET /v1/ping HTTP/1.1\r\nHost: x\r\n\r\n";
    EXPECT_GT(send(plain, request.data(), request.size(), MSG_NOSIGNAL), 0);
    for (const int fd : {silent, plain}) {
        std::string heard;
        char part[256];
        for (;;) {
            pollfd one{fd, POLLIN, 0};
            ASSERT_GT(poll(&one, 1, 5000), 0) << "it is still open";
            const ssize_t n = recv(fd, part, sizeof part, 0);
            if (n <= 0) break;
            heard.append(part, static_cast<std::size_t>(n));
        }
        EXPECT_EQ(heard.find("HTTP"), std::string::npos) << "nothing is served in the clear";
        close(fd);
    }
}

TEST_F(HttpTlsTest, ManyWhoNeverBeginLeaveRoomForOneWhoDoes) {
    options.remote_connections = 8;
    start();
    std::vector<int> silent(40);
    for (int& fd : silent) fd = connect_tcp();
    std::this_thread::sleep_for(800ms);  // Their time is over.
    EXPECT_TRUE(is(ask("GET", "/v1/ping", bearer("root", 0)), "200"));
    EXPECT_EQ(call("GET", "/v1/ping").status, 200) << "and this host's own are not concerned";
    for (const int fd : silent) close(fd);
}

TEST_F(HttpTlsTest, ItsCertificateIsMadeAnewWhileItRuns) {
    options.identity.started_at = wall_time() - 24h * 400;  // So its first one has ended.
    options.registrar =
        std::make_shared<Registrar>(*Authority::make("lab", wall_time() - 24h * 400), keys_, "lab");
    options.certificate.new_every = 300ms;
    start();
    const auto shakes_hands = [this] {
        const int fd = connect_tcp();
        const bool ok = TlsStream::to_controller(fd, options.registrar->authority().certificate(),
                                                 TlsStream::within(fd, 5000ms))
                            .ok();
        close(fd);
        return ok;
    };
    EXPECT_FALSE(shakes_hands());
    bool renewed = false;
    for (int i = 0; i < 100 && !renewed; ++i) {
        std::this_thread::sleep_for(50ms);
        renewed = shakes_hands();
    }
    EXPECT_TRUE(renewed);
}

// Whether the server closes this connection before it has said anything.
bool is_sent_away(int fd) {
    pollfd one{fd, POLLIN, 0};
    char byte = 0;
    return poll(&one, 1, 100) > 0 && recv(fd, &byte, 1, 0) <= 0;
}

TEST_F(HttpTlsTest, AHostThatGoesOnWithoutATokenIsHeardLateAndThenNotAtAll) {
    options.unauthenticated_peers = {.at_once = 8, .each = 1s, .patience = 2500ms};
    options.handshake_timeout = 5000ms;
    start();
    for (int i = 0; i < 4; ++i)  // A connection and a request each.
        EXPECT_TRUE(is(ask("GET", "/v1/jobs", ""), "401"));
    std::vector<int> more;
    bool sent_away = false;
    for (int i = 0; i < 20 && !sent_away; ++i) {
        more.push_back(connect_tcp());
        sent_away = is_sent_away(more.back());
    }
    EXPECT_TRUE(sent_away);
    EXPECT_FALSE(is_sent_away(more.front())) << "the first of them has its turn";
    for (const int fd : more) close(fd);
    EXPECT_EQ(call("GET", "/v1/ping").status, 200) << "this host's own are not concerned";
    std::this_thread::sleep_for(2s);
    EXPECT_TRUE(is(ask("GET", "/v1/ping", bearer("root", 0)), "200")) << "later it is heard";
}

TEST_F(HttpTlsTest, WhoHasATokenMayComeAsOftenAsHeLikes) {
    options.unauthenticated_peers = {.at_once = 4, .each = 1h, .patience = 0ms};
    start();
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(is(ask("GET", "/v1/ping", bearer("root", 0)), "200"));
}

TEST_F(HttpTlsTest, WithoutARegistrarNobodyJoins) {
    options.tls_address.clear();
    options.registrar = nullptr;
    start();
    EXPECT_EQ(call("POST", "/v1/join-tokens", R"({"nodes":["n1"]})").status, 501);
    EXPECT_EQ(call("POST", "/v1/tokens", "{}").status, 501);
}

}  // namespace
}  // namespace berth
