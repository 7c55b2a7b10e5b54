// Dynamic nodes: nodes that join by themselves or that an administrator makes, and that no
// configuration names.
#pragma once

#include <optional>
#include <string>

#include "berth/base/result.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/model/event.h"
#include "berth/model/new_node.h"

namespace berth {

// Why there can be no such more, or none with these kinds of GRES; empty: nothing is in the way.
std::string object_to_nodes(const ClusterSpec& spec, std::size_t more, const NewNode& node);

// What a node that joins becomes: made, or described anew where it joined before; nullopt: it stays
// as it is. REQUIRES: it is not configured.
Result<std::optional<NodeDescribed>> joined(const ClusterState& state, const std::string& name,
                                            const JoiningNode& joining);

}  // namespace berth
