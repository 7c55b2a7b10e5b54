// HttpServerOptions: addresses, identities and limits of the HTTP server.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "berth/server/auth/audit_log.h"
#include "berth/server/auth/peer_names.h"
#include "berth/server/auth/registrar.h"
#include "berth/server/limits/unauthenticated_rates.h"
#include "berth/server/metrics/diagnostics.h"
#include "berth/server/metrics/metric_counts.h"
#include "berth/server/service/service.h"

namespace berth {

// The server's certificate for TLS.
struct OwnCertificate {
    std::vector<std::string> host_names;
    std::chrono::milliseconds new_every = std::chrono::hours(24);
};

struct HttpServerOptions {
    std::string socket;  // Its folder must exist; every user may connect (0666).
    ServerIdentity identity;
    std::shared_ptr<Diagnostics> diagnostics = std::make_shared<Diagnostics>();
    std::shared_ptr<const MetricCounts> counts = std::make_shared<MetricCounts>();
    std::shared_ptr<AuditLog> audit;        // nullptr: none.
    std::shared_ptr<JobSubmit> job_submit;  // nullptr: JobSubmitPlugins has no effect.
    // For other hosts: "0.0.0.0:6820"; empty: none. REQUIRES a registrar, which verifies tokens.
    std::string tls_address;
    std::string advertised;  // "head:6820", under which they find it.
    OwnCertificate certificate;
    std::shared_ptr<Registrar> registrar;
    std::size_t remote_connections = 4096;  // Like `connections`, for other hosts.
    UnauthenticatedRates::Limits unauthenticated_peers;
    std::chrono::milliseconds handshake_timeout{5'000};
    std::size_t connections = 256;  // Beyond that one is closed: connection_eviction.h.
    std::uint32_t header_bytes = 16 * 1024;
    std::uint64_t body_bytes = 8 << 20;
    std::uint64_t bodies_bytes = 32 << 20;           // Of all bodies that are being received.
    std::chrono::milliseconds idle_timeout{60'000};  // Until a whole header has come.
    std::chrono::milliseconds body_timeout{30'000};
    std::chrono::milliseconds answer_timeout{60'000};  // For the controller.
    std::chrono::milliseconds write_timeout{30'000};   // For each part of a response.
    PeerNames::Settings names;
};

}  // namespace berth
