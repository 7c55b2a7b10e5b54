// Connection eviction: which connection is closed when the limit is reached. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

namespace berth {

struct ConnectionSeen {
    std::string peer;                               // A user of this machine, or another host.
    bool idle = false;                              // Between two requests.
    std::chrono::steady_clock::time_point since{};  // When it last began to wait for a request.
};

// A peer with more than a quarter of all connections loses its oldest, idle or not, so that no peer
// locks out the others. Otherwise the connection that has been idle longest goes. Returns its
// index; nullopt: the new connection has to wait.
std::optional<std::size_t> connection_eviction(std::span<const ConnectionSeen> connections);

}  // namespace berth
