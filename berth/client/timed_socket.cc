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

Failure system_error(int number) { return {number, boost::system::system_category()}; }

// A descriptor, or why there is none.
std::variant<int, Refused> connect_here(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        return Refused{false,
                       "'" + path + "' is no path for a socket: 1 to 107 bytes would be right"};
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return Refused{false, std::strerror(errno)};
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of sockets.
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
    const int why = errno;
    ::close(fd);
    return Refused{why == EACCES || why == EPERM,
                   "cannot connect to " + path + ": " + std::strerror(why)};
}

// 0, or the errno.
int finish_connecting(int fd, std::chrono::milliseconds most) {
    pollfd waiting{fd, POLLOUT, 0};
    if (::poll(&waiting, 1, static_cast<int>(most.count())) <= 0) return ETIMEDOUT;
    int failed = 0;
    socklen_t size = sizeof failed;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size);
    return failed;
}

int connect_one(int fd, const addrinfo& to, std::chrono::milliseconds most) {
    if (::connect(fd, to.ai_addr, to.ai_addrlen) == 0) return 0;
    return errno == EINPROGRESS ? finish_connecting(fd, most) : errno;
}

std::variant<int, Refused> connect_there(const std::string& host, std::uint16_t port,
                                         std::chrono::milliseconds most) {
    const std::string where = host + ":" + std::to_string(port);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int wrong = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (wrong != 0)
        return Refused{false, "cannot find host " + host + ": " + ::gai_strerror(wrong)};
    int why = EHOSTUNREACH, fd = -1;
    for (const addrinfo* one = found; one != nullptr && why != 0; one = one->ai_next) {
        fd = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0) continue;
        why = connect_one(fd, *one, std::min(most, kConnectMost));
        if (why != 0) ::close(fd);
    }
    ::freeaddrinfo(found);
    if (why != 0) return Refused{false, "cannot connect to " + where + ": " + std::strerror(why)};
    const int yes = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return fd;
}

}  // namespace

std::variant<std::unique_ptr<TimedSocket>, Refused> TimedSocket::connect(
    const Endpoint& endpoint, std::chrono::milliseconds timeout) {
    auto connected = endpoint.host.empty() ? connect_here(endpoint.socket)
                                           : connect_there(endpoint.host, endpoint.port, timeout);
    if (auto* const refused = std::get_if<Refused>(&connected)) return std::move(*refused);
    const int fd = std::get<int>(connected);
    if (!endpoint.host.empty() && endpoint.authority.empty() && endpoint.fingerprint.empty()) {
        ::close(fd);
        return Refused{true, std::string("the cluster's certificate is missing: ") +
                                 kAuthorityFile +
                                 " or the file that BERTH_CA names should hold it"};
    }
    std::unique_ptr<TimedSocket> made(new TimedSocket(fd, timeout));
    if (endpoint.host.empty()) return made;
    const auto most = std::min(timeout, kConnectMost);
    auto tls = endpoint.fingerprint.empty()
                   ? TlsStream::to_controller(fd, endpoint.authority, most)
                   : TlsStream::to_fingerprint(fd, endpoint.fingerprint, most);
    if (!tls.ok()) {
        return Refused{
            tls.error().code == ErrorCode::permission_denied,
            endpoint.host + ":" + std::to_string(endpoint.port) + ": " + tls.error().message};
    }
    made->tls_ = *std::move(tls);
    return made;
}

TimedSocket::~TimedSocket() {
    tls_.reset();
    ::close(fd_);
}

bool TimedSocket::wait(short event, Failure& failure) const {
    pollfd one{fd_, event, 0};
    int ready = 0;
    do {
        ready = ::poll(&one, 1, static_cast<int>(timeout_.count()));
    } while (ready < 0 && errno == EINTR);
    failure = ready > 0 ? Failure() : system_error(ready == 0 ? ETIMEDOUT : errno);
    return ready > 0;
}

std::size_t TimedSocket::read(char* to, std::size_t size, Failure& failure) {
    for (;;) {
        if (!(tls_ && tls_->has_more()) && !wait(POLLIN, failure)) return 0;
        const ssize_t n = tls_ ? tls_->read(to, size) : ::recv(fd_, to, size, 0);
        if (n > 0) return static_cast<std::size_t>(n);
        if (n == 0) failure = boost::asio::error::eof;
        if (n < 0 && errno == EAGAIN) continue;  // Not yet a whole record.
        if (n < 0) failure = system_error(errno);
        return 0;
    }
}

std::size_t TimedSocket::write(const char* from, std::size_t size, Failure& failure) {
    for (;;) {
        if (!wait(POLLOUT, failure)) return 0;
        const ssize_t n = tls_ ? tls_->write(from, size) : ::send(fd_, from, size, MSG_NOSIGNAL);
        if (n > 0) return static_cast<std::size_t>(n);
        if (n < 0 && errno == EAGAIN) continue;
        if (n < 0) failure = system_error(errno);
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
