// Which node the agents' own user may be: the one of the controller's host, and no other.
#pragma once

#include <string>
#include <string_view>

#include "berth/model/cluster_spec.h"

namespace berth {

// `named` is --agent-node, and the only one where it is given. Otherwise the node must be called as
// this host is, with or without its domain, or live there (NodeHostname).
bool is_own_node(const ClusterSpec& spec, std::string_view node, std::string_view named,
                 std::string_view host);

}  // namespace berth
