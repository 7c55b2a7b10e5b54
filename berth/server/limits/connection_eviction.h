// Which connection gives way where there are as many as there may be. Pure.
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

// Whoever has more than a quarter of them all gives up the oldest, idle or not, so that nobody
// keeps the others out; else the one that has idled longest goes. Its place in the list, or
// nothing: then the new one has to wait.
std::optional<std::size_t> connection_eviction(std::span<const ConnectionSeen> connections);

}  // namespace berth
