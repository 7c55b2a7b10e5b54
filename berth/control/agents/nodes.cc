#include "berth/control/agents/nodes.h"

#include <algorithm>

#include "berth/control/agents/gpu_health.h"

namespace berth {
namespace {

void log_failure(TurnBuilder& builder, NodeId node, const NodeProgramEnded& report) {
    if (report.failure.empty()) return;
    builder.log(LogLevel::warning, "node " + builder.state().spec().node(node).name +
                                       ": UnkillableStepProgram " + report.failure);
}

}  // namespace

Nodes::Nodes(const ClusterState& state) { install(state.spec()); }

void Nodes::on_message(TurnBuilder& builder, AgentInput input) {
    if (const auto* registration = std::get_if<Registration>(&input.report.body)) {
        return registrations_.on_registration(builder, input, *registration);
    }
    const std::optional<NodeId> node = sessions_.node_on(input.link);
    if (!node) return;  // The link is closed, or no node has registered over it.
    NodeSession& session = sessions_.of(*node);
    const Report& report = input.report;
    if (report.boot_id != session.boot_id || report.session != session.number) return;
    session.heard_at = builder.now();
    if (auto* heartbeat = std::get_if<Heartbeat>(&input.report.body)) {
        if (heartbeat->gpus.empty()) return;
        builder.note_readings(*node, {builder.now(), std::move(heartbeat->gpus)});
    } else if (const auto* started = std::get_if<AttemptStarted>(&input.report.body)) {
        run_reports_.on_attempt_started(builder, *node, {started->job, started->attempt});
    } else if (const auto* step = std::get_if<StepStarted>(&input.report.body)) {
        run_reports_.on_step_started(builder, *node, *step);
    } else if (const auto* frozen = std::get_if<AttemptFrozen>(&input.report.body)) {
        run_reports_.on_attempt_frozen(builder, *node, *frozen);
    } else if (const auto* saved = std::get_if<AttemptCheckpointed>(&input.report.body)) {
        run_reports_.on_checkpoint(builder, *node, {saved->job, saved->attempt});
    } else if (const auto* stuck = std::get_if<AttemptUnkillable>(&input.report.body)) {
        run_reports_.on_unkillable(builder, *node, *stuck);
    } else if (const auto* attempt = std::get_if<AttemptReport>(&input.report.body)) {
        if (attempt->live) {
            run_reports_.on_attempt_started(builder, *node, {attempt->job, attempt->attempt});
        } else {
            run_reports_.on_attempt_ended(builder, *node, *attempt, true);
        }
    } else if (const auto* ended = std::get_if<StepReport>(&input.report.body)) {
        run_reports_.on_step_ended(builder, *node, *ended);
    } else if (const auto* faulted = std::get_if<GpusFaulted>(&input.report.body)) {
        take_gpu_faults(builder, *node, session.instance, faulted->faults);
    } else if (auto* sampled = std::get_if<UsageSampled>(&input.report.body)) {
        builder.note_usage(*node, std::move(sampled->runs));
    } else if (const auto* program = std::get_if<NodeProgramEnded>(&input.report.body)) {
        if (program->program == NodeProgram::reboot) {
            reboots_.on_program_ended(builder, *node, *program);
        } else if (program->program == NodeProgram::unkillable) {
            log_failure(builder, *node, *program);
        } else {
            health_checks_.on_program_ended(builder, *node, *program);
        }
    }
}

void Nodes::on_disconnect(TurnBuilder& builder, Link link) {
    const std::optional<NodeId> node = sessions_.node_on(link);
    if (!node) return;
    builder.log(LogLevel::info, "node " + builder.state().spec().node(*node).name +
                                    ": the link to its agent is lost");
    sessions_.close(*node);
    queue_.mark(*node);  // The timeout keeps counting from its last message.
}

void Nodes::check_due(TurnBuilder& builder) {
    for (const NodeId node : queue_.take_due(builder.now())) {
        queue_.mark(node);
        if (unresponsive_nodes_.mark_if_late(builder, node)) continue;
        unresponsive_nodes_.settle_jobs(builder, node);
        order_node_programs(builder, node);
    }
}

void Nodes::signal(TurnBuilder& builder, const Job& job, std::span<const NodeId> nodes,
                   const SignalAttempt& order) {
    BERTH_ASSERT(order.job == job.id && order.attempt == job.attempt);
    for (const NodeId node : nodes) sessions_.send_order(builder, node, order);
}

void Nodes::notify(TurnBuilder& builder, const Job& job, const std::string& text) {
    sessions_.send_order(builder, job.nodes.front(), NotifyAttempt{job.id, job.attempt, text});
}

void Nodes::order_node_programs(TurnBuilder& builder, NodeId node) {
    reboots_.order_due(builder, node);
    health_checks_.run_due(builder, node);
}

void Nodes::sync_marked(TurnBuilder& builder) {
    for (const NodeId node : queue_.take_marked()) {
        order_sync_.sync(builder, node);
        if (is_connected(node)) order_node_programs(builder, node);
        queue_.check_at(node, next_due(builder.state(), node));
    }
}

// When to look at the node again if nothing happens before.
std::optional<Time> Nodes::next_due(const ClusterState& state, NodeId node) const {
    std::optional<Time> due = unresponsive_nodes_.next_due(state, node);
    for (const std::optional<Time>& at :
         {reboots_.next_due(state, node), health_checks_.next_due(node),
          order_sync_.next_due(node)}) {
        if (at) due = due ? std::min(*due, *at) : at;
    }
    return due;
}

}  // namespace berth
