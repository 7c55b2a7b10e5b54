// ByteStream: a Unix socket, or TLS over TCP, as one type for Beast, so that HTTP is compiled once.
#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/strand.hpp>
#include <memory>
#include <utility>

namespace berth {

// With the concrete executor type: a type-erased executor costs a tenth of a request.
using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;
using UnixSocket = boost::asio::basic_stream_socket<boost::asio::local::stream_protocol, Strand>;
using TcpSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Strand>;

class ByteStream {
public:
    using executor_type = Strand;

    explicit ByteStream(UnixSocket socket) : strand_(socket.get_executor()) {
        unix_ = std::make_unique<UnixSocket>(std::move(socket));
    }
    ByteStream(TcpSocket socket, boost::asio::ssl::context& how) : strand_(socket.get_executor()) {
        tls_ = std::make_unique<Tls>(std::move(socket), how);
    }

    executor_type get_executor() const { return strand_; }
    bool is_tls() const { return tls_ != nullptr; }

    // REQUIRES: is_tls().
    template <class Handler>
    void async_handshake(Handler&& handler) {
        tls_->async_handshake(boost::asio::ssl::stream_base::server,
                              std::forward<Handler>(handler));
    }
    template <class Buffers, class Handler>
    void async_read_some(const Buffers& buffers, Handler&& handler) {
        if (tls_) return tls_->async_read_some(buffers, std::forward<Handler>(handler));
        unix_->async_read_some(buffers, std::forward<Handler>(handler));
    }
    template <class Buffers, class Handler>
    void async_write_some(const Buffers& buffers, Handler&& handler) {
        if (tls_) return tls_->async_write_some(buffers, std::forward<Handler>(handler));
        unix_->async_write_some(buffers, std::forward<Handler>(handler));
    }

    void close() {
        boost::system::error_code ignored;
        if (tls_) {
            tls_->next_layer().shutdown(TcpSocket::shutdown_both, ignored);
            tls_->next_layer().close(ignored);
        } else {
            unix_->shutdown(UnixSocket::shutdown_both, ignored);
            unix_->close(ignored);
        }
    }

private:
    using Tls = boost::asio::ssl::stream<TcpSocket>;
    Strand strand_;
    std::unique_ptr<UnixSocket> unix_;  // One of the two.
    std::unique_ptr<Tls> tls_;
};

}  // namespace berth
