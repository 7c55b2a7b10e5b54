// HostLookup: finds the addresses of a host without making the caller wait: getaddrinfo() may take
// half a minute where no name server answers, and nothing can stop it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

struct addrinfo;  // NOLINT(readability-identifier-naming): of netdb.h.

namespace berth {

class HostLookup {
public:
    // Begins, on a thread of its own that ends by itself. An address in digits is found at once.
    HostLookup(const std::string& host, std::uint16_t port);

    bool is_over() const;
    int fd() const;  // Readable once is_over().
    // REQUIRES: is_over(). 0, or an error for gai_strerror().
    int error() const;
    // REQUIRES: error() is 0. The list lives as long as this object.
    const addrinfo* addresses() const;

private:
    struct State;
    std::shared_ptr<State> state_;  // The thread's, too: it may be the last to leave.
};

}  // namespace berth
