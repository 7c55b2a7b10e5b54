// What a node is that no file names: this machine, and above it what --conf says.
#pragma once

#include <optional>
#include <string>

#include "apps/berth_agent/options.h"
#include "berth/base/log.h"
#include "berth/host/hardware/gpu_inventory.h"
#include "berth/host/hardware/machine.h"
#include "berth/model/cluster_spec.h"
#include "berth/model/new_node.h"

namespace berth {

// `machine`: nullopt where the node is emulated: then it is what `described` says and no more.
Result<JoiningNode> joining_node(const std::string& described,
                                 const std::optional<Machine>& machine,
                                 const std::vector<FoundGpu>& gpus);

// As far as an agent or a launcher knows the cluster by itself: the node alone. The rest the
// controller says.
Result<ClusterSpec> cluster_of(const std::string& name, const JoiningNode& joining);

// The configuration that a node reads: its files' or, where it joins by itself, made so.
struct NodeConfig {
    ClusterSpec spec;
    NodeId node{0};
    std::optional<JoiningNode> joins;
    std::optional<Machine> machine;  // nullopt: the node is emulated.
};
Result<NodeConfig> read_node_config(const NodeOptions& options, LogSink& log);

}  // namespace berth
