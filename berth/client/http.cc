#include "berth/client/http.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>

namespace berth {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::uint64_t kBodyMax = 64ULL << 20;  // Of an answer that is read as a whole.

error_code system_error(int number) { return {number, boost::system::system_category()}; }

// A connected socket in the shape that Beast reads and writes, where no call waits for longer than
// the timeout. Asio's own blocking calls cannot be given one.
class TimedSocket {
public:
    TimedSocket(int fd, std::chrono::milliseconds timeout) : fd_(fd), timeout_(timeout) {}
    ~TimedSocket() { ::close(fd_); }
    TimedSocket(const TimedSocket&) = delete;
    TimedSocket& operator=(const TimedSocket&) = delete;

    template <class Buffers>
    std::size_t read_some(const Buffers& buffers, error_code& ec) {
        asio::mutable_buffer to;
        for (auto at = asio::buffer_sequence_begin(buffers);
             at != asio::buffer_sequence_end(buffers) && to.size() == 0; ++at) {
            to = *at;
        }
        if (to.size() == 0) return 0;
        if (!wait(POLLIN, ec)) return 0;
        const ssize_t n = ::recv(fd_, to.data(), to.size(), 0);
        if (n < 0) ec = system_error(errno);
        if (n == 0) ec = asio::error::eof;
        return n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    template <class Buffers>
    std::size_t write_some(const Buffers& buffers, error_code& ec) {
        asio::const_buffer from;
        for (auto at = asio::buffer_sequence_begin(buffers);
             at != asio::buffer_sequence_end(buffers) && from.size() == 0; ++at) {
            from = *at;
        }
        if (from.size() == 0) return 0;
        if (!wait(POLLOUT, ec)) return 0;
        const ssize_t n = ::send(fd_, from.data(), from.size(), MSG_NOSIGNAL);
        if (n < 0) ec = system_error(errno);
        return n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    // True while the other side has neither closed nor said anything unasked.
    bool is_quiet() const {
        char byte = 0;
        return ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
    }
    // Those that throw are never called; Beast asks that they be there.
    template <class Buffers>
    std::size_t read_some(const Buffers& buffers);
    template <class Buffers>
    std::size_t write_some(const Buffers& buffers);

private:
    bool wait(short event, error_code& ec) const {
        pollfd one{fd_, event, 0};
        int ready = 0;
        do {
            ready = ::poll(&one, 1, static_cast<int>(timeout_.count()));
        } while (ready < 0 && errno == EINTR);
        ec = ready > 0 ? error_code() : system_error(ready == 0 ? ETIMEDOUT : errno);
        return ready > 0;
    }

    int fd_;
    std::chrono::milliseconds timeout_;
};

WireOutcome fault(WireFault kind, std::string message) {
    return {.fault = kind, .message = std::move(message)};
}

WireOutcome fault_of(const error_code& ec) {
    if (ec == system_error(ETIMEDOUT)) return fault(WireFault::timed_out, "no answer in time");
    if (ec.category() == boost::system::system_category() || ec == asio::error::eof ||
        ec == http::error::end_of_stream || ec == http::error::partial_message) {
        return fault(WireFault::lost, "the connection broke off: " + ec.message());
    }
    return fault(WireFault::malformed, "not an HTTP answer: " + ec.message());
}

// A descriptor, or why there is none.
std::variant<int, WireOutcome> connect_to(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        return fault(WireFault::cannot_connect,
                     "'" + path + "' is no path for a socket: 1 to 107 bytes would be right");
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return fault(WireFault::cannot_connect, std::strerror(errno));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of sockets.
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
    const int why = errno;
    ::close(fd);
    const bool refused = why == EACCES || why == EPERM;
    return fault(refused ? WireFault::not_permitted : WireFault::cannot_connect,
                 "cannot connect to " + path + ": " + std::strerror(why));
}

}  // namespace

struct HttpConnection::Connection {
    TimedSocket socket;
    beast::flat_buffer buffer;
    std::optional<http::response_parser<http::buffer_body>> body;  // Of an answer being streamed.

    Connection(int fd, std::chrono::milliseconds timeout) : socket(fd, timeout) {}

    // Reads into this memory; less than all of it means that the body is at its end.
    std::size_t read_some(char* to, std::size_t size, error_code& ec) {
        if (body->is_done()) return 0;
        body->get().body().data = to;
        body->get().body().size = size;
        body->get().body().more = true;
        while (!ec && !body->is_done() && body->get().body().size == size)
            http::read_some(socket, buffer, *body, ec);
        if (ec == http::error::need_buffer) ec = {};
        return size - body->get().body().size;
    }
};

HttpConnection::HttpConnection(Endpoint endpoint, std::chrono::milliseconds timeout)
    : endpoint_(std::move(endpoint)), timeout_(timeout) {}
HttpConnection::~HttpConnection() = default;

bool HttpConnection::is_open() const { return connection_ != nullptr; }
void HttpConnection::close() { connection_.reset(); }
const WireOutcome& HttpConnection::body_outcome() const { return body_outcome_; }

WireOutcome HttpConnection::exchange(const HttpRequest& request, bool stream) {
    // An answer that nobody has read to its end; or the server closed it while it was idle.
    if (connection_ && (connection_->body || !connection_->socket.is_quiet())) close();
    if (!connection_) {
        auto connected = connect_to(endpoint_.socket);
        if (auto* const failed = std::get_if<WireOutcome>(&connected)) return std::move(*failed);
        connection_ = std::make_unique<Connection>(std::get<int>(connected), timeout_);
    }
    http::request<http::string_body> message;
    message.version(11);
    message.method_string(
        {api::to_string(request.method).data(), api::to_string(request.method).size()});
    message.target(request.target);
    message.set(http::field::host, "berth");
    if (!request.body.empty() || request.method != api::Method::get) {
        message.set(http::field::content_type, "application/json");
        message.body() = request.body;
        message.prepare_payload();
    }
    error_code ec;
    http::write(connection_->socket, message, ec);
    // A server that refuses early may have answered and closed: what it said is worth reading.
    const error_code write_error = ec;
    connection_->body.emplace();
    connection_->body->body_limit(std::numeric_limits<std::uint64_t>::max());
    ec = {};
    http::read_header(connection_->socket, connection_->buffer, *connection_->body, ec);
    if (ec) {
        close();
        return fault_of(write_error ? write_error : ec);
    }
    WireOutcome outcome{.status = static_cast<int>(connection_->body->get().result_int())};
    outcome.streaming = stream && outcome.status == 200;
    body_outcome_ = outcome;
    if (outcome.streaming) return outcome;
    char part[16 * 1024];
    while (const std::size_t n = read_body(part, sizeof part)) {
        outcome.body.append(part, n);
        if (outcome.body.size() <= kBodyMax) continue;
        close();
        return fault(WireFault::malformed, "the answer is longer than any that is expected");
    }
    if (body_outcome_.fault != WireFault::none) return body_outcome_;
    return outcome;
}

std::size_t HttpConnection::read_body(char* buffer, std::size_t size) {
    if (!connection_ || !connection_->body) return 0;
    error_code ec;
    const std::size_t n = connection_->read_some(buffer, size, ec);
    if (ec) {
        close();
        body_outcome_ = fault_of(ec);
        return 0;
    }
    if (n > 0) return n;
    const bool keep = connection_->body->get().keep_alive();
    connection_->body.reset();
    if (!keep) close();
    return 0;
}

}  // namespace berth
