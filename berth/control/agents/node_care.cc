// The care of nodes that are there: health checks from time to time, and reboots once nothing runs.
#include "berth/control/agents/nodes.h"

namespace berth {
namespace {

constexpr const char* kNotResponding = "Not responding";

constexpr Duration kHealthTimeout = std::chrono::seconds(60);
constexpr Duration kRebootTimeout = std::chrono::minutes(5);
constexpr Duration kRepeatReboot = std::chrono::minutes(1);

bool is_checked(const ClusterState& state, NodeId node) {
    const std::uint8_t wanted = state.spec().care.health_states;
    const NodeCondition& condition = state.condition(node);
    const NodeFree& free = state.free(node);
    if ((wanted & NodeCareSpec::kAny) != 0) return true;
    if (free.jobs == 0) {
        const bool open = !condition.drained && !condition.down;
        return (wanted & NodeCareSpec::kIdle) != 0 ||
               (open && (wanted & NodeCareSpec::kNonDrainedIdle) != 0);
    }
    const bool full = free.amount.cpu() <= Millicpu{};
    return (wanted & (full ? NodeCareSpec::kAllocated : NodeCareSpec::kMixed)) != 0;
}

}  // namespace

// ReturnToService=0: what has not responded stays down until an administrator resumes it.
void Nodes::keep_down(Ledger& ledger, NodeId node) {
    if (ledger.state().spec().care.return_to_service != 0) return;
    if (ledger.state().condition(node).down) return;
    ledger.record(
        NodeUpdated{.node = node, .down = true, .reason = kNotResponding, .by = kOurselves});
}

// ReturnToService, as a node registers. 2: whatever it was down for, it takes work again. 1: it
// does if it had not responded, and is down if it rebooted though nobody had asked for that. 0:
// likewise, and what was down stays so.
void Nodes::return_to_service(Ledger& ledger, NodeId node, const NodeCondition& before,
                              bool was_silent) {
    const std::optional<std::uint8_t> rule = ledger.state().spec().care.return_to_service;
    if (!rule) return;
    const bool for_silence = before.reason == kNotResponding && before.reason_by == kOurselves;
    if (before.down) {
        if (*rule == 0 || (*rule == 1 && !for_silence)) return;
        ledger.record(NodeUpdated{.node = node, .down = false, .by = kOurselves});
        return;
    }
    const NodeCondition& now = ledger.state().condition(node);
    const bool rebooted = !before.boot_id.empty() && before.boot_id != now.boot_id;
    const bool expected = before.reboot.stage != NodeReboot::Stage::none ||
                          before.fenced_boot == before.boot_id || was_silent;
    if (*rule == 2 || !rebooted || expected) return;
    ledger.record(NodeUpdated{
        .node = node, .down = true, .reason = "Node unexpectedly rebooted", .by = kOurselves});
}

// Each node is checked when it comes.
void Nodes::begin_care(Ledger& ledger, NodeId node, bool same_boot) {
    NodeSession& session = sessions_.of(node);
    session.health_at.reset();
    session.reboot_at.reset();
    if (!ledger.state().spec().care.health_check.empty()) session.health_at = ledger.now();
    session.health_is_first = true;
    const NodeReboot reboot = ledger.state().condition(node).reboot;
    if (reboot.stage != NodeReboot::Stage::issued || same_boot) return;
    NodeUpdated back{.node = node, .by = kOurselves, .reboot = NodeReboot{}};
    if (reboot.down) {
        back.down = true;
        back.reason = reboot.reason.empty() ? "rebooted, and to stay down" : reboot.reason;
    }
    ledger.record(back);
}

void Nodes::care_for(Ledger& ledger, NodeId node) {
    const NodeSession& session = sessions_.of(node);
    const NodeReboot::Stage stage = ledger.state().condition(node).reboot.stage;
    if (stage != NodeReboot::Stage::none) reboot(ledger, node);
    if (session.link && session.health_at && *session.health_at <= ledger.now()) {
        check_health(ledger, node);
    }
}

void Nodes::check_health(Ledger& ledger, NodeId node) {
    NodeSession& session = sessions_.of(node);
    const ClusterSpec& spec = ledger.state().spec();
    const NodeCareSpec& care = spec.care;
    const bool first = std::exchange(session.health_is_first, false);
    if (first || is_checked(ledger.state(), node)) {
        give(ledger, node,
             RunNodeProgram{NodeProgram::health_check, care.health_check, kHealthTimeout});
    }
    session.health_at.reset();
    if (care.health_interval == Duration{} || care.health_states == NodeCareSpec::kStartOnly) {
        return;
    }
    session.health_at = ledger.now() + care.health_interval;
    if (first && care.health_cycle) {  // Not all at once: each at its own part of the interval.
        const auto nodes = static_cast<std::int64_t>(spec.nodes.size());
        *session.health_at = ledger.now() + care.health_interval * (node.value() + 1) / nodes;
    }
}

// Asked for: begun once nothing runs. Begun: said again while it still speaks in the same boot, and
// given up in the end.
void Nodes::reboot(Ledger& ledger, NodeId node) {
    NodeSession& session = sessions_.of(node);
    const ClusterSpec& spec = ledger.state().spec();
    NodeReboot reboot = ledger.state().condition(node).reboot;
    if (reboot.stage == NodeReboot::Stage::requested) {
        if (!session.link || !ledger.state().jobs_on(node).empty()) return;
        reboot.stage = NodeReboot::Stage::issued;
        reboot.issued_at = ledger.now();
        ledger.log(LogLevel::info, "node " + spec.node(node).name + " is told to reboot");
        ledger.record(NodeUpdated{.node = node, .by = kOurselves, .reboot = reboot});
        session.reboot_at = ledger.now();
    }
    if (ledger.now() >= *reboot.issued_at + spec.care.resume_timeout) {
        ledger.record(NodeUpdated{.node = node,
                                  .down = true,
                                  .reason = "reboot timed out",
                                  .by = kOurselves,
                                  .reboot = NodeReboot{}});
        return;
    }
    if (!session.link || session.reboot_at.value_or(ledger.now()) > ledger.now()) return;
    session.reboot_at = ledger.now() + kRepeatReboot;
    give(ledger, node, RunNodeProgram{NodeProgram::reboot, spec.care.reboot, kRebootTimeout});
}

// A health check that ends badly says so with scontrol, if it wants something to follow; Slurm's
// rule. A node that cannot be rebooted is not to be used as if it had been.
void Nodes::program_ended(Ledger& ledger, NodeId node, const NodeProgramEnded& report) {
    if (report.failure.empty()) return;
    const bool rebooting = report.program == NodeProgram::reboot;
    ledger.log(LogLevel::warning, "node " + ledger.state().spec().node(node).name +
                                      (rebooting ? ": RebootProgram " : ": HealthCheckProgram ") +
                                      report.failure);
    const NodeCondition& condition = ledger.state().condition(node);
    if (!rebooting || condition.reboot.stage != NodeReboot::Stage::issued) return;
    ledger.record(NodeUpdated{.node = node,
                              .drained = true,
                              .reason = "reboot failed: RebootProgram " + report.failure,
                              .by = kOurselves,
                              .reboot = NodeReboot{}});
}

std::optional<Time> Nodes::care_due(const ClusterState& state, NodeId node) const {
    const NodeSession& session = sessions_.of(node);
    std::optional<Time> due;
    const auto earlier = [&](std::optional<Time> at) {
        if (at) due = due ? std::min(*due, *at) : *at;
    };
    if (session.link) earlier(session.health_at);
    const NodeReboot& reboot = state.condition(node).reboot;
    if (reboot.stage != NodeReboot::Stage::issued) return due;
    if (session.link) earlier(session.reboot_at);
    earlier(*reboot.issued_at + state.spec().care.resume_timeout);
    return due;
}

}  // namespace berth
