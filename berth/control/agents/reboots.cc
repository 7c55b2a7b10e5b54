#include "berth/control/agents/reboots.h"

#include <algorithm>

#include "berth/control/agents/changed_by.h"

namespace berth {
namespace {

constexpr Duration kRebootTimeout = std::chrono::minutes(5);
constexpr Duration kRepeatReboot = std::chrono::minutes(1);

}  // namespace

void Reboots::on_registered(TurnBuilder& builder, NodeId node, bool same_boot) {
    order_at_[node].reset();
    const NodeReboot reboot = builder.state().nodes().condition(node).reboot;
    if (reboot.stage != NodeReboot::Stage::issued || same_boot) return;
    NodeUpdated back{.node = node, .by = kByController, .reboot = NodeReboot{}};
    if (reboot.down) {
        back.down = true;
        back.reason = reboot.reason.empty() ? "rebooted, and to stay down" : reboot.reason;
    }
    builder.record(back);
}

void Reboots::order_due(TurnBuilder& builder, NodeId node) {
    const ClusterSpec& spec = builder.state().spec();
    const bool is_connected = sessions_.of(node).link.has_value();
    NodeReboot reboot = builder.state().nodes().condition(node).reboot;
    if (reboot.stage == NodeReboot::Stage::none) return;
    if (reboot.stage == NodeReboot::Stage::requested) {
        if (!is_connected || !builder.state().index().on_node(node).empty()) return;
        reboot.stage = NodeReboot::Stage::issued;
        reboot.issued_at = builder.now();
        builder.log(LogLevel::info, "node " + spec.node(node).name + " is told to reboot");
        builder.record(NodeUpdated{.node = node, .by = kByController, .reboot = reboot});
        order_at_[node] = builder.now();
    }
    if (builder.now() >= *reboot.issued_at + spec.care.resume_timeout) {
        builder.record(NodeUpdated{.node = node,
                                   .down = true,
                                   .reason = "reboot timed out",
                                   .by = kByController,
                                   .reboot = NodeReboot{}});
        return;
    }
    if (!is_connected || order_at_[node].value_or(builder.now()) > builder.now()) return;
    order_at_[node] = builder.now() + kRepeatReboot;
    sessions_.send_order(builder, node,
                         RunNodeProgram{NodeProgram::reboot, spec.care.reboot, kRebootTimeout});
}

void Reboots::on_program_ended(TurnBuilder& builder, NodeId node,
                               const NodeProgramEnded& report) const {
    if (report.failure.empty()) return;
    builder.log(LogLevel::warning, "node " + builder.state().spec().node(node).name +
                                       ": RebootProgram " + report.failure);
    if (builder.state().nodes().condition(node).reboot.stage != NodeReboot::Stage::issued) return;
    builder.record(NodeUpdated{.node = node,
                               .drained = true,
                               .reason = "reboot failed: RebootProgram " + report.failure,
                               .by = kByController,
                               .reboot = NodeReboot{}});
}

std::optional<Time> Reboots::next_due(const ClusterState& state, NodeId node) const {
    const NodeReboot& reboot = state.nodes().condition(node).reboot;
    if (reboot.stage != NodeReboot::Stage::issued) return std::nullopt;
    const Time timeout = *reboot.issued_at + state.spec().care.resume_timeout;
    const std::optional<Time> order_at = order_at_[node];
    const bool is_ordered = sessions_.of(node).link && order_at;
    return is_ordered ? std::min(*order_at, timeout) : timeout;
}

}  // namespace berth
