// TimedSocket: a connection to the controller, over a Unix socket or TLS, where no wait takes
// longer than the timeout: for the name of its host (10 s at most), the connection (as long), TLS
// (as long), an answer.
#pragma once

#include <boost/system/error_code.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "berth/client/endpoint.h"
#include "berth/client/patience.h"
#include "berth/trust/tls.h"

struct addrinfo;
struct sockaddr_un;

namespace berth {

class TimedSocket {
public:
    using Failure = boost::system::error_code;
    struct Refused {
        bool not_permitted = false;
        int number = 0;  // The errno; 0: it was none.
        std::string why;
    };
    static std::variant<std::unique_ptr<TimedSocket>, Refused> connect(const Endpoint& endpoint,
                                                                       const Patience& patience);
    ~TimedSocket();
    TimedSocket(const TimedSocket&) = delete;
    TimedSocket& operator=(const TimedSocket&) = delete;

    void set_patience(const Patience& patience) { patience_ = patience; }
    // A new call begins: its silence is told of anew.
    void begin_call() { told_ = false; }
    std::size_t read(char* to, std::size_t size, Failure& failure);
    std::size_t write(const char* from, std::size_t size, Failure& failure);
    // True while the other side has neither closed nor said anything unasked.
    bool is_quiet() const;
    // Our end's address; empty: a Unix socket.
    std::string own_address() const;
    // Of an endpoint that was known by a fingerprint alone.
    std::string authority() const { return tls_ ? tls_->authority() : ""; }
    // "the controller at /run/berth/berthd.sock did not answer within 30 s"
    std::string unanswered() const;

private:
    TimedSocket(const Endpoint& endpoint, const Patience& patience);
    // Each returns 0 or the errno.
    int connect_to(const sockaddr_un& address);
    int connect_to(const addrinfo& address);
    std::optional<Refused> connect_here(const std::string& path);
    std::optional<Refused> connect_there(const Endpoint& endpoint);
    std::optional<Refused> secure(const Endpoint& endpoint);
    Refused refused(const std::string& where, int number) const;
    bool tells() const;
    void tell();
    bool wait(int fd, short event, Failure& failure);

    int fd_ = -1;
    std::string whom_;  // "the controller at /run/berth/berthd.sock"
    Patience patience_;
    bool told_ = false;  // Of this call: that it waits.
    std::optional<TlsStream> tls_;
};

}  // namespace berth
