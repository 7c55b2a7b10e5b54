// Nodes: the protocol between the controller and its agents. Reports become facts; the state
// becomes orders.
//
// - A connection starts with a registration: the node's whole inventory, which is reconciled with
//   the state at once. From then on a report counts only if it carries the session and boot id of
//   that registration.
// - Orders are never queued. The parts derive them from the state when something about the node has
//   changed, when its agent registers, and when an order has had no effect for a while.
//
// Each part has its own state and header; Nodes hands messages, commands and time to them.
#pragma once

#include <optional>
#include <span>

#include "berth/control/agents/health_checks.h"
#include "berth/control/agents/order_sync.h"
#include "berth/control/agents/reboots.h"
#include "berth/control/agents/registrations.h"
#include "berth/control/agents/run_reports.h"
#include "berth/control/agents/runs_on_nodes.h"
#include "berth/control/agents/sessions.h"
#include "berth/control/agents/sync_queue.h"
#include "berth/control/agents/unresponsive_nodes.h"
#include "berth/control/turn/turn_builder.h"

namespace berth {

class Nodes {
public:
    explicit Nodes(const ClusterState& state);
    Nodes(const Nodes&) = delete;  // The parts refer to one another.
    Nodes& operator=(const Nodes&) = delete;
    // Call after SpecInstalled.
    void install(const ClusterSpec& spec) { sessions_.install(spec); }
    // The same while agents are connected: nodes whose description changed register anew.
    void reinstall(TurnBuilder& builder, const ClusterSpec& before) {
        registrations_.on_reconfigured(builder, before);
    }

    // ---- Messages from the agents.
    void on_message(TurnBuilder& builder, AgentInput input);
    void on_disconnect(TurnBuilder& builder, Link link);
    // Does what is due by now without a message: marks nodes as not responding, settles the jobs of
    // those that do not respond, and orders node programs.
    void check_due(TurnBuilder& builder);

    // A new controller has heard from no agent yet: the timeout of each node counts from this call.
    void begin_watch(TurnBuilder& builder) { unresponsive_nodes_.begin_watch(builder); }
    void on_fence_answered(TurnBuilder& builder, const FenceAnswered& answer) {
        unresponsive_nodes_.on_fence_answered(builder, answer);
    }

    // ---- Requests of commands.
    bool is_connected(NodeId node) const { return sessions_.of(node).link.has_value(); }
    // Call when a command changes what the node should do.
    void mark_for_sync(NodeId node) { queue_.mark(node); }
    // See RunsOnNodes.
    void end_at_once(const Job& job) { runs_.end_at_once(job); }
    void start_step(const Job& job, const Step& step, LaunchStep common) {
        runs_.start_step(job, step, std::move(common));
    }
    void end_step(const Job& job, const Step& step, EndReason reason) {
        runs_.end_step(job, step, reason);
    }
    std::optional<SrunPlace> srun_of(const Job& job, const Step& step) const {
        return runs_.srun_of(job, step);
    }
    // Sent once. A signal is lost if the link is down.
    void signal(TurnBuilder& builder, const Job& job, std::span<const NodeId> nodes,
                const SignalAttempt& order);
    void notify(TurnBuilder& builder, const Job& job, const std::string& text);  // Sent once, too.

    // ---- Orders that the state implies; called at the end of a turn.
    void mark_changed(const ClusterState& state, const ClusterState::Touched& touched) {
        order_sync_.mark_changed(state, touched);
    }
    void sync_marked(TurnBuilder& builder);

    std::optional<Time> next_check() const { return queue_.next_check(); }

private:
    void order_node_programs(TurnBuilder& builder, NodeId node);
    std::optional<Time> next_due(const ClusterState& state, NodeId node) const;

    Sessions sessions_;
    SyncQueue queue_;
    RunsOnNodes runs_{queue_};
    HealthChecks health_checks_{sessions_};
    Reboots reboots_{sessions_};
    OrderSync order_sync_{sessions_, runs_, queue_};
    RunReports run_reports_{sessions_, runs_, queue_};
    UnresponsiveNodes unresponsive_nodes_{sessions_, queue_};
    Registrations registrations_{
        {sessions_, queue_, runs_, run_reports_, health_checks_, reboots_, unresponsive_nodes_}};
};

}  // namespace berth
