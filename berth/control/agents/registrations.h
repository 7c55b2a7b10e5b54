// Registrations: an agent registers over its link, with its node's whole inventory. If it is
// accepted, that opens the node's session, and every part learns of it.
#pragma once

#include <vector>

#include "berth/base/result.h"
#include "berth/control/agents/health_checks.h"
#include "berth/control/agents/reboots.h"
#include "berth/control/agents/run_reports.h"
#include "berth/control/agents/runs_on_nodes.h"
#include "berth/control/agents/sessions.h"
#include "berth/control/agents/sync_queue.h"
#include "berth/control/agents/unresponsive_nodes.h"

namespace berth {

class Registrations {
public:
    // What a registration concerns.
    struct Parts {
        Sessions& sessions;
        SyncQueue& queue;
        RunsOnNodes& runs;
        RunReports& run_reports;
        HealthChecks& health_checks;
        Reboots& reboots;
        UnresponsiveNodes& unresponsive_nodes;
    };
    explicit Registrations(const Parts& parts) : parts_(parts) {}

    void on_registration(TurnBuilder& builder, const AgentInput& input,
                         const Registration& registration);
    // The configuration was `before`: closes the links of nodes that were told otherwise when they
    // registered. They register anew.
    void on_reconfigured(TurnBuilder& builder, const ClusterSpec& before);

private:
    Result<NodeId> known_node(TurnBuilder& builder, const Registration& registration);
    void accept(TurnBuilder& builder, Link link, NodeId node, const Registration& registration);
    void check_hardware(TurnBuilder& builder, NodeId node, const NodeSpec& found);
    void wait_for_orphans(TurnBuilder& builder, NodeId node);
    void welcome(TurnBuilder& builder, NodeId node, std::vector<JobId> over);

    Parts parts_;
};

}  // namespace berth
