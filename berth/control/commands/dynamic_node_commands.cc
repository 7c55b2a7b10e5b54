// Dynamic nodes that an administrator creates and deletes.
#include <algorithm>

#include "berth/control/agents/dynamic_nodes.h"
#include "berth/control/commands/commands.h"

namespace berth {
namespace {

constexpr std::size_t kNamesMax = 10'000;  // In one command.

std::optional<Refused> object_to_names(const ClusterSpec& spec,
                                       const std::vector<std::string>& names) {
    if (names.empty() || names.size() > kNamesMax) {
        return refused(Refusal::invalid_request,
                       "NodeName= should name 1 to " + std::to_string(kNamesMax) + " nodes");
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto known = spec.find_node(names[i]);
        const bool twice = std::find(names.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                     names.end(), names[i]) != names.end();
        if (twice || (known && !spec.node(*known).gone))
            return refused(Refusal::node_name_taken, "There is a node '" + names[i] + "' already");
    }
    return std::nullopt;
}

// What still needs the node.
std::optional<Refused> object_to_deletion(const ClusterState& state, NodeId node) {
    const std::string& name = state.spec().node(node).name;
    if (const std::vector<JobId> jobs = state.index().on_node(node); !jobs.empty()) {
        return refused(Refusal::nodes_busy,
                       "Job " + to_string(jobs.front()) + " is on node '" + name +
                           "': drain it and wait, or cancel its jobs",
                       jobs.front());
    }
    for (const auto& [reserved, one] : state.reservations()) {
        const auto is_it = [&](const auto& amount) { return amount.first == node; };
        if (!std::ranges::any_of(one.amounts, is_it)) continue;
        return refused(
            Refusal::nodes_busy,
            ("Reservation " + reserved + " has node '").append(name) + "': delete it first");
    }
    return std::nullopt;
}

}  // namespace

Answer create_nodes(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
                    const CreateNodes& command) {
    if (auto no = forbidden(principal, Verb::edit_nodes)) return *no;
    const ClusterSpec before = builder.state().spec();
    if (auto no = object_to_names(before, command.names)) return *no;
    if (command.node.state.empty()) {
        return refused(Refusal::invalid_request,
                       "Say State=CLOUD or State=FUTURE: a node that is there now joins by itself "
                       "(berth-agent -Z)");
    }
    if (std::string no = object_to_nodes(before, command.names.size(), command.node); !no.empty())
        return refused(Refusal::invalid_request, std::move(no));
    std::vector<NodeDescribed> facts;
    Dimensions dimensions = before.dimensions;
    for (const std::string& name : command.names) {
        Result<NodeSpec> node =
            make_node(name, {.node = command.node, .devices = {}, .dimensions = {}}, dimensions);
        if (!node.ok()) return refused(Refusal::invalid_request, node.error().message);
        facts.push_back({*std::move(node), {}});
    }
    for (NodeDescribed& fact : facts) {
        fact.dimensions = dimensions;
        builder.record(std::move(fact));
    }
    nodes.reinstall(builder, before);
    return Done{};
}

Answer delete_node(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
                   const DeleteNode& command) {
    if (auto no = forbidden(principal, Verb::edit_nodes)) return *no;
    const ClusterSpec before = builder.state().spec();
    const auto id = before.find_node(command.name);
    if (!id || before.node(*id).gone)
        return refused(Refusal::unknown_node, "There is no node '" + command.name + "'");
    if (!before.node(*id).is_dynamic()) {
        return refused(Refusal::invalid_request, "Node '" + command.name +
                                                     "' is configured: take it out of slurm.conf, "
                                                     "and say scontrol reconfigure");
    }
    if (auto no = object_to_deletion(builder.state(), *id)) return *no;
    if (builder.state().nodes().condition(*id).responding) builder.record(NodeNotResponding{*id});
    NodeDescribed fact{.node = before.node(*id), .dimensions = before.dimensions};
    fact.node.gone = true;
    builder.record(std::move(fact));
    nodes.reinstall(builder, before);
    builder.log(LogLevel::info, "node " + command.name + " is deleted");
    return Done{};
}

}  // namespace berth
