// Connections to another host that begin and come to nothing: the wait has an end, a signal ends it
// at once, and it is told of.
#include "berth/client/timed_socket.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "berth/trust/certificates.h"
#include "berth/trust/wall_time.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

// Connections to it are made by the kernel, and nobody reads them; when full, not even that.
class SilentHost {
public:
    SilentHost() {
        fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        at_.sin_family = AF_INET;
        at_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at_;
        EXPECT_EQ(::bind(fd_, address(), size), 0);
        EXPECT_EQ(::listen(fd_, 0), 0);
        EXPECT_EQ(::getsockname(fd_, address(), &size), 0);
    }
    ~SilentHost() {
        for (const int one : waiting_) ::close(one);
        ::close(fd_);
    }
    SilentHost(const SilentHost&) = delete;
    SilentHost& operator=(const SilentHost&) = delete;

    std::uint16_t port() const { return ntohs(at_.sin_port); }
    void fill() {
        for (bool full = false; !full;) {
            const int one = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
            waiting_.push_back(one);
            EXPECT_TRUE(::connect(one, address(), sizeof at_) == 0 || errno == EINPROGRESS);
            pollfd made{one, POLLOUT, 0};
            full = ::poll(&made, 1, 100) == 0;
        }
    }

private:
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of sockets.
    sockaddr* address() { return reinterpret_cast<sockaddr*>(&at_); }

    int fd_ = -1;
    sockaddr_in at_{};
    std::vector<int> waiting_;
};

// To a host whose certificate is never seen.
class Connecting : public ::testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(::pipe(stop_), 0);
        set_silence_notice([this](const std::string& whom, std::chrono::milliseconds most) {
            said_.push_back(whom + " " + std::to_string(most.count()));
        });
    }
    void TearDown() override {
        set_silence_notice(nullptr);
        ::close(stop_[0]), ::close(stop_[1]);
    }
    void stop() { EXPECT_EQ(::write(stop_[1], "x", 1), 1); }
    TimedSocket::Refused refused(std::chrono::milliseconds timeout) {
        const auto made =
            TimedSocket::connect({.host = "127.0.0.1",
                                  .port = host_.port(),
                                  .authority = Authority::make("lab", wall_time())->certificate()},
                                 {.timeout = timeout, .stop_fd = stop_[0]});
        const auto* const why = std::get_if<TimedSocket::Refused>(&made);
        EXPECT_NE(why, nullptr);
        return why == nullptr ? TimedSocket::Refused() : *why;
    }
    std::string whom() const {
        return "the controller at 127.0.0.1:" + std::to_string(host_.port());
    }

    SilentHost host_;
    int stop_[2] = {-1, -1};
    std::vector<std::string> said_;
};

TEST_F(Connecting, ASignalEndsTheWaitForTls) {
    stop();
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(refused(20'000ms).number, ECANCELED);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
}

TEST_F(Connecting, ASignalEndsTheWaitForAConnection) {
    host_.fill();
    stop();
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(refused(20'000ms).number, ECANCELED);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
}

TEST_F(Connecting, SaysForWhomItWaitsToBeginTls) {
    const TimedSocket::Refused why = refused(3'300ms);
    EXPECT_EQ(why.number, ETIMEDOUT);
    EXPECT_EQ(why.why, whom() + " did not answer within 3300 ms");
    EXPECT_EQ(said_, std::vector{whom() + " 3300"});
}

TEST_F(Connecting, SaysForWhomItWaitsToBeConnected) {
    host_.fill();
    const TimedSocket::Refused why = refused(3'300ms);
    EXPECT_EQ(why.number, ETIMEDOUT);
    EXPECT_EQ(why.why, whom() + " did not answer within 3300 ms");
    EXPECT_EQ(said_, std::vector{whom() + " 3300"});
}

}  // namespace
}  // namespace berth
