// The inventory that an agent registers: what runs on its node, and what has ended there. It is
// reconciled with the state at once, so that no work runs twice.
#pragma once

#include "berth/control/agents/run_reports.h"
#include "berth/control/agents/runs_on_nodes.h"

namespace berth {

// `same_boot`: the node has not rebooted since it last registered. All that follows goes into one
// record. Attempts that are nobody's become orphans.
void take_inventory(TurnBuilder& builder, RunsOnNodes& runs, RunReports& reports, NodeId node,
                    const Registration& registration, bool same_boot);

}  // namespace berth
