// TimedSocket: a connection to the controller, over a Unix socket or TLS, where no call waits for
// longer than the timeout.
#pragma once

#include <boost/system/error_code.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "berth/client/endpoint.h"
#include "berth/trust/tls.h"

namespace berth {

class TimedSocket {
public:
    using Failure = boost::system::error_code;
    struct Refused {
        bool not_permitted = false;
        std::string why;
    };
    static std::variant<std::unique_ptr<TimedSocket>, Refused> connect(
        const Endpoint& endpoint, std::chrono::milliseconds timeout);
    ~TimedSocket();
    TimedSocket(const TimedSocket&) = delete;
    TimedSocket& operator=(const TimedSocket&) = delete;

    std::size_t read(char* to, std::size_t size, Failure& failure);
    std::size_t write(const char* from, std::size_t size, Failure& failure);
    // True while the other side has neither closed nor said anything unasked.
    bool is_quiet() const;
    // Our end's address; empty: a Unix socket.
    std::string own_address() const;
    // Of an endpoint that was known by a fingerprint alone.
    std::string authority() const { return tls_ ? tls_->authority() : ""; }

private:
    TimedSocket(int fd, std::chrono::milliseconds timeout) : fd_(fd), timeout_(timeout) {}
    bool wait(short event, Failure& failure) const;

    int fd_;
    std::chrono::milliseconds timeout_;
    std::optional<TlsStream> tls_;
};

}  // namespace berth
