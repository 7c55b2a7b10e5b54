// OrderSync: sends the orders that the state implies for the attempts and steps on a node. Only
// this code sends orders to launch and to end. Orders are never queued: they are derived again
// whenever the answer may have changed, and while an order has no effect.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "berth/control/agents/runs_on_nodes.h"
#include "berth/control/agents/sessions.h"
#include "berth/control/agents/sync_queue.h"

namespace berth {

class OrderSync {
public:
    OrderSync(const Sessions& sessions, RunsOnNodes& runs, SyncQueue& queue)
        : sessions_(sessions), runs_(runs), queue_(queue) {}

    // Marks the nodes of jobs whose orders may have changed.
    void mark_changed(const ClusterState& state, const ClusterState::Touched& touched);
    void sync(TurnBuilder& builder, NodeId node);
    // When to sync the node again if nothing happens before.
    std::optional<Time> next_due(NodeId node) const;

private:
    void sync_orphans(TurnBuilder& builder, NodeId node);
    RunProgress::Need need_of(NodeId node, const Job& job, const RunProgress& run) const;
    void sync_run(TurnBuilder& builder, NodeId node, const Job& job);
    void sync_frozen(TurnBuilder& builder, NodeId node, const Job& job, RunProgress& run);
    void warn_to_save(TurnBuilder& builder, NodeId node, const Job& job, RunProgress& run);
    void sync_steps(TurnBuilder& builder, NodeId node, const Job& job, RunProgress& run);

    const Sessions& sessions_;
    RunsOnNodes& runs_;
    SyncQueue& queue_;
    // Jobs that hold resources, as they were when their nodes were last marked. Only a job that
    // differs from its entry marks its nodes again.
    struct Seen {
        Attempt attempt{0};
        JobState state = JobState::running;
        std::uint32_t suspensions = 0;
        bool configuring = false, must_save = false;
        std::size_t steps_to_end = 0;  // Running ones whose time is over.
        friend bool operator==(const Seen&, const Seen&) = default;
    };
    std::map<JobId, Seen> seen_;
};

}  // namespace berth
