// The names of nodes, as people and programs are told them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"

namespace berth {

// In the order of `nodes`.
inline std::vector<std::string> names_of(const ClusterSpec& spec, std::span<const NodeId> nodes) {
    std::vector<std::string> names;
    names.reserve(nodes.size());
    for (const NodeId node : nodes) names.push_back(spec.node(node).name);
    return names;
}

}  // namespace berth
