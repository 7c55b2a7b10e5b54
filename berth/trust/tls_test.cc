#include "berth/trust/tls.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "berth/trust/here.h"
#include "berth/trust/openssl.h"
#include "berth/trust/trust_rig.h"
#include "berth/trust/wall_time.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

constexpr auto kMost = 5000ms;

void wait_for(int fd, short event) {
    pollfd one{fd, event, 0};
    poll(&one, 1, 5000);
}

std::string read_some(TlsStream& stream, int fd) {
    char bytes[65536];
    for (;;) {
        const ssize_t n = stream.read(bytes, sizeof bytes);
        if (n >= 0) return {bytes, static_cast<std::size_t>(n)};
        if (errno != EAGAIN) return "broken";
        wait_for(fd, POLLIN);
    }
}

void write_all(TlsStream& stream, int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = stream.write(bytes.data(), bytes.size());
        if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
        if (n < 0 && errno != EAGAIN) return;
        if (n < 0) wait_for(fd, POLLOUT);
    }
}

// The server's end, with plain OpenSSL: what it reads goes back.
void serve(int fd, const KeyPair& pair, const Authority& authority, int most_version = 0) {
    const auto context = make_server_context(pair, authority.certificate());
    ASSERT_TRUE(context.ok()) << context.error().message;
    const openssl::Owned<SSL_CTX, SSL_CTX_free> owner(*context);
    if (most_version != 0) {
        SSL_CTX_set_min_proto_version(*context, 0);
        SSL_CTX_set_max_proto_version(*context, most_version);
    }
    const openssl::Owned<SSL, SSL_free> ssl(SSL_new(*context));
    SSL_set_fd(ssl.get(), fd);
    if (SSL_accept(ssl.get()) != 1) return;
    char bytes[1000];
    const int n = SSL_read(ssl.get(), bytes, sizeof bytes);
    if (n > 0) SSL_write(ssl.get(), bytes, n);
}

struct Cluster {
    Authority authority = *Authority::make("lab", wall_time());
    KeyPair server = *authority.certify_controller({"head", "10.0.0.1", "no name"}, wall_time());
};

TEST(Tls, CarriesBytesToTheControllerOfItsAuthority) {
    const Cluster cluster;
    ConnectedEnds ends;
    ends.at_their_end([&](int fd) { serve(fd, cluster.server, cluster.authority); });
    auto stream = TlsStream::to_controller(ends.ours(), cluster.authority.certificate(),
                                           TlsStream::within(ends.ours(), kMost));
    ASSERT_TRUE(stream.ok()) << stream.error().message;
    write_all(*stream, ends.ours(), "hello");
    EXPECT_EQ(read_some(*stream, ends.ours()), "hello");
}

TEST(Tls, KnowsAnAuthorityByItsFingerprintAndKeepsIt) {
    const Cluster cluster;
    ConnectedEnds ends;
    ends.at_their_end([&](int fd) { serve(fd, cluster.server, cluster.authority); });
    auto stream = TlsStream::to_fingerprint(ends.ours(), cluster.authority.fingerprint(),
                                            TlsStream::within(ends.ours(), kMost));
    ASSERT_TRUE(stream.ok()) << stream.error().message;
    EXPECT_EQ(stream->authority(), cluster.authority.certificate());
}

TEST(Tls, RefusesTheControllerOfAnotherAuthority) {
    const Cluster cluster, other;
    for (const bool by_fingerprint : {false, true}) {
        ConnectedEnds ends;
        ends.at_their_end([&](int fd) { serve(fd, other.server, other.authority); });
        const auto stream =
            by_fingerprint ? TlsStream::to_fingerprint(ends.ours(), cluster.authority.fingerprint(),
                                                       TlsStream::within(ends.ours(), kMost))
                           : TlsStream::to_controller(ends.ours(), cluster.authority.certificate(),
                                                      TlsStream::within(ends.ours(), kMost));
        ASSERT_FALSE(stream.ok());
        EXPECT_EQ(stream.error().code, ErrorCode::permission_denied) << stream.error().message;
    }
}

// The right authority is sent along, but it has not signed what the server shows.
TEST(Tls, AFingerprintAloneProvesNothing) {
    const Cluster cluster, other;
    ConnectedEnds ends;
    ends.at_their_end([&](int fd) { serve(fd, other.server, cluster.authority); });
    EXPECT_FALSE(TlsStream::to_fingerprint(ends.ours(), cluster.authority.fingerprint(),
                                           TlsStream::within(ends.ours(), kMost))
                     .ok());
}

TEST(Tls, ANodeCannotPassForTheController) {
    const Cluster cluster;
    const std::string key = *make_key();
    const KeyPair node{
        key, *cluster.authority.certify_node(*make_request(key, "gpu1"), "gpu1", wall_time())};
    ConnectedEnds ends;
    ends.at_their_end([&](int fd) { serve(fd, node, cluster.authority); });
    EXPECT_FALSE(TlsStream::to_controller(ends.ours(), cluster.authority.certificate(),
                                          TlsStream::within(ends.ours(), kMost))
                     .ok());
}

TEST(Tls, SpeaksNothingOlderThanTls13) {
    const Cluster cluster;
    ConnectedEnds ends;
    ends.at_their_end(
        [&](int fd) { serve(fd, cluster.server, cluster.authority, TLS1_2_VERSION); });
    EXPECT_FALSE(TlsStream::to_controller(ends.ours(), cluster.authority.certificate(),
                                          TlsStream::within(ends.ours(), kMost))
                     .ok());
}

TEST(Tls, WaitsNoLongerThanItIsTold) {
    const Cluster cluster;
    ConnectedEnds ends;  // Nobody answers.
    const auto stream = TlsStream::to_controller(ends.ours(), cluster.authority.certificate(),
                                                 TlsStream::within(ends.ours(), 50ms));
    ASSERT_FALSE(stream.ok());
    EXPECT_EQ(stream.error().message, "TLS did not begin in time");
}

TEST(Tls, ASharedSecretIsEnoughBothWays) {
    ConnectedEnds ends;
    const std::string much(300'000, 'x');
    ends.at_their_end([&](int fd) {
        auto stream = TlsStream::accept_by_secret(fd, "0123456789abcdef0123456789abcdef", kMost);
        ASSERT_TRUE(stream.ok()) << stream.error().message;
        std::string got;
        while (got.size() < much.size()) got += read_some(*stream, fd);
        EXPECT_EQ(got, much);
        write_all(*stream, fd, "thanks");
        read_some(*stream, fd);  // Until it goes.
    });
    auto stream = TlsStream::by_secret(ends.ours(), "0123456789abcdef0123456789abcdef", kMost);
    ASSERT_TRUE(stream.ok()) << stream.error().message;
    write_all(*stream, ends.ours(), much);
    EXPECT_EQ(read_some(*stream, ends.ours()), "thanks");
}

TEST(Tls, AnEndMayComeToKnowTheOtherWhileItReads) {
    ConnectedEnds ends;
    ends.at_their_end([&](int fd) {
        TlsStream stream = TlsStream::accept_while_reading(fd, std::string(32, 'a'));
        EXPECT_EQ(read_some(stream, fd), "hello");
        write_all(stream, fd, "welcome");
        read_some(stream, fd);
    });
    auto stream = TlsStream::by_secret(ends.ours(), std::string(32, 'a'), kMost);
    ASSERT_TRUE(stream.ok()) << stream.error().message;
    write_all(*stream, ends.ours(), "hello");
    EXPECT_EQ(read_some(*stream, ends.ours()), "welcome");
}

TEST(Tls, OnlyTheLoopbackInterfaceIsHere) {
    ConnectedEnds ends;
    EXPECT_TRUE(is_from_here(ends.ours()));
    EXPECT_FALSE(is_from_here(STDIN_FILENO));
}

TEST(Tls, AnotherSecretIsRefusedAtBothEnds) {
    ConnectedEnds ends;
    ends.at_their_end([&](int fd) {
        EXPECT_FALSE(TlsStream::accept_by_secret(fd, std::string(32, 'a'), kMost).ok());
    });
    EXPECT_FALSE(TlsStream::by_secret(ends.ours(), std::string(32, 'b'), kMost).ok());
}

}  // namespace
}  // namespace berth
