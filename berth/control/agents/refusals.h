// Refusals: what happens when a node fails to begin a job, to the job and to the node.
// - If the node lacks what every job needs, the job is requeued as if nothing had happened. The
//   third such job drains the node.
// - Any other refusal may be the job's own fault: it is tried on three nodes, then held.
//
// The components of a heterogeneous job are one job here.
//
// In both cases the job is not sent to the same node again while another node can run it. A new
// controller starts with no refusals, except that the state has the nodes that refused a job which
// has not ended everywhere.
#pragma once

#include <map>
#include <set>

#include "berth/control/turn/turn_builder.h"
#include "berth/model/report.h"

namespace berth {

class Refusals {
public:
    // True if nodes failed to begin the job, and it has not run since.
    bool contains(const Job& job) const;

    // The node failed to begin the job: requeues it. Returns false if the job must end instead.
    bool requeue(TurnBuilder& builder, NodeId node, const Job& job, const AttemptReport& report);
    // Counts the failure against the node, if it is one of the node.
    void count_against(TurnBuilder& builder, NodeId node, const AttemptReport& report);
    // Decides where the job may run next. Call once nothing of its attempt is left on any node.
    void settle(TurnBuilder& builder, JobId job);
    // A job has started on the node, so the node is not at fault.
    void on_start(const ClusterState& state, NodeId node);
    // The job has started on all its nodes, so it is not at fault.
    void forget(const Job& job);

private:
    // Takes the refusals of a job from the state, if they were reported to an earlier controller.
    void recall(const ClusterState& state, const Job& job);

    struct OfJob {
        std::set<NodeId> by;
        NotBegun why = NotBegun::unknown;  // Of the last failure.
    };
    // Until the job runs on all its nodes. By the first component of a heterogeneous job.
    std::map<JobId, OfJob> refused_;
    std::map<NodeId, std::set<JobId>>
        refusing_;  // The jobs that the node recently failed to begin.
};

}  // namespace berth
