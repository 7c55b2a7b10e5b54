#include "apps/berth_agent/joining.h"

#include <algorithm>

#include "apps/daemon/cluster_config.h"
#include "berth/base/text.h"
#include "berth/host/hardware/describe.h"
#include "berth/model/new_node_text.h"

namespace berth {
namespace {

// The node as found on the machine.
NewNode node_as_found(const DescribedNode& found) {
    NewNode node;
    const NodeSpec& spec = found.node;
    node.boards = spec.boards;
    node.sockets = spec.sockets;
    node.cores_per_socket = spec.cores_per_socket;
    node.threads_per_core = spec.threads_per_core;
    node.memory = spec.memory.count();
    node.tmp_disk = spec.tmp_disk.count();
    for (const Device& device : spec.devices) {
        const Dimension& kind = found.dimensions.at(device.dimension);
        const auto known = std::ranges::find_if(node.gres, [&](const NewGres& one) {
            return one.name == kind.name && one.type == kind.type;
        });
        if (known != node.gres.end()) {
            ++known->count;
        } else {
            node.gres.push_back({kind.name, kind.type, 1});
        }
    }
    return node;
}

}  // namespace

Result<JoiningNode> joining_node(const std::string& described,
                                 const std::optional<Machine>& machine,
                                 const std::vector<FoundGpu>& gpus) {
    JoiningNode joining;
    if (machine) {
        BERTH_TRY(DescribedNode found, describe(*machine, gpus, ""));
        joining.node = node_as_found(found);
        joining.devices = std::move(found.node.devices);
        joining.dimensions = found.dimensions;
    }
    std::vector<std::string> words;
    for (const auto word : split(described, ' ')) {
        if (!trim(word).empty()) words.emplace_back(trim(word));
    }
    Status read = read_new_node(words, joining.node);
    if (!read.ok()) return prefixed("--conf", read.error());
    if (!joining.node.state.empty())
        return Error{ErrorCode::invalid_argument, "--conf: a node that joins has no State="};
    return joining;
}

Result<ClusterSpec> cluster_of(const std::string& name, const JoiningNode& joining) {
    ClusterSpec spec;
    BERTH_TRY(NodeSpec node, make_node(name, joining, spec.dimensions));
    spec.nodes.push_back(std::move(node));
    return spec;
}

Result<NodeConfig> read_node_config(const NodeOptions& options, LogSink& log) {
    NodeConfig config;
    if (!options.emulate) {
        BERTH_TRY(config.machine, discover_machine());
    }
    if (options.joins) {
        std::vector<FoundGpu> gpus;
        if (config.machine) {
            BERTH_TRY(gpus, find_gpus());
        }
        BERTH_TRY(config.joins, joining_node(options.described, config.machine, gpus));
        BERTH_TRY(config.spec, cluster_of(options.node, *config.joins));
    } else {
        BERTH_TRY(
            config.spec,
            read_cluster_config(options.config, {.lenient = options.lenient, .quiet = true}, log));
    }
    const std::optional<NodeId> node = config.spec.find_node(options.node);
    if (!node) {
        return Error{ErrorCode::not_found, "no node '" + options.node + "' is configured in " +
                                               options.config + "; with -Z it joins by itself"};
    }
    config.node = *node;
    return config;
}

}  // namespace berth
