// Dynamic nodes: nodes that no configuration names, created when an agent joins or by an
// administrator.
#pragma once

#include <optional>
#include <string>

#include "berth/base/result.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/model/event.h"
#include "berth/model/new_node.h"

namespace berth {

// Why `more` such nodes cannot be added (MaxNodeCount, node numbers used up, a GRES missing from
// GresTypes), as a message for the user. Empty if they can.
std::string object_to_nodes(const ClusterSpec& spec, std::size_t more, const NewNode& node);

// The fact to record when the agent of a dynamic node registers: the node is created, or described
// anew if it changed since it last joined. nullopt: nothing changes.
// REQUIRES: the node is not in the configuration.
Result<std::optional<NodeDescribed>> joined(const ClusterState& state, const std::string& name,
                                            const JoiningNode& joining);

}  // namespace berth
