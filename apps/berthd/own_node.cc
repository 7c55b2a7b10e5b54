#include "apps/berthd/own_node.h"

namespace berth {

bool is_own_node(const ClusterSpec& spec, std::string_view node, std::string_view named,
                 std::string_view host) {
    if (!named.empty()) return node == named;
    const std::string_view short_host = host.substr(0, host.find('.'));
    const auto is_host = [&](std::string_view name) { return name == host || name == short_host; };
    if (host.empty()) return false;
    const auto found = spec.find_node(node);
    // A configured NodeHostname counts, whatever the node's name is.
    return found ? is_host(spec.node(*found).hostname) : is_host(node);
}

}  // namespace berth
