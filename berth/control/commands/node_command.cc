// scontrol update node: drain, resume, down and other changes of a node.
#include <algorithm>

#include "berth/control/commands/commands.h"
#include "berth/control/requests/limits.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

std::optional<Refused> check_reason(const UpdateNode& command) {
    const bool wants_one = command.action == NodeAction::drain ||
                           command.action == NodeAction::down ||
                           (!command.action && command.change.empty());
    if (!wants_one || !command.reason.empty()) return std::nullopt;
    return refused(
        Refusal::invalid_request,
        "A node is drained or set down with a reason: add one, as in Reason=\"bad fan\"");
}

NodeUpdated fact_of(NodeId node, const UpdateNode& command, const Principal& principal) {
    NodeUpdated fact{.node = node, .reason = command.reason, .by = principal.user};
    if (!command.action) return fact;
    switch (*command.action) {
        case NodeAction::drain: fact.drained = true; break;
        case NodeAction::resume: fact.drained = fact.down = false; break;
        case NodeAction::down: fact.down = true; break;
        case NodeAction::idle: fact.down = false; break;
        case NodeAction::reboot:
            fact.reboot = NodeReboot{.stage = NodeReboot::Stage::requested,
                                     .asap = command.asap,
                                     .down = command.next_down,
                                     .issued_at = std::nullopt,
                                     .reason = command.reason};
            break;
        case NodeAction::cancel_reboot: fact.reboot = NodeReboot{}; break;
    }
    return fact;
}

// With "down" the administrator states that nothing runs on the node. If its agent is connected,
// the attempts are ended through it all the same. If not, they end on the administrator's word. The
// node must then register anew before it takes work; if something still runs there, that is ended
// first.
void end_all_on(TurnBuilder& builder, const Nodes& nodes, NodeId node) {
    const bool connected = nodes.is_connected(node);
    if (!connected && builder.state().nodes().condition(node).responding)
        builder.record(NodeNotResponding{node});
    for (const JobId id : builder.state().index().on_node(node)) {
        const Job& job = *builder.state().find_job(id);
        if (!connected) {
            builder.record(
                AttemptEnded{.job = id, .attempt = job.attempt, .node = node, .lost = true});
        } else if (job.state == JobState::running) {
            const bool again = may_requeue(builder.state(), job);
            EndJob fact{.job = id, .outcome = again ? JobState::pending : JobState::node_fail};
            if (!again) fact.reason = "NodeDown";
            builder.record(fact);
        }
    }
}

std::optional<Refused> check_reboot(const ClusterState& state, NodeId node,
                                    const UpdateNode& command) {
    const NodeReboot::Stage stage = state.nodes().condition(node).reboot.stage;
    if (command.action == NodeAction::reboot) {
        if (state.spec().care.reboot.empty()) {
            return refused(Refusal::invalid_request,
                           "The configuration has no RebootProgram: set one in slurm.conf");
        }
        if (stage != NodeReboot::Stage::none) {
            return refused(Refusal::invalid_request, "It is to be rebooted already");
        }
    } else if (command.action == NodeAction::cancel_reboot &&
               stage != NodeReboot::Stage::requested) {
        return refused(Refusal::invalid_request, stage == NodeReboot::Stage::none
                                                     ? "It is not to be rebooted"
                                                     : "It is being rebooted already");
    }
    return std::nullopt;
}

// GPUs are named by their index among the node's GPUs, as in gres.conf.
std::variant<DeviceMask, Refused> devices_of(const ClusterSpec& spec, NodeId node,
                                             const std::vector<std::uint32_t>& gpus) {
    DeviceMask mask = 0;
    const std::vector<Device>& devices = spec.node(node).devices;
    for (const std::uint32_t gpu : gpus) {
        const auto device = std::ranges::find_if(devices, [&](const Device& one) {
            return one.index == gpu && spec.dimensions.at(one.dimension).name == "gpu";
        });
        if (device == devices.end()) {
            return refused(Refusal::invalid_request,
                           "Node '" + spec.node(node).name + "' has no GPU " + std::to_string(gpu));
        }
        mask |= bit(static_cast<int>(device - devices.begin()));
    }
    return mask;
}

std::variant<DevicesDrained, Refused> drain_of_gpus(const ClusterSpec& spec, NodeId node,
                                                    const Principal& principal,
                                                    const UpdateNode& command) {
    if (command.action != NodeAction::drain && command.action != NodeAction::resume) {
        return refused(Refusal::invalid_request,
                       "Single GPUs are drained and resumed: say State=DRAIN or State=RESUME");
    }
    const auto found = devices_of(spec, node, command.gpus);
    if (const auto* no = std::get_if<Refused>(&found)) return *no;
    const bool drained = command.action == NodeAction::drain;
    return DevicesDrained{.node = node,
                          .devices = std::get<DeviceMask>(found),
                          .drained = drained,
                          .reason = drained ? command.reason : "",
                          .by = principal.user};
}

}  // namespace

Answer update_node(TurnBuilder& builder, Nodes& nodes, const Principal& principal,
                   const UpdateNode& command) {
    if (auto no = forbidden(principal, Verb::update_node)) return *no;
    const std::optional<NodeId> node = builder.state().spec().find_node(command.node);
    if (!node) {
        return refused(Refusal::unknown_node, "There is no node '" + command.node + "'");
    }
    if (auto no = check_reason(command)) return *no;
    if (auto refusing = too_large(command.change)) return refused(*std::move(refusing));
    std::optional<DevicesDrained> gpus;
    if (!command.gpus.empty()) {
        auto made = drain_of_gpus(builder.state().spec(), *node, principal, command);
        if (const auto* no = std::get_if<Refused>(&made)) return *no;
        gpus = std::get<DevicesDrained>(std::move(made));
    } else if (auto no = check_reboot(builder.state(), *node, command)) {
        return *no;
    }
    // Nothing is refused from here on.
    if (!command.change.empty()) {
        builder.record(
            ClusterEdited{{.partitions = {}, .nodes = {{command.node, command.change}}}});
    }
    if (gpus) {
        builder.record(*std::move(gpus));
        return Done{};
    }
    if (!command.action && command.reason.empty()) return Done{};
    builder.record(fact_of(*node, command, principal));
    nodes.mark_for_sync(*node);
    if (command.action == NodeAction::down) end_all_on(builder, nodes, *node);
    return Done{};
}

}  // namespace berth
