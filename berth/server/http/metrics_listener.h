// MetricsListener: /metrics and /healthz over TCP, for Prometheus, which cannot use Unix sockets.
// On the loopback interface only: there is neither TLS nor a token. It serves one connection at a
// time, with a short timeout: a scraper connects every few seconds and asks once.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "berth/server/service/service.h"

namespace berth {

struct MetricsAddress {
    std::string host;  // "127.0.0.1", "::1"
    std::uint16_t port = 0;
};

// "127.0.0.1:9817", "[::1]:9817", "localhost:9817". Refuses an address that other hosts could
// reach.
Result<MetricsAddress> parse_metrics_address(const std::string& text);

class MetricsListener {
public:
    // Listens when it returns. The service must outlive it.
    static Result<std::unique_ptr<MetricsListener>> start(
        const MetricsAddress& address, const Service& service,
        std::chrono::milliseconds patience = std::chrono::seconds(5));
    ~MetricsListener();  // Stops.

    std::uint16_t port() const;  // The port in use, also if 0 was requested.

private:
    struct Works;
    explicit MetricsListener(std::unique_ptr<Works> works);
    std::unique_ptr<Works> works_;
};

}  // namespace berth
