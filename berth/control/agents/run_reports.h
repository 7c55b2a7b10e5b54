// RunReports: what agents report of attempts and steps becomes facts.
//
// An attempt leaves the state only when its agent says so (an end from the spool, a tombstone's
// answer, a new boot id), when the node is taken for dead (unresponsive_nodes.h), or when an
// administrator says so.
#pragma once

#include "berth/control/agents/refusals.h"
#include "berth/control/agents/runs_on_nodes.h"
#include "berth/control/agents/sessions.h"
#include "berth/control/agents/sync_queue.h"

namespace berth {

class RunReports {
public:
    RunReports(const Sessions& sessions, RunsOnNodes& runs, SyncQueue& queue)
        : sessions_(sessions), runs_(runs), queue_(queue) {}

    void on_attempt_started(TurnBuilder& builder, NodeId node, AttemptId attempt);
    // Once all nodes have proved that a run which lends its cores stands still, that is a fact. So
    // is their answer after a run that had to go on without.
    void on_attempt_frozen(TurnBuilder& builder, NodeId node, const AttemptFrozen& report);
    void on_checkpoint(TurnBuilder& builder, NodeId node, AttemptId attempt);
    // The node takes no more work: what the attempt holds there may stay in use. The site's
    // UnkillableStepProgram runs there.
    void on_unkillable(TurnBuilder& builder, NodeId node, const AttemptUnkillable& report) const;
    // Every end is acknowledged, even if it is already recorded or its job forgotten. Orders leave
    // after the record is durable, so an acknowledgement never comes too early.
    // `same_boot`: the node has not rebooted since it last registered.
    void on_attempt_ended(TurnBuilder& builder, NodeId node, const AttemptReport& report,
                          bool same_boot);
    void on_step_started(const TurnBuilder& builder, NodeId node, const StepStarted& report);
    void on_step_ended(TurnBuilder& builder, NodeId node, const StepReport& report);

private:
    void end_attempt(TurnBuilder& builder, NodeId node, AttemptId attempt,
                     const AttemptReport& report, bool same_boot);
    // Whether all nodes of the job have reported its start, and of its other components.
    bool runs_everywhere(const ClusterState& state, const Job& job);
    void on_orphan_ended(TurnBuilder& builder, NodeId node, AttemptId attempt);

    const Sessions& sessions_;
    RunsOnNodes& runs_;
    SyncQueue& queue_;
    Refusals refusals_;
};

}  // namespace berth
