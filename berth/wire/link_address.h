// The address at which agents reach the controller: on this machine, or over TLS on another.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "berth/base/result.h"

namespace berth {

struct UnixAddress {
    std::string path;
    friend bool operator==(const UnixAddress&, const UnixAddress&) = default;
};

struct TcpAddress {
    std::string host;  // A name or an address, without brackets.
    std::uint16_t port = 0;
    friend bool operator==(const TcpAddress&, const TcpAddress&) = default;
};
std::string to_string(const TcpAddress& address);  // "[::1]:6817"

inline constexpr std::uint16_t kLinkPort = 6817;  // The port of slurmctld.

// "HOST", "HOST:PORT" or "[ADDRESS]:PORT".
Result<TcpAddress> parse_tcp_address(const std::string& text, std::uint16_t port = kLinkPort);

using LinkAddress = std::variant<UnixAddress, TcpAddress>;
// "unix:/PATH", or an address as above.
Result<LinkAddress> parse_link_address(const std::string& text);

// What one end of a TLS link presents, and the authority that it trusts. All PEM.
struct LinkCertificates {
    std::string authority, certificate, key;
};

}  // namespace berth
