// The LinuxNodeOptions of a node, for its agent or its launcher.
#pragma once

#include <optional>
#include <string>

#include "apps/berth_agent/agent_options.h"
#include "berth/host/hardware/machine.h"
#include "berth/host/node/linux_node.h"

namespace berth {

// The certificate of the controller's authority in this folder, for the commands of jobs.
inline std::string authority_path(const std::string& folder) { return folder + "/ca.pem"; }

// `authority`: the folder of authority_path(). `machine`: nullopt if the node is emulated.
LinuxNodeOptions node_options(const NodeOptions& options, const std::string& authority,
                              const ClusterSpec& spec, NodeId node,
                              const std::optional<Machine>& machine);

}  // namespace berth
