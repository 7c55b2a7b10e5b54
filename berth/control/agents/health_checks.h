// HealthChecks: when the site's HealthCheckProgram runs on each node: when its agent registers, and
// then at intervals while the node is in one of the states that the site names.
#pragma once

#include <optional>

#include "berth/control/agents/per_node.h"
#include "berth/control/agents/sessions.h"

namespace berth {

class HealthChecks {
public:
    explicit HealthChecks(const Sessions& sessions) : sessions_(sessions) {}

    // The node has registered: it is checked at once.
    void on_registered(const TurnBuilder& builder, NodeId node);
    // Has the program run if it is due.
    void run_due(TurnBuilder& builder, NodeId node);
    // As in Slurm, a failed health check has no effect of its own: the program calls scontrol if it
    // wants one.
    void on_program_ended(TurnBuilder& builder, NodeId node, const NodeProgramEnded& report) const;

    std::optional<Time> next_due(NodeId node) const;

private:
    struct Schedule {
        std::optional<Time> next;
        bool is_first = false;  // The next check is the first of this session.
    };

    void check(TurnBuilder& builder, NodeId node);

    const Sessions& sessions_;
    PerNode<Schedule> schedules_;
};

}  // namespace berth
