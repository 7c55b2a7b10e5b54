// Nodes: the protocol between the controller and its agents. Reports become facts; the state
// becomes orders.
//
// - A connection starts with a registration: the node's whole inventory, which is reconciled with
//   the state at once. From then on a report counts only if it carries the session and boot id of
//   that registration.
// - Orders are never queued. sync() derives them from the state when something about the node has
//   changed, when its agent registers, and when an order has had no effect for a while.
// - An attempt leaves the state only when its agent says so (an end from the spool, a tombstone's
//   answer, a new boot id), when the node is declared dead (unresponsive_nodes.h), or when an
//   administrator says so.
#pragma once

#include <optional>
#include <span>

#include "berth/control/agents/health_checks.h"
#include "berth/control/agents/order_sync.h"
#include "berth/control/agents/reboots.h"
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
    void reinstall(TurnBuilder& builder, const ClusterSpec& before);

    // ---- Messages from the agents.
    void on_message(TurnBuilder& builder, AgentInput input);
    void on_disconnect(TurnBuilder& builder, Link link);
    // What is due by now for nodes that no message is about: they are marked as not responding, the
    // jobs of those that do not respond are settled, and node programs are ordered.
    void check_due(TurnBuilder& builder);

    // A new controller has heard from no agent yet: the timeout of each node counts from this call.
    void begin_watch(TurnBuilder& builder) { unresponsive_nodes_.begin_watch(builder); }
    void on_fence_answered(TurnBuilder& builder, const FenceAnswered& answer) {
        unresponsive_nodes_.on_fence_answered(builder, answer);
    }

    // ---- Requests of commands.
    bool is_connected(NodeId node) const { return sessions_.of(node).link.has_value(); }
    // Call when a command changes what the node should do.
    void look_at(NodeId node) { queue_.mark(node); }
    // See RunsOnNodes.
    void end_at_once(const Job& job) { runs_.end_at_once(job); }
    void start_step(const Job& job, const Step& step, LaunchStep common) {
        runs_.start_step(job, step, std::move(common));
    }
    void end_step(const Job& job, const Step& step) { runs_.end_step(job, step); }
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
    // registration.cc
    void register_node(TurnBuilder& builder, const AgentInput& input,
                       const Registration& registration);
    Result<NodeId> known_node(TurnBuilder& builder, const Registration& registration);
    void accept(TurnBuilder& builder, Link link, NodeId node, const Registration& registration);
    void settle(TurnBuilder& builder, NodeId node, const Registration& registration,
                bool same_boot);
    void settle_steps(TurnBuilder& builder, NodeId node, const Registration& registration,
                      bool same_boot);
    void settle_steps_of(TurnBuilder& builder, NodeId node, AttemptId attempt,
                         const std::vector<StepId>& live);
    void check_hardware(TurnBuilder& builder, NodeId node, const NodeSpec& found);
    void welcome(TurnBuilder& builder, NodeId node, std::vector<JobId> over);

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
};

}  // namespace berth
