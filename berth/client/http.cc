#include "berth/client/http.h"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <limits>
#include <optional>

#include "berth/client/own_token.h"
#include "berth/client/timed_socket.h"

namespace berth {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::uint64_t kBodyMax = 64ULL << 20;  // Of an answer that is read as a whole.

error_code system_error(int number) { return {number, boost::system::system_category()}; }

// A connection in the shape that Beast reads and writes. Asio's own blocking calls cannot be given
// a timeout.
class BeastSocket {
public:
    explicit BeastSocket(std::unique_ptr<TimedSocket> socket) : socket_(std::move(socket)) {}

    template <class Buffers>
    std::size_t read_some(const Buffers& buffers, error_code& ec) {
        asio::mutable_buffer to;
        for (auto at = asio::buffer_sequence_begin(buffers);
             at != asio::buffer_sequence_end(buffers) && to.size() == 0; ++at) {
            to = *at;
        }
        if (to.size() == 0) return 0;
        return socket_->read(static_cast<char*>(to.data()), to.size(), ec);
    }
    template <class Buffers>
    std::size_t write_some(const Buffers& buffers, error_code& ec) {
        asio::const_buffer from;
        for (auto at = asio::buffer_sequence_begin(buffers);
             at != asio::buffer_sequence_end(buffers) && from.size() == 0; ++at) {
            from = *at;
        }
        if (from.size() == 0) return 0;
        return socket_->write(static_cast<const char*>(from.data()), from.size(), ec);
    }
    const TimedSocket& plain() const { return *socket_; }
    TimedSocket& plain() { return *socket_; }
    // Those that throw are never called; Beast asks that they be there.
    template <class Buffers>
    std::size_t read_some(const Buffers& buffers);
    template <class Buffers>
    std::size_t write_some(const Buffers& buffers);

private:
    std::unique_ptr<TimedSocket> socket_;
};

WireOutcome fault(WireFault kind, std::string message) {
    return {.fault = kind, .message = std::move(message)};
}

WireOutcome fault_of(const error_code& ec, const TimedSocket& socket) {
    if (ec == system_error(ETIMEDOUT)) return fault(WireFault::timed_out, socket.unanswered());
    if (ec == system_error(ECANCELED)) return fault(WireFault::stopped, "a signal came");
    if (ec.category() == boost::system::system_category() || ec == asio::error::eof ||
        ec == http::error::end_of_stream || ec == http::error::partial_message) {
        return fault(WireFault::lost, "the connection broke off: " + ec.message());
    }
    return fault(WireFault::malformed, "not an HTTP answer: " + ec.message());
}

}  // namespace

struct HttpConnection::Connection {
    BeastSocket socket;
    beast::flat_buffer buffer;
    std::optional<http::response_parser<http::buffer_body>> body;  // Of an answer being streamed.

    explicit Connection(std::unique_ptr<TimedSocket> connected) : socket(std::move(connected)) {}

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

HttpConnection::HttpConnection(Endpoint endpoint, const Patience& patience)
    : endpoint_(std::move(endpoint)), patience_(patience) {}
HttpConnection::~HttpConnection() = default;

bool HttpConnection::renew_token() {
    std::string now = own_token();
    if (endpoint_.token.empty() || now.empty() || now == endpoint_.token) return false;
    endpoint_.token = std::move(now);
    return true;
}

void HttpConnection::set_patience(const Patience& patience) {
    patience_ = patience;
    if (connection_) connection_->socket.plain().set_patience(patience);
}

bool HttpConnection::is_open() const { return connection_ != nullptr; }
std::string HttpConnection::own_address() const {
    return connection_ ? connection_->socket.plain().own_address() : "";
}
std::string HttpConnection::authority() const {
    return connection_ ? connection_->socket.plain().authority() : "";
}
void HttpConnection::close() { connection_.reset(); }
const WireOutcome& HttpConnection::body_outcome() const { return body_outcome_; }

WireOutcome HttpConnection::exchange(const HttpRequest& request, bool stream) {
    // An answer that nobody has read to its end; or the server closed it while it was idle.
    if (connection_ && (connection_->body || !connection_->socket.plain().is_quiet())) close();
    if (!connection_) {
        auto connected = TimedSocket::connect(endpoint_, patience_);
        if (auto* const refused = std::get_if<TimedSocket::Refused>(&connected)) {
            const WireFault kind = refused->not_permitted         ? WireFault::not_permitted
                                   : refused->number == ECANCELED ? WireFault::stopped
                                   : refused->number == ETIMEDOUT ? WireFault::timed_out
                                                                  : WireFault::cannot_connect;
            return fault(kind, std::move(refused->why));
        }
        connection_ = std::make_unique<Connection>(
            std::get<std::unique_ptr<TimedSocket>>(std::move(connected)));
    }
    connection_->socket.plain().begin_call();
    http::request<http::string_body> message;
    message.version(11);
    message.method_string(
        {api::to_string(request.method).data(), api::to_string(request.method).size()});
    message.target(request.target);
    message.set(http::field::host, "berth");
    if (!endpoint_.token.empty() && !endpoint_.host.empty())
        message.set(http::field::authorization, "Bearer " + endpoint_.token);
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
        WireOutcome failed = fault_of(write_error ? write_error : ec, connection_->socket.plain());
        close();
        return failed;
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
        body_outcome_ = fault_of(ec, connection_->socket.plain());
        close();
        return 0;
    }
    if (n > 0) return n;
    const bool keep = connection_->body->get().keep_alive();
    connection_->body.reset();
    if (!keep) close();
    return 0;
}

}  // namespace berth
