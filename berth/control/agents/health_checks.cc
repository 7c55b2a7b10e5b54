#include "berth/control/agents/health_checks.h"

namespace berth {
namespace {

constexpr Duration kHealthTimeout = std::chrono::seconds(60);

bool is_checked(const ClusterState& state, NodeId node) {
    const std::uint8_t wanted = state.spec().care.health_states;
    const NodeCondition& condition = state.nodes().condition(node);
    const NodeFree& free = state.nodes().free(node);
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

void HealthChecks::on_registered(const TurnBuilder& builder, NodeId node) {
    Schedule& schedule = schedules_[node];
    schedule = {.next = std::nullopt, .is_first = true};
    if (!builder.state().spec().care.health_check.empty()) schedule.next = builder.now();
}

void HealthChecks::run_due(TurnBuilder& builder, NodeId node) {
    const std::optional<Time> due = next_due(node);
    if (due && *due <= builder.now()) check(builder, node);
}

void HealthChecks::check(TurnBuilder& builder, NodeId node) {
    Schedule& schedule = schedules_[node];
    const ClusterSpec& spec = builder.state().spec();
    const HealthCheckSpec& care = spec.care;
    const bool first = std::exchange(schedule.is_first, false);
    if (first || is_checked(builder.state(), node)) {
        sessions_.send_order(
            builder, node,
            RunNodeProgram{NodeProgram::health_check, care.health_check, kHealthTimeout});
    }
    schedule.next.reset();
    if (care.health_interval == Duration{} || care.health_states == HealthCheckSpec::kStartOnly) {
        return;
    }
    schedule.next = builder.now() + care.health_interval;
    if (first && care.health_cycle) {  // Spread over the interval by node number.
        const auto nodes = static_cast<std::int64_t>(spec.nodes.size());
        *schedule.next = builder.now() + care.health_interval * (node.value() + 1) / nodes;
    }
}

void HealthChecks::on_program_ended(TurnBuilder& builder, NodeId node,
                                    const NodeProgramEnded& report) const {
    if (report.failure.empty()) return;
    builder.log(LogLevel::warning, "node " + builder.state().spec().node(node).name +
                                       ": HealthCheckProgram " + report.failure);
}

std::optional<Time> HealthChecks::next_due(NodeId node) const {
    return sessions_.of(node).link ? schedules_[node].next : std::nullopt;
}

}  // namespace berth
