// Refusals: what happens when a node fails to begin a job, to the job and to the node.
// - If the node lacks what every job needs, the job is requeued as if nothing had happened. The
//   third such job drains the node.
// - Any other refusal may be the job's own fault: it is tried on three nodes, then held.
//
// In both cases the job is not sent to the same node again while another node can run it. Nothing
// here is recorded: a new controller starts with no refusals.
#pragma once

#include <map>
#include <set>

#include "berth/control/turn/turn_builder.h"
#include "berth/model/report.h"

namespace berth {

class Refusals {
public:
    // True if nodes failed to begin the job, and it has not run since.
    bool contains(JobId job) const { return refused_.contains(job); }

    // The node failed to begin the job: requeues it. Returns false if the job must end instead.
    bool requeue(TurnBuilder& builder, NodeId node, const Job& job, const AttemptReport& report);
    // Counts the failure against the node, if it is one of the node.
    void count_against(TurnBuilder& builder, NodeId node, const AttemptReport& report);
    // Decides where the job may run next. Call once nothing of its attempt is left on any node.
    void settle(TurnBuilder& builder, JobId job);
    // The job runs on the node, so neither is at fault.
    void forget(const ClusterState& state, NodeId node, JobId job);

private:
    struct OfJob {
        std::set<NodeId> by;
        NotBegun why = NotBegun::unknown;  // Of the last failure.
    };
    std::map<JobId, OfJob> refused_;  // Until the job runs.
    std::map<NodeId, std::set<JobId>>
        refusing_;  // The jobs that the node recently failed to begin.
};

}  // namespace berth
