// Reboots: requested reboots of nodes, from the request to the node's next registration.
#pragma once

#include <optional>

#include "berth/control/agents/per_node.h"
#include "berth/control/agents/sessions.h"

namespace berth {

class Reboots {
public:
    explicit Reboots(const Sessions& sessions) : sessions_(sessions) {}

    // The node has registered. Under another boot, a reboot that was ordered is over.
    void on_registered(TurnBuilder& builder, NodeId node, bool same_boot);
    // Orders a requested reboot once nothing runs on the node. The order is repeated while the node
    // still reports from the same boot, and given up after ResumeTimeout.
    void order_due(TurnBuilder& builder, NodeId node);
    // A node whose reboot failed must not be used as if it had rebooted: drains it.
    void on_program_ended(TurnBuilder& builder, NodeId node, const NodeProgramEnded& report) const;

    std::optional<Time> next_due(const ClusterState& state, NodeId node) const;

private:
    const Sessions& sessions_;
    PerNode<std::optional<Time>> order_at_;  // When to order it (again); nullopt: at once.
};

}  // namespace berth
