// Which node the agents' user may serve: the one of the controller's host, and no other.
#pragma once

#include <string>
#include <string_view>

#include "berth/model/cluster_spec.h"

namespace berth {

// `named`: the value of --agent-node; if set, only this node. Otherwise the node's name or its
// NodeHostname must be this host's, with or without its domain.
bool is_own_node(const ClusterSpec& spec, std::string_view node, std::string_view named,
                 std::string_view host);

}  // namespace berth
