#include "berth/client/timed_socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <cerrno>
#include <cstring>

namespace berth {
namespace {

using Failure = TimedSocket::Failure;
using Refused = TimedSocket::Refused;

// Of another host that does not answer at all.
constexpr std::chrono::milliseconds kConnectMost{10'000};

Failure failure_of(int number) { return {number, boost::system::system_category()}; }

constexpr std::chrono::milliseconds kFullPause{50};

// A controller that accepts nobody has a full queue before it, in which there is no waiting for
// something to poll.
int connect_patiently(int fd, const sockaddr_un& address, const Patience& patience) {
    const auto until = std::chrono::steady_clock::now() + patience.timeout;
    for (;;) {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of sockets.
        if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
            return 0;
        if (errno != EAGAIN) return errno;
        if (std::chrono::steady_clock::now() >= until) return ETIMEDOUT;
        if (!sleep_unless(patience.stop_fd, kFullPause)) return ECANCELED;
    }
}

// A descriptor, or why there is none.
std::variant<int, Refused> connect_here(const std::string& path, const Patience& patience) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        return Refused{.why = "'" + path + "' should be a socket path of 1 to 107 bytes"};
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return Refused{.why = std::strerror(errno)};
    const int why = connect_patiently(fd, address, patience);
    if (why == 0) return fd;
    ::close(fd);
    return Refused{.not_permitted = why == EACCES || why == EPERM,
                   .number = why,
                   .why = "cannot connect to " + path + ": " + std::strerror(why)};
}

// 0, or the errno.
int finish_connecting(int fd, const Patience& patience) {
    pollfd waiting[2] = {{fd, POLLOUT, 0}, {patience.stop_fd, POLLIN, 0}};
    const auto most = std::min(patience.timeout, kConnectMost);
    if (::poll(waiting, 2, static_cast<int>(most.count())) <= 0) return ETIMEDOUT;
    if (waiting[1].revents != 0) return ECANCELED;
    int failed = 0;
    socklen_t size = sizeof failed;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size);
    return failed;
}

int connect_one(int fd, const addrinfo& to, const Patience& patience) {
    if (::connect(fd, to.ai_addr, to.ai_addrlen) == 0) return 0;
    return errno == EINPROGRESS ? finish_connecting(fd, patience) : errno;
}

std::variant<int, Refused> connect_there(const std::string& host, std::uint16_t port,
                                         const Patience& patience) {
    const std::string where = host + ":" + std::to_string(port);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int wrong = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (wrong != 0)
        return Refused{.why = "cannot find host " + host + ": " + ::gai_strerror(wrong)};
    int why = EHOSTUNREACH, fd = -1;
    for (const addrinfo* one = found; one != nullptr && why != 0 && why != ECANCELED;
         one = one->ai_next) {
        fd = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0) continue;
        why = connect_one(fd, *one, patience);
        if (why != 0) ::close(fd);
    }
    ::freeaddrinfo(found);
    if (why != 0) {
        return Refused{.number = why,
                       .why = "cannot connect to " + where + ": " + std::strerror(why)};
    }
    const int yes = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return fd;
}

}  // namespace

TimedSocket::TimedSocket(int fd, const Endpoint& endpoint, const Patience& patience)
    : fd_(fd), patience_(patience) {
    whom_ = "the controller at " + (endpoint.host.empty()
                                        ? endpoint.socket
                                        : endpoint.host + ":" + std::to_string(endpoint.port));
}

std::variant<std::unique_ptr<TimedSocket>, Refused> TimedSocket::connect(const Endpoint& endpoint,
                                                                         const Patience& patience) {
    auto connected = endpoint.host.empty() ? connect_here(endpoint.socket, patience)
                                           : connect_there(endpoint.host, endpoint.port, patience);
    if (auto* const refused = std::get_if<Refused>(&connected)) return std::move(*refused);
    const int fd = std::get<int>(connected);
    if (!endpoint.host.empty() && endpoint.authority.empty() && endpoint.fingerprint.empty()) {
        ::close(fd);
        return Refused{.not_permitted = true,
                       .why = std::string("the cluster's certificate is missing: ") +
                              kAuthorityFile +
                              " or the file that BERTH_CA names should contain it"};
    }
    std::unique_ptr<TimedSocket> made(new TimedSocket(fd, endpoint, patience));
    if (endpoint.host.empty()) return made;
    const auto most = std::min(patience.timeout, kConnectMost);
    auto tls = endpoint.fingerprint.empty()
                   ? TlsStream::to_controller(fd, endpoint.authority, most)
                   : TlsStream::to_fingerprint(fd, endpoint.fingerprint, most);
    if (!tls.ok()) {
        return Refused{.not_permitted = tls.error().code == ErrorCode::permission_denied,
                       .why = endpoint.host + ":" + std::to_string(endpoint.port) + ": " +
                              tls.error().message};
    }
    made->tls_ = *std::move(tls);
    return made;
}

TimedSocket::~TimedSocket() {
    tls_.reset();
    ::close(fd_);
}

// Until the timeout, or for less where the silence is still to be told of.
bool TimedSocket::wait(short event, Failure& failure) {
    using std::chrono::milliseconds;
    using std::chrono::steady_clock;
    const auto begun = steady_clock::now();
    for (;;) {
        const auto waited = std::chrono::floor<milliseconds>(steady_clock::now() - begun);
        const bool may_tell =
            !told_ && silence_notice() != nullptr && patience_.timeout > kSilentAfter;
        if (may_tell && waited >= kSilentAfter) {
            told_ = true;
            silence_notice()(whom_, patience_.timeout);
            continue;
        }
        const auto most = (may_tell ? kSilentAfter : patience_.timeout) - waited;
        pollfd both[2] = {{fd_, event, 0}, {patience_.stop_fd, POLLIN, 0}};
        const int ready =
            ::poll(both, 2, static_cast<int>(std::max<std::int64_t>(0, most.count())));
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0 && may_tell) continue;
        if (ready > 0 && both[0].revents != 0) return failure = Failure(), true;
        failure = failure_of(ready == 0 ? ETIMEDOUT : ready > 0 ? ECANCELED : errno);
        return false;
    }
}

std::size_t TimedSocket::read(char* to, std::size_t size, Failure& failure) {
    for (;;) {
        if (!(tls_ && tls_->has_more()) && !wait(POLLIN, failure)) return 0;
        const ssize_t n = tls_ ? tls_->read(to, size) : ::recv(fd_, to, size, 0);
        if (n > 0) return static_cast<std::size_t>(n);
        if (n == 0) failure = boost::asio::error::eof;
        if (n < 0 && errno == EAGAIN) continue;  // Not yet a whole record.
        if (n < 0) failure = failure_of(errno);
        return 0;
    }
}

std::size_t TimedSocket::write(const char* from, std::size_t size, Failure& failure) {
    for (;;) {
        if (!wait(POLLOUT, failure)) return 0;
        const ssize_t n = tls_ ? tls_->write(from, size) : ::send(fd_, from, size, MSG_NOSIGNAL);
        if (n > 0) return static_cast<std::size_t>(n);
        if (n < 0 && errno == EAGAIN) continue;
        if (n < 0) failure = failure_of(errno);
        return 0;
    }
}

bool TimedSocket::is_quiet() const {
    char byte = 0;
    if (tls_ && tls_->has_more()) return false;
    return ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

std::string TimedSocket::own_address() const {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of sockets.
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    char host[NI_MAXHOST];
    if (::getsockname(fd_, general, &size) != 0 || address.ss_family == AF_UNIX ||
        ::getnameinfo(general, size, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0)
        return {};
    return host;
}

}  // namespace berth
