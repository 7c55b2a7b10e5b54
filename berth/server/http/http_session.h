// HttpSession: one connection, which handles requests one after the other.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <functional>
#include <optional>

#include "berth/server/http/byte_stream.h"
#include "berth/server/http/http_server_options.h"
#include "berth/server/limits/connection_eviction.h"
#include "berth/server/limits/memory_budget.h"
#include "berth/server/service/service.h"

namespace berth {

class HttpSession;

// JobSubmitPlugins delay submissions and changes of jobs, and nothing else.
enum class SlowWork : std::uint8_t { read, long_read, plugins };

// HttpHouse: what sessions share, and need from the server.
class HttpHouse {
public:
    virtual ~HttpHouse() = default;
    virtual const HttpServerOptions& options() const = 0;
    virtual const Service& service() const = 0;
    virtual Role role_of(const Principal& principal) const = 0;
    // Identifies the user of a token, with the role: calls `then` at once, or later on another
    // thread.
    using Identified = std::function<void(Result<Principal>)>;
    virtual void identify(std::string_view token, Identified then) = 0;
    // Threads for what may take a while: no number of one kind delays the others.
    virtual boost::asio::thread_pool& threads_for(SlowWork work) = 0;
    // False: the controller takes no more now. Otherwise its answer comes to answered().
    virtual bool ask(const std::shared_ptr<HttpSession>& session, std::uint64_t& ticket,
                     const Principal& principal, Command command) = 0;
    virtual void forget(std::uint64_t ticket) = 0;
    virtual RequestMemoryBudget& bodies() = 0;
    // proved(): a connection of another host has presented a valid token. refused(): a request has
    // not. Returns true if that host has exceeded its rate: the connection ends.
    virtual void proved(const std::string& from) = 0;
    virtual bool refused(const std::string& from) = 0;
    // Whether this user may make one more request now.
    virtual bool admits(const Principal& principal) = 0;
    virtual void ended(HttpSession* session) = 0;
};

// Everything except what is marked runs on the strand of its stream.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
public:
    // Over a Unix socket, whose peer the kernel has named.
    HttpSession(HttpHouse& house, UnixSocket socket, Principal principal, std::int32_t pid);
    // Over TLS, where a token identifies the user of each request.
    HttpSession(HttpHouse& house, TcpSocket socket, boost::asio::ssl::context& how,
                std::string from);
    ~HttpSession();

    void start(std::chrono::milliseconds after = {});    // From any thread.
    void answered(std::uint64_t ticket, Answer answer);  // From any thread.
    void close();                                        // From any thread.
    // Ends a request that has taken too long. A timer for each session would cost each request
    // eight timer operations.
    void check(std::chrono::steady_clock::time_point now);  // From any thread.
    bool is_remote() const { return stream_.is_tls(); }     // From any thread.
    ConnectionSeen seen() const;                            // From any thread.

private:
    using Failure = boost::system::error_code;
    using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

    void shake_hands();
    void identify();
    void identified(Result<Principal> known);
    void refuse_token(std::string why);
    void read_header();
    void read_body();
    void receive();
    bool take_room();
    void give_room();
    void handle();
    void refuse_header(const Failure& why);
    void pass_plugins(ForController request);
    void wait_for_controller(ForController request);
    void no_answer();
    void read_slowly(SlowRead read);
    void begin_audit(const ApiRequest& request);
    std::string doubt() const;
    void end_audit(const ApiResponse& response);
    void send(ApiResponse response);
    void send_whole(ApiResponse response);
    void send_parts(ApiResponse response);
    void send_next_part();
    void sent(const Failure& why);
    void shut();
    void allow(std::chrono::milliseconds length);
    bool is_late(std::chrono::steady_clock::time_point now) const;

    HttpHouse& house_;
    ByteStream stream_;
    Principal principal_;
    const std::string from_;             // Another host's address.
    std::string refused_;                // Why the token of the current request is invalid.
    const std::int32_t pid_;             // Of who connected.
    std::optional<AuditEntry> audited_;  // Of the request under way, if it changes something.
    boost::beast::flat_buffer buffer_;
    std::optional<Parser> parser_;
    std::uint64_t room_ = 0;      // Bytes reserved in the request-memory budget …
    std::string room_of_;         // … and the user they count for.
    bool is_at_plugins_ = false;  // The command under way waits for them, with the whole body.
    // Operations in progress at the close have no effect; slow reads test this on their own thread.
    std::atomic<bool> closed_{false};
    bool proved_ = false;  // It has presented a valid token.
    bool enough_ = false;  // Too many requests had none: the connection ends with the next answer.
    bool keep_alive_ = false;
    bool chunked_ = true;
    std::optional<std::uint64_t> ticket_;               // Of the request that the controller has.
    AskedRoute asked_;                                  // Likewise.
    std::chrono::steady_clock::time_point asked_at_{};  // When the request was whole.
    std::atomic<std::int64_t> late_at_{0};              // By the steady clock; 0: never.
    std::unique_ptr<BodyParts> parts_;                  // Of the response on its way.
    std::string part_;
    std::atomic<bool> idle_{false};
    std::atomic<std::int64_t> idle_since_{
        std::chrono::steady_clock::now().time_since_epoch().count()};
};

}  // namespace berth
