// HttpConnection: one kept-alive HTTP/1.1 connection over a Unix socket or TLS. What is on the wire
// is for http.cc alone.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "berth/api/json_value.h"
#include "berth/api/routes.h"
#include "berth/client/endpoint.h"
#include "berth/client/patience.h"

namespace berth {

struct HttpRequest {
    api::Method method = api::Method::get;
    std::string target;  // Path and query.
    std::string body;    // JSON; empty: none.
};

// What went wrong below HTTP's own answers.
enum class WireFault : std::uint8_t {
    none,
    cannot_connect,  // Nobody listens: the request was not sent.
    not_permitted,   // The socket may not be opened.
    lost,            // Broken off in the middle: the request may have been carried out.
    timed_out,
    stopped,    // By us: Patience::stop_fd.
    malformed,  // What came back is not HTTP.
};

struct WireOutcome {
    WireFault fault = WireFault::none;
    std::string message;     // Of the fault.
    int status = 0;          // Of the answer.
    bool streaming = false;  // The body is still to be read, with read_body().
    std::string body;
};

class HttpConnection {
public:
    HttpConnection(Endpoint endpoint, const Patience& patience);
    ~HttpConnection();

    // Sends a request and reads the answer; connects first where that is needed. With `stream` the
    // body of a 200 is left to read_body().
    WireOutcome exchange(const HttpRequest& request, bool stream);

    // The next part of the body; 0 at its end, and after a fault.
    std::size_t read_body(char* buffer, std::size_t size);
    const WireOutcome& body_outcome() const;

    void set_patience(const Patience& patience);
    const Endpoint& endpoint() const { return endpoint_; }

    // Reads the user's token again. True: it is another one than before.
    bool renew_token();

    bool is_open() const;
    // While it is open: our end's address, and who certified the other end if that was not known.
    std::string own_address() const;
    std::string authority() const;
    void close();

private:
    struct Connection;
    Endpoint endpoint_;
    Patience patience_;
    std::unique_ptr<Connection> connection_;
    WireOutcome body_outcome_;
};

}  // namespace berth
