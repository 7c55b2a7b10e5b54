// The description of a dynamic node: this machine, as modified by --conf.
#pragma once

#include <optional>
#include <string>

#include "apps/berth_agent/agent_options.h"
#include "berth/base/log.h"
#include "berth/host/hardware/gpu_inventory.h"
#include "berth/host/hardware/machine.h"
#include "berth/model/cluster_spec.h"
#include "berth/model/new_node.h"

namespace berth {

// `machine`: nullopt for an emulated node, which is exactly as `described` says.
Result<JoiningNode> joining_node(const std::string& described,
                                 const std::optional<Machine>& machine,
                                 const std::vector<FoundGpu>& gpus);

// The cluster as far as an agent or launcher of a dynamic node knows it: this node alone. The
// controller sends the rest.
Result<ClusterSpec> cluster_of(const std::string& name, const JoiningNode& joining);

// The node's configuration: read from the files, or derived from the machine for a dynamic node.
struct NodeConfig {
    ClusterSpec spec;
    NodeId node{0};
    std::optional<JoiningNode> joins;
    std::optional<Machine> machine;  // nullopt: the node is emulated.
};
Result<NodeConfig> read_node_config(const NodeOptions& options, LogSink& log);

}  // namespace berth
