#include "berth/control/agents/return_to_service.h"

#include "berth/control/agents/changed_by.h"

namespace berth {
namespace {

constexpr const char* kNotResponding = "Not responding";

}  // namespace

void set_down_if_kept(TurnBuilder& builder, NodeId node) {
    if (builder.state().spec().care.return_to_service != 0) return;
    if (builder.state().nodes().condition(node).down) return;
    builder.record(
        NodeUpdated{.node = node, .down = true, .reason = kNotResponding, .by = kByController});
}

void return_to_service(TurnBuilder& builder, NodeId node, const NodeCondition& before,
                       bool was_unresponsive) {
    const std::optional<std::uint8_t> rule = builder.state().spec().care.return_to_service;
    if (!rule) return;
    const bool did_not_respond =
        before.reason == kNotResponding && before.reason_by == kByController;
    if (before.down) {
        if (*rule == 0 || (*rule == 1 && !did_not_respond)) return;
        builder.record(NodeUpdated{.node = node, .down = false, .by = kByController});
        return;
    }
    const NodeCondition& now = builder.state().nodes().condition(node);
    const bool rebooted = !before.boot_id.empty() && before.boot_id != now.boot_id;
    const bool expected = before.reboot.stage != NodeReboot::Stage::none ||
                          before.fenced_boot == before.boot_id || was_unresponsive;
    if (*rule == 2 || !rebooted || expected) return;
    builder.record(NodeUpdated{
        .node = node, .down = true, .reason = "Node unexpectedly rebooted", .by = kByController});
}

}  // namespace berth
