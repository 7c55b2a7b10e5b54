#include "berth/server/limits/connection_eviction.h"

#include <map>
#include <string_view>
#include <tuple>

namespace berth {

std::optional<std::size_t> connection_eviction(std::span<const ConnectionSeen> connections) {
    std::map<std::string_view, std::size_t> held;
    for (const ConnectionSeen& one : connections) ++held[one.peer];
    std::string_view greedy;
    std::size_t most = connections.size() / 4;
    for (const auto& [peer, count] : held) {
        if (count > most) std::tie(greedy, most) = std::tie(peer, count);
    }
    const bool any_greedy = most > connections.size() / 4;
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < connections.size(); ++i) {
        const ConnectionSeen& one = connections[i];
        if (any_greedy ? one.peer != greedy : !one.idle) continue;
        if (!found || one.since < connections[*found].since) found = i;
    }
    return found;
}

}  // namespace berth
