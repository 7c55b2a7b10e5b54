// Health checks of responding nodes, and reboots of nodes on which nothing runs.
#include "berth/control/agents/changed_by.h"
#include "berth/control/agents/nodes.h"

namespace berth {
namespace {

constexpr Duration kHealthTimeout = std::chrono::seconds(60);
constexpr Duration kRebootTimeout = std::chrono::minutes(5);
constexpr Duration kRepeatReboot = std::chrono::minutes(1);

bool is_checked(const ClusterState& state, NodeId node) {
    const std::uint8_t wanted = state.spec().care.health_states;
    const NodeCondition& condition = state.condition(node);
    const NodeFree& free = state.free(node);
    if ((wanted & HealthCheckSpec::kAny) != 0) return true;
    if (free.jobs == 0) {
        const bool open = !condition.drained && !condition.down;
        return (wanted & HealthCheckSpec::kIdle) != 0 ||
               (open && (wanted & HealthCheckSpec::kNonDrainedIdle) != 0);
    }
    const bool full = free.amount.cpu() <= Millicpu{};
    return (wanted & (full ? HealthCheckSpec::kAllocated : HealthCheckSpec::kMixed)) != 0;
}

}  // namespace

// Each node is checked when it registers.
void Nodes::begin_care(TurnBuilder& builder, NodeId node, bool same_boot) {
    NodeSession& session = sessions_.of(node);
    session.health_at.reset();
    session.reboot_at.reset();
    if (!builder.state().spec().care.health_check.empty()) session.health_at = builder.now();
    session.health_is_first = true;
    const NodeReboot reboot = builder.state().condition(node).reboot;
    if (reboot.stage != NodeReboot::Stage::issued || same_boot) return;
    NodeUpdated back{.node = node, .by = kByController, .reboot = NodeReboot{}};
    if (reboot.down) {
        back.down = true;
        back.reason = reboot.reason.empty() ? "rebooted, and to stay down" : reboot.reason;
    }
    builder.record(back);
}

void Nodes::care_for(TurnBuilder& builder, NodeId node) {
    const NodeSession& session = sessions_.of(node);
    const NodeReboot::Stage stage = builder.state().condition(node).reboot.stage;
    if (stage != NodeReboot::Stage::none) reboot(builder, node);
    if (session.link && session.health_at && *session.health_at <= builder.now()) {
        check_health(builder, node);
    }
}

void Nodes::check_health(TurnBuilder& builder, NodeId node) {
    NodeSession& session = sessions_.of(node);
    const ClusterSpec& spec = builder.state().spec();
    const HealthCheckSpec& care = spec.care;
    const bool first = std::exchange(session.health_is_first, false);
    if (first || is_checked(builder.state(), node)) {
        sessions_.send_order(
            builder, node,
            RunNodeProgram{NodeProgram::health_check, care.health_check, kHealthTimeout});
    }
    session.health_at.reset();
    if (care.health_interval == Duration{} || care.health_states == HealthCheckSpec::kStartOnly) {
        return;
    }
    session.health_at = builder.now() + care.health_interval;
    if (first && care.health_cycle) {  // Spread over the interval by node number.
        const auto nodes = static_cast<std::int64_t>(spec.nodes.size());
        *session.health_at = builder.now() + care.health_interval * (node.value() + 1) / nodes;
    }
}

// A requested reboot begins once nothing runs. A reboot that has begun is ordered again while the
// node still reports from the same boot, and given up in the end.
void Nodes::reboot(TurnBuilder& builder, NodeId node) {
    NodeSession& session = sessions_.of(node);
    const ClusterSpec& spec = builder.state().spec();
    NodeReboot reboot = builder.state().condition(node).reboot;
    if (reboot.stage == NodeReboot::Stage::requested) {
        if (!session.link || !builder.state().jobs_on(node).empty()) return;
        reboot.stage = NodeReboot::Stage::issued;
        reboot.issued_at = builder.now();
        builder.log(LogLevel::info, "node " + spec.node(node).name + " is told to reboot");
        builder.record(NodeUpdated{.node = node, .by = kByController, .reboot = reboot});
        session.reboot_at = builder.now();
    }
    if (builder.now() >= *reboot.issued_at + spec.care.resume_timeout) {
        builder.record(NodeUpdated{.node = node,
                                   .down = true,
                                   .reason = "reboot timed out",
                                   .by = kByController,
                                   .reboot = NodeReboot{}});
        return;
    }
    if (!session.link || session.reboot_at.value_or(builder.now()) > builder.now()) return;
    session.reboot_at = builder.now() + kRepeatReboot;
    sessions_.send_order(builder, node,
                         RunNodeProgram{NodeProgram::reboot, spec.care.reboot, kRebootTimeout});
}

// As in Slurm, a failed health check has no effect of its own: the program calls scontrol if it
// wants one. A node whose reboot failed must not be used as if it had rebooted.
void Nodes::program_ended(TurnBuilder& builder, NodeId node, const NodeProgramEnded& report) {
    if (report.failure.empty()) return;
    const bool rebooting = report.program == NodeProgram::reboot;
    builder.log(LogLevel::warning, "node " + builder.state().spec().node(node).name +
                                       (rebooting ? ": RebootProgram " : ": HealthCheckProgram ") +
                                       report.failure);
    const NodeCondition& condition = builder.state().condition(node);
    if (!rebooting || condition.reboot.stage != NodeReboot::Stage::issued) return;
    builder.record(NodeUpdated{.node = node,
                               .drained = true,
                               .reason = "reboot failed: RebootProgram " + report.failure,
                               .by = kByController,
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
