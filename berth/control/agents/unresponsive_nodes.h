// UnresponsiveNodes: nodes that have sent nothing for the agent timeout, and the jobs that they
// hold. Such a node is unschedulable, and by default nothing else happens: its runs may go on
// behind a broken network, and a second run of the same job would do harm. The runs end only by
// proof (the fence program has switched the node off) or if the site (`presume_dead_after`) or the
// job
// (`--berth-presume-dead`) does not want to wait for one.
#pragma once

#include <cstddef>
#include <optional>

#include "berth/control/agents/per_node.h"
#include "berth/control/agents/sessions.h"
#include "berth/control/agents/sync_queue.h"

namespace berth {

class UnresponsiveNodes {
public:
    UnresponsiveNodes(Sessions& sessions, SyncQueue& queue) : sessions_(sessions), queue_(queue) {}

    // A new controller has heard from no agent yet: the timeout of each node counts from this call.
    void begin_watch(TurnBuilder& builder);
    // The node has registered; its NodeRegistered is recorded.
    void on_registered(TurnBuilder& builder, NodeId node);
    // Marks the node not responding and closes its link, so that there is only one way back: a
    // registration with the whole inventory. Returns false if the node is not late.
    bool mark_if_late(TurnBuilder& builder, NodeId node);
    // Does what is due for the jobs of a node that does not respond.
    void settle_jobs(TurnBuilder& builder, NodeId node);
    // The node may have responded meanwhile, in the boot that is now over: those messages are out
    // of date.
    void on_fence_answered(TurnBuilder& builder, const FenceAnswered& answer);

    // True if this controller has marked the node not responding and it has not registered since.
    bool is_marked(NodeId node) const { return watches_[node].marked_at.has_value(); }
    std::optional<Time> next_due(const ClusterState& state, NodeId node) const;

private:
    struct Watch {
        std::optional<Time> marked_at;  // When this controller marked the node not responding.
        bool fencing = false;           // A fence call is under way.
        Time fence_at{};                // No fence call before this time.
    };

    std::optional<Time> late_at(const ClusterState& state, NodeId node) const;
    std::optional<Time> settling_due(const ClusterState& state, NodeId node) const;
    bool may_fence(const ClusterState& state, const Watch& watch) const;
    void presume_dead(TurnBuilder& builder, NodeId node);
    void call_fence(TurnBuilder& builder, NodeId node);
    void mark_disconnected(const TurnBuilder& builder);

    Sessions& sessions_;
    SyncQueue& queue_;
    PerNode<Watch> watches_;
    std::size_t fencing_ = 0;  // Nodes with a fence call under way.
};

}  // namespace berth
