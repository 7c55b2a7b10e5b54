#include "berth/server/http/metrics_listener.h"

#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <optional>
#include <thread>

#include "berth/api/problem.h"
#include "berth/base/assert.h"

namespace berth {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Failure = boost::system::error_code;

namespace {

constexpr std::uint32_t kHeaderBytes = 8192;

// Who asks here is nobody: a user like any other.
Principal nobody() { return {.uid = 65534, .gid = 65534, .user = "metrics", .role = Role::user}; }

bool is_for_here(std::string_view target) {
    return target == "/healthz" || target == "/metrics" || target.starts_with("/metrics/");
}

}  // namespace

Result<MetricsAddress> parse_metrics_address(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const auto wrong = [&](const std::string& why) {
        return Error{ErrorCode::invalid_argument, "'" + text + "' is no address for metrics: " +
                                                      why + "; 127.0.0.1:9817 would be right"};
    };
    if (colon == std::string::npos) return wrong("there is no port");
    MetricsAddress address{.host = text.substr(0, colon)};
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + colon + 1, end, address.port);
    if (read.ec != std::errc{} || read.ptr != end)
        return wrong("the port is no number up to 65535");
    if (address.host.starts_with('[') && address.host.ends_with(']'))
        address.host = address.host.substr(1, address.host.size() - 2);
    if (address.host == "localhost") address.host = "127.0.0.1";
    Failure failed;
    const asio::ip::address ip = asio::ip::make_address(address.host, failed);
    if (failed) return wrong("the host is no IP address");
    if (!ip.is_loopback()) {
        return wrong(
            "others could reach it, and there is no TLS here; with --listen the API serves "
            "/metrics over TLS");
    }
    return address;
}

struct MetricsListener::Works {
    explicit Works(const Service& to) : service(to) {}

    const Service& service;
    std::chrono::milliseconds patience{};
    asio::io_context io;
    tcp::acceptor acceptor{io};
    std::thread thread;

    void run();
    void serve(tcp::socket& socket);
    bool finishes(tcp::socket& socket, const std::optional<Failure>& ended);
    ApiResponse answer(const http::request<http::empty_body>& asked) const;
};

void MetricsListener::Works::run() {
    for (;;) {
        Failure failed;
        tcp::socket socket(io);
        acceptor.accept(socket, failed);
        if (!acceptor.is_open()) return;
        if (failed == asio::error::invalid_argument) return;  // It was shut down.
        if (failed) {  // Out of descriptors or the like: others must end first.
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            continue;
        }
        serve(socket);
    }
}

// False: it failed, or took too long.
bool MetricsListener::Works::finishes(tcp::socket& socket, const std::optional<Failure>& ended) {
    io.restart();
    io.run_for(patience);
    if (!ended) {
        Failure ignored;
        socket.close(ignored);
        io.run();
        return false;
    }
    return !*ended;
}

void MetricsListener::Works::serve(tcp::socket& socket) {
    boost::beast::flat_buffer buffer;
    http::request_parser<http::empty_body> parser;
    parser.header_limit(kHeaderBytes);
    std::optional<Failure> read, written;
    http::async_read(socket, buffer, parser, [&](Failure why, std::size_t) { read = why; });
    if (!finishes(socket, read)) return;
    const ApiResponse response = answer(parser.get());
    http::response<http::string_body> message;
    message.result(static_cast<unsigned>(response.status));
    message.set(http::field::server, "berthd");
    message.set(http::field::content_type, response.content_type);
    message.keep_alive(false);
    message.body() = response.body;
    message.prepare_payload();
    http::async_write(socket, message, [&](Failure why, std::size_t) { written = why; });
    if (!finishes(socket, written)) return;
    Failure ignored;
    socket.shutdown(tcp::socket::shutdown_both, ignored);
}

ApiResponse MetricsListener::Works::answer(const http::request<http::empty_body>& asked) const {
    const std::string target(asked.target());
    if (!is_for_here(target)) {
        return respond(api::problem_of_status(404,
                                              "here are /metrics, /metrics/jobs, /metrics/nodes, "
                                              "/metrics/partitions, /metrics/scheduler and "
                                              "/healthz; all else is on the Unix socket"));
    }
    auto outcome = service.serve(
        {.method = std::string(asked.method_string()), .target = target, .principal = nobody()});
    if (auto* const slow = std::get_if<SlowRead>(&outcome)) return (*slow)();
    if (auto* const response = std::get_if<ApiResponse>(&outcome)) return std::move(*response);
    return respond(api::problem_of_status(405, "this address only tells"));
}

MetricsListener::MetricsListener(std::unique_ptr<Works> works) : works_(std::move(works)) {}

MetricsListener::~MetricsListener() {
    // Whoever waits in accept() is woken by a shutdown, not by a close.
    ::shutdown(works_->acceptor.native_handle(), SHUT_RDWR);
    works_->thread.join();
}

std::uint16_t MetricsListener::port() const { return works_->acceptor.local_endpoint().port(); }

Result<std::unique_ptr<MetricsListener>> MetricsListener::start(
    const MetricsAddress& address, const Service& service, std::chrono::milliseconds patience) {
    auto works = std::make_unique<Works>(service);
    works->patience = patience;
    Failure failed;
    const tcp::endpoint endpoint(asio::ip::make_address(address.host, failed), address.port);
    BERTH_ASSERT(!failed);  // It was parsed.
    works->acceptor.open(endpoint.protocol(), failed);
    if (!failed) works->acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) works->acceptor.bind(endpoint, failed);
    if (!failed) works->acceptor.listen(16, failed);
    if (failed) {
        return Error{ErrorCode::failed_precondition,
                     "cannot listen for metrics at " + address.host + ":" +
                         std::to_string(address.port) + ": " + failed.message()};
    }
    works->thread = std::thread([works = works.get()] { works->run(); });
    return std::unique_ptr<MetricsListener>(new MetricsListener(std::move(works)));
}

}  // namespace berth
