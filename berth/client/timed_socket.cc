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

#include "berth/client/host_lookup.h"

namespace berth {
namespace {

using Failure = TimedSocket::Failure;
using Refused = TimedSocket::Refused;

// Of another host that does not answer at all.
constexpr std::chrono::milliseconds kConnectMost{10'000};

Failure failure_of(int number) { return {number, boost::system::system_category()}; }

constexpr std::chrono::milliseconds kFullPause{50};

std::string text_of(std::chrono::milliseconds time) {
    return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " s"
                                    : std::to_string(time.count()) + " ms";
}

}  // namespace

TimedSocket::TimedSocket(const Endpoint& endpoint, const Patience& patience) : patience_(patience) {
    whom_ = "the controller at " + (endpoint.host.empty()
                                        ? endpoint.socket
                                        : endpoint.host + ":" + std::to_string(endpoint.port));
}

std::string TimedSocket::unanswered() const {
    return whom_ + " did not answer within " + text_of(patience_.timeout);
}

Refused TimedSocket::refused(const std::string& where, int number) const {
    if (number == ETIMEDOUT) return {.number = number, .why = unanswered()};
    return {.number = number, .why = "cannot connect to " + where + ": " + std::strerror(number)};
}

// A controller that accepts nobody has a full queue before it, in which there is no waiting for
// something to poll.
int TimedSocket::connect_to(const sockaddr_un& address) {
    const auto begun = std::chrono::steady_clock::now();
    for (;;) {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of sockets.
        if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
            return 0;
        if (errno != EAGAIN) return errno;
        const auto waited = std::chrono::steady_clock::now() - begun;
        if (waited >= patience_.timeout) return ETIMEDOUT;
        if (waited >= kSilentAfter && tells()) tell();
        if (!sleep_unless(patience_.stop_fd, kFullPause)) return ECANCELED;
    }
}

std::optional<Refused> TimedSocket::connect_here(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        return Refused{.why = "'" + path + "' should be a socket path of 1 to 107 bytes"};
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd_ < 0) return Refused{.why = std::strerror(errno)};
    const int why = connect_to(address);
    if (why == 0) return std::nullopt;
    Refused here = refused(path, why);
    here.not_permitted = why == EACCES || why == EPERM;
    return here;
}

int TimedSocket::connect_to(const addrinfo& address) {
    if (::connect(fd_, address.ai_addr, address.ai_addrlen) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    Failure failure;
    if (!wait(fd_, POLLOUT, failure)) return failure.value();
    int failed = 0;
    socklen_t size = sizeof failed;
    ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &failed, &size);
    return failed;
}

std::optional<Refused> TimedSocket::connect_there(const Endpoint& endpoint) {
    const HostLookup lookup(endpoint.host, endpoint.port);
    const std::string lost = "cannot find host " + endpoint.host + ": ";
    Failure failure;
    if (!lookup.is_over() && !wait(lookup.fd(), POLLIN, failure)) {
        return Refused{
            .number = failure.value(),
            .why = lost + (failure.value() == ETIMEDOUT
                               ? "no answer from a name server within " + text_of(patience_.timeout)
                               : failure.message())};
    }
    if (lookup.error() != 0) return Refused{.why = lost + ::gai_strerror(lookup.error())};
    int why = EHOSTUNREACH;
    for (const addrinfo* one = lookup.addresses(); one != nullptr && why != 0 && why != ECANCELED;
         one = one->ai_next) {
        if (fd_ >= 0) ::close(fd_);
        fd_ = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        why = fd_ < 0 ? errno : connect_to(*one);
    }
    if (why != 0) return refused(endpoint.host + ":" + std::to_string(endpoint.port), why);
    const int yes = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return std::nullopt;
}

std::optional<Refused> TimedSocket::secure(const Endpoint& endpoint) {
    if (endpoint.authority.empty() && endpoint.fingerprint.empty()) {
        return Refused{.not_permitted = true,
                       .why = std::string("the cluster's certificate is missing: ") +
                              kAuthorityFile +
                              " or the file that BERTH_CA names should contain it"};
    }
    const auto until = std::chrono::steady_clock::now() + patience_.timeout;
    Failure failure;
    // The whole handshake has the time of one wait.
    const TlsStream::Wait waits = [&](short event) {
        if (std::chrono::steady_clock::now() < until) return wait(fd_, event, failure);
        failure = failure_of(ETIMEDOUT);
        return false;
    };
    auto tls = endpoint.fingerprint.empty()
                   ? TlsStream::to_controller(fd_, endpoint.authority, waits)
                   : TlsStream::to_fingerprint(fd_, endpoint.fingerprint, waits);
    const std::string where = endpoint.host + ":" + std::to_string(endpoint.port);
    if (failure) return refused(where, failure.value());
    if (!tls.ok()) {
        return Refused{.not_permitted = tls.error().code == ErrorCode::permission_denied,
                       .why = where + ": " + tls.error().message};
    }
    tls_ = *std::move(tls);
    return std::nullopt;
}

std::variant<std::unique_ptr<TimedSocket>, Refused> TimedSocket::connect(const Endpoint& endpoint,
                                                                         const Patience& patience) {
    std::unique_ptr<TimedSocket> made(new TimedSocket(endpoint, patience));
    std::optional<Refused> refused;
    if (endpoint.host.empty()) {
        refused = made->connect_here(endpoint.socket);
    } else {
        made->patience_.timeout = std::min(patience.timeout, kConnectMost);
        refused = made->connect_there(endpoint);
        if (!refused) refused = made->secure(endpoint);
        made->patience_ = patience;
    }
    if (refused) return *std::move(refused);
    return made;
}

TimedSocket::~TimedSocket() {
    tls_.reset();
    if (fd_ >= 0) ::close(fd_);
}

bool TimedSocket::tells() const {
    return !told_ && silence_notice() != nullptr && patience_.timeout > kSilentAfter;
}

void TimedSocket::tell() {
    told_ = true;
    silence_notice()(whom_, patience_.timeout);
}

// Until the timeout, or for less where the silence is still to be told of.
bool TimedSocket::wait(int fd, short event, Failure& failure) {
    using std::chrono::milliseconds;
    using std::chrono::steady_clock;
    const auto begun = steady_clock::now();
    for (;;) {
        const auto waited = std::chrono::floor<milliseconds>(steady_clock::now() - begun);
        const bool may_tell = tells();
        if (may_tell && waited >= kSilentAfter) {
            tell();
            continue;
        }
        const auto most = (may_tell ? kSilentAfter : patience_.timeout) - waited;
        pollfd both[2] = {{fd, event, 0}, {patience_.stop_fd, POLLIN, 0}};
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
        if (!(tls_ && tls_->has_more()) && !wait(fd_, POLLIN, failure)) return 0;
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
        if (!wait(fd_, POLLOUT, failure)) return 0;
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
