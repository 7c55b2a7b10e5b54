// HttpSession: one connection: requests in, responses out, one after the other.
#pragma once

#include <atomic>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <optional>

#include "berth/server/http_server.h"

namespace berth {

using UnixStream = boost::beast::basic_stream<boost::asio::local::stream_protocol>;

class HttpSession;

// What sessions share, and need of the server.
class HttpHouse {
public:
    virtual ~HttpHouse() = default;
    virtual const HttpServerOptions& options() const = 0;
    virtual const Service& service() const = 0;
    virtual Role role_of(const Principal& principal) const = 0;
    virtual boost::asio::thread_pool& slow_reads() = 0;
    // False: the controller takes no more now. Otherwise its answer comes to answered().
    virtual bool ask(const std::shared_ptr<HttpSession>& session, std::uint64_t& ticket,
                     const Principal& principal, Command command) = 0;
    virtual void forget(std::uint64_t ticket) = 0;
    virtual void ended(HttpSession* session) = 0;
};

// All of it but the marked runs on the strand of its stream.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
public:
    HttpSession(HttpHouse& house, boost::asio::local::stream_protocol::socket socket,
                Principal principal);
    ~HttpSession();

    void start();                                               // From any thread.
    void answered(std::uint64_t ticket, Answer answer);         // From any thread.
    void close();                                               // From any thread.
    bool is_idle() const { return idle_.load(); }               // From any thread.
    std::chrono::steady_clock::time_point idle_since() const {  // From any thread.
        return std::chrono::steady_clock::time_point(
            std::chrono::steady_clock::duration(idle_since_.load()));
    }

private:
    using Failure = boost::system::error_code;
    using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

    void read_header();
    void read_body();
    void handle();
    void refuse_header(const Failure& why);
    void wait_for_controller(ForController request);
    void no_answer();
    void read_slowly(SlowRead read);
    void send(ApiResponse response);
    void send_whole(ApiResponse response);
    void send_parts(ApiResponse response);
    void send_next_part();
    void sent(const Failure& why);
    void shut();

    HttpHouse& house_;
    UnixStream stream_;
    Principal principal_;
    boost::beast::flat_buffer buffer_;
    std::optional<Parser> parser_;
    bool closed_ = false;  // What was under way when it was shut comes to nothing.
    bool keep_alive_ = false;
    bool chunked_ = true;
    std::optional<std::uint64_t> ticket_;               // Of the request that the controller has.
    api::RouteId route_{};                              // Likewise.
    std::chrono::steady_clock::time_point asked_at_{};  // When the request was whole.
    boost::asio::steady_timer answer_timer_;
    std::unique_ptr<BodyParts> parts_;  // Of the response on its way.
    std::string part_;
    std::atomic<bool> idle_{false};
    std::atomic<std::int64_t> idle_since_{0};
};

}  // namespace berth
